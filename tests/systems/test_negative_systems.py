"""Systems that are wrong: each gets red verdicts, and never a fault of the kit."""

from pathlib import Path

import pytest
from commands import compliance, fencepost
from librdkafka_mock import librdkafka_mock
from nonsense_broker import NONSENSE, NonsenseBroker
from played import played

from fencepost.contract import smoke
from fencepost.contract.registration import SpecifiedSystem
from fencepost.run.options import RunOptions
from fencepost.run.selection import Selection

KNOWN_REDS = {
    "KIP890-012": "expected a refusal with INVALID_TRANSACTION_TIMEOUT; seen success",
    "KIP890-013": "expected a refusal with INVALID_REQUEST; seen a refusal with INVALID_PRODUCER_EPOCH",
    "KIP890-015": "epoch 1); seen success with",
    "KIP890-017": "seen a refusal with INVALID_PRODUCER_EPOCH",
    "KIP890-018": "expected a refusal with PRODUCER_FENCED; seen a refusal with INVALID_PRODUCER_EPOCH",
    "KIP890-020": "expected a refusal with PRODUCER_FENCED; seen a refusal with INVALID_PRODUCER_ID_MAPPING",
    "KIP890-021": "expected a refusal with PRODUCER_FENCED; seen success",
    "KIP890-024": "expected a refusal with INVALID_PRODUCER_EPOCH; seen success",
    "KIP890-048": "expected a refusal with INVALID_TXN_STATE for payments-0; seen payments-0: success",
    "KIP890-095": "expected a refusal with INVALID_TXN_STATE; seen success",
    "KIP890-098": "expected a refusal with INVALID_TXN_STATE for payments-1; seen",
    "KIP890-137": 'expected "p1"; seen "p1", "a1"',
    "KIP890-139": "checksum 0x00000000",
    "KIP890-140": "checksum 0x00000000",
    "KIP890-141": 'expected nothing; seen "a1"',
}


def run_on_the_mock(results: Path, *options: str) -> dict[str, dict[str, str]]:
    """What a run on librdkafka's mock, which does not conform, says of each requirement that the options select."""
    with librdkafka_mock() as address:
        asked = ("--bootstrap", address, "--patience", 2, *options)
        fencepost("run", "kafka", *asked, "--no-html", "--results", results, expect=1)
    found = compliance(results)
    assert found["complete"]
    return {row["id"]: row for row in found["requirements"]}


@pytest.fixture(scope="module")
def verdicts_on_the_mock(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What the smoke run asks, and where it is wrong: the mock says nothing to much of the rest, and all of it takes ten minutes."""
    rows = {*KNOWN_REDS, "KIP890-060", *smoke.requirements_for(("kafka",))}
    return run_on_the_mock(tmp_path_factory.mktemp("mock"), *(f"--only={row}" for row in sorted(rows)))


@pytest.mark.parametrize("requirement", sorted(KNOWN_REDS))
def test_the_mock_is_red_where_it_is_known_to_be_wrong(requirement: str, verdicts_on_the_mock: dict[str, dict[str, str]]) -> None:
    """It shows undecided data and fences no client, and the reason says what was seen."""
    row = verdicts_on_the_mock[requirement]

    assert row["verdict"] == "violated"
    assert KNOWN_REDS[requirement] in row["reason"]


def test_no_verdict_on_the_mock_is_the_kits_fault(verdicts_on_the_mock: dict[str, dict[str, str]]) -> None:
    """The kit can report whatever it answers, and whatever it does not know."""
    assert [row["reason"] for row in verdicts_on_the_mock.values() if row["verdict"] == "harness_error"] == []


@pytest.mark.thorough
def test_no_verdict_of_a_whole_run_on_the_mock_is_the_kits_fault(tmp_path: Path) -> None:
    """The same of everything that can be asked, but for KIP890-010: a producer id without a transactional id ends librdkafka's process."""
    rows = run_on_the_mock(tmp_path, "--skip=KIP890-010").values()

    assert [row["reason"] for row in rows if row["verdict"] == "harness_error"] == []


def test_what_the_mock_does_not_know_is_not_offered(verdicts_on_the_mock: dict[str, dict[str, str]]) -> None:
    """Requests of the second protocol are not sent, and the verdict says what is offered instead."""
    row = verdicts_on_the_mock["KIP890-060"]

    assert row["verdict"] == "not_offered"
    assert "needs version 12, and the broker offers Produce v0 to v10" in row["reason"]


ROWS = tuple(f"KIP890-{row}" for row in ("037", "053", "060", "139", "153"))
"""Requests of every kind: to a coordinator, a leader and a group, in batches, and those that only look."""
RED = {"violated", "inconclusive"}


def said_of(broker: NonsenseBroker, rows: tuple[str, ...], patience_s: float) -> dict[str, set[str]]:
    """What these requirements' scenarios are on the broker; each that is red has a reason."""
    asked = RunOptions("kafka", SpecifiedSystem({"bootstrap": f"127.0.0.1:{broker.port}"}, patience_s=patience_s), Selection(only=rows))
    found: dict[str, set[str]] = {}
    for shown in played(asked, "kafka").values():
        found.setdefault(shown.requirement, set()).add(shown.verdict)
        assert shown.reason or shown.verdict not in RED
    return found


@pytest.mark.parametrize("nonsense", sorted(NONSENSE))
def test_nonsense_in_a_well_formed_answer_is_red_and_not_the_kits_fault(nonsense: str) -> None:
    """Whatever an answer says, each requirement is violated or inconclusive, and the run ends soon."""
    with NonsenseBroker(nonsense) as broker:
        found = said_of(broker, ROWS, 0.3)

    assert found.keys() == set(ROWS)
    assert {row for row, verdicts in found.items() if not verdicts & RED or verdicts - RED - {"met", "not_offered"}} == set()


def test_a_broker_that_hangs_up_after_each_answer_is_judged() -> None:
    """A connection that ends while nothing is asked is made again; one that ends under a request is a violation."""
    with NonsenseBroker(hangs_up=True) as broker:
        found = said_of(broker, ROWS[:3], 2)

    assert found.keys() == set(ROWS[:3])
    assert set().union(*found.values()) <= {"met", "violated", "not_offered"}  # a crash is not offered at an address


def test_a_slow_broker_conforms() -> None:
    """An answer that takes its time is an answer."""
    with NonsenseBroker(is_slow=True) as broker:
        assert said_of(broker, ("KIP890-011",), SpecifiedSystem.patience_s) == {"KIP890-011": {"met"}}
