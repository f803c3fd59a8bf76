"""Two systems compared: silent on what conforms, and what differs is named by its role, with both answers."""

import json
from pathlib import Path

import pytest
from commands import fencepost
from exploring import always, trials

from fencepost.explore import search
from fencepost.explore.against import Comparison, Differs
from fencepost.explore.paired_answers import Choice
from fencepost.explore.trial import SequenceResult
from fencepost.proof import conforming_groups
from fencepost.reference.defects import CONFORMING, DEFECTS, Defect
from fencepost.run.observed_roles import BETWEEN_SYSTEMS, by_role
from fencepost.steps.acts.act import ActLine
from fencepost.steps.acts.tables import table_of

NAMES = ("reference", "other")
SPECS = {"kafka": ("core", "kip890"), "pulsar": ("core", "pip31"), "pulsar-scalable": ("core",)}


def comparison(spec: str, protocol: str, defect: str | None = None, profile: str | None = None) -> Comparison:
    table = table_of(spec)
    return Comparison(trials(table, protocol), trials(table, protocol, defect, profile), NAMES)


GROUPS = [
    (group, spec)
    for group in conforming_groups.groups(CONFORMING.values())
    if group[0].protocol in SPECS
    for spec in SPECS[group[0].protocol]
]


@pytest.mark.parametrize(("group", "spec"), GROUPS, ids=lambda one: one if isinstance(one, str) else one[0].name)
def test_conforming_variants_are_no_difference(monkeypatch: pytest.MonkeyPatch, group: tuple[Defect, ...], spec: str) -> None:
    """Order, time, numbers and words are theirs, and so is the choice between answers that are allowed."""
    broker = conforming_groups.as_one(group)
    monkeypatch.setitem(CONFORMING, broker.name, broker)

    progress = search.drawn(comparison(spec, broker.protocol, broker.name), 2, 8, 3, always)

    assert (progress.finding, progress.count) == (None, 2)


@pytest.mark.parametrize("name", ["pulsar-late-ends", "key-ends-are-late"])
def test_readers_may_be_given_what_was_committed_after_what_was_written_next(name: str) -> None:
    """The answer to an end may come before readers have what it commits, so the order of a later write is not certain."""
    acts = ("a plain write to orders", "A writes to orders", "A commits", "a plain write to orders")

    assert comparison("core", "pulsar", name).play(acts) == SequenceResult(acts)


DIFFERENT = {
    "no-epoch-bump": ("kip890", ("A adds payments-0", "A commits"), "producer epoch: 1", "producer epoch: 0"),
    "core-kafka-dirty-read": ("core", ("A writes to orders", "a look at orders"), "it holds", "violated: readers of orders"),
    "core-kafka-committed-is-aborted": ("core", ("A writes to orders", "A commits", "A aborts again"), "INVALID_TXN_STATE", "NONE"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_defect_differs_from_the_reference(name: str) -> None:
    """In the first line that shows it; and the answers of both are printed."""
    spec, acts, mine, others = DIFFERENT[name]

    finding = comparison(spec, DEFECTS[name].protocol, name).find(acts)

    assert finding is not None
    assert (finding.how, finding.acts) == ("different", acts)
    assert isinstance(finding.error, Differs)
    assert mine in finding.error.shown[0]
    assert others in finding.error.shown[1]
    assert comparison(spec, DEFECTS[name].protocol).find(acts) is None


def test_what_a_release_is_known_for_is_counted_and_not_reported() -> None:
    """Kafka 4.3 answers some requests otherwise; a verification is refused with another error, of which a broker has the choice."""
    both = comparison("kip890", "kafka", profile="kafka-4.3")
    progress = search.drawn(both, 12, 10, 1, always)

    assert progress.finding is None
    assert progress.known


OF_TWO = "it is refused for payments-1 with TRANSACTION_ABORTABLE or INVALID_TXN_STATE"
MAY_BE_GONE = "it is done, or refused with TransactionNotFound"
GONE, WRONG = "error: TransactionNotFound", "error: InvalidTxnStatus"


@pytest.mark.parametrize(
    ("asked", "judged_by", "answers", "is_open"),
    [
        ("When", OF_TWO, ("partition error code: TRANSACTION_ABORTABLE", "partition error code: INVALID_TXN_STATE"), True),
        ("When", OF_TWO, ("partition error code: NONE", "partition error code: INVALID_TXN_STATE"), False),
        ("When", OF_TWO, ("error code: NONE, error code: INVALID_TXN_STATE", "error code: NONE, error code: TRANSACTION_ABORTABLE"), True),
        ("When", "it is refused with PRODUCER_FENCED", ("error code: PRODUCER_FENCED", "error code: INVALID_TXN_STATE"), False),
        ("When", MAY_BE_GONE, ("success", GONE), True),
        ("When", MAY_BE_GONE, ("success", WRONG), False),
        ("When", "it is refused", (GONE, WRONG), True),
        ("When", "it is refused", (GONE, "success"), False),
        ("When", "it is done", ("error code: NONE", "error code: INVALID_PRODUCER_EPOCH"), False),
        ("Given", "", ("error code: NONE", "error code: INVALID_PRODUCER_EPOCH"), True),
    ],
)
def test_what_may_differ_is_what_the_sentence_leaves_open(asked: str, judged_by: str, answers: tuple[str, str], is_open: bool) -> None:
    """One of several errors, or being done and being refused; of what a client has only tried, both."""
    line = ActLine(asked, "A has tried to commit" if asked == "Given" else "A commits", "CORE-07")
    judges = [ActLine("Then", judged_by, "CORE-07")] if judged_by else []

    assert Choice.of(line, judges).leaves_open(*answers) is is_open


def test_a_verification_may_be_refused_with_either_error() -> None:
    """KIP890-039; after an end by the same request, the next line is compared again."""
    both = comparison("kip890", "kafka", profile="kafka-4.3")
    verifies = [act.name for act in both.table.acts if act.name.startswith("the leader verifies")]

    assert verifies
    assert [both.find(["A adds payments-0", name]) for name in verifies] == [None] * len(verifies)


def test_numbers_stand_for_roles() -> None:
    """Other numbers in the same places are the same; one number for two things, or two for one, is not."""

    def seen(*texts: str) -> list[str]:
        return list(by_role(texts, BETWEEN_SYSTEMS))

    assert seen("producer id: 1, producer epoch: 4", "offset 3") == seen("producer id: 1099511627776, producer epoch: 0", "offset 9")
    assert seen("producer id: 1", "producer id: 1") != seen("producer id: 7", "producer id: 8")
    assert seen("producer id: 1", "producer id: 2") != seen("producer id: 7", "producer id: 7")
    assert seen("producer epoch: 1", "producer epoch: 2") != seen("producer epoch: 1", "producer epoch: 1")


def test_a_race_is_not_compared() -> None:
    """The winner is a matter of time."""
    assert not [act.name for act in comparison("kip890", "kafka").table.acts if "at once" in act.name]
    assert [act.name for act in trials(table_of("kip890"), "kafka").table.acts if "at once" in act.name]


def test_what_differs_is_printed_side_by_side_and_kept(tmp_path: Path) -> None:
    """Exit code 1, a scenario that can be played again, and the other system in the certificate; none where nothing differs."""
    about = ("--spec", "kip890", "--examples", "5", "--length", "6", "--against", "reference", "--results")
    said = fencepost("explore", *about, tmp_path / "r", "--against-set", "defect=no-epoch-bump", expect=1).out
    alike = fencepost("explore", *about, tmp_path / "alike", expect=0).out

    [report] = json.loads((tmp_path / "r" / "explored.json").read_text())["explored"]
    assert report["finding"]["how"] == "different"
    assert "no-epoch-bump" in report["against"]
    assert Path(report["finding"]["feature"]).is_file()
    [mine, others] = [line.split("  ")[-1] for line in said.splitlines() if "EndTxn of" in line][:2]
    assert mine != others
    assert "nothing found: 5 sequences" in alike


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--against-set", "defect=x"), "--against-set needs --against, the system whose option it sets"),
        (("--against", "referenc"), "unknown system 'referenc'; did you mean reference?"),
        (("--against", "pulsar", "--against-set", "no-such=1"), "no-such"),
        (("--against", "reference", "--against-set", "defect"), "expected NAME=VALUE"),
        (("--spec", "kip890", "--against", "pulsar", "--against-set", "service-url=pulsar://127.0.0.1:1"), "kip890 is about kafka"),
    ],
)
def test_a_second_system_that_cannot_be_asked_is_refused(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    """In one line."""
    finished = fencepost("explore", *options, expect=2, cwd=tmp_path)

    assert said in " ".join(finished.err.split())
