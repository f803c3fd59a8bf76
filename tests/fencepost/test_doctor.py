"""What the doctor says of a broker: how much of the suite can be put to it, and what would open the rest."""

import json
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

import pytest
from commands import fencepost, verdicts
from librdkafka_mock import librdkafka_mock

from fencepost.adapters.kafka.offer import KafkaOffer, VersionRange
from fencepost.adapters.kafka.stand_in import KafkaStandIn
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract import proposals, register
from fencepost.contract.ports import Handshake
from fencepost.doctor.offered_scenarios import OfProposal, offering_of


def whole() -> KafkaOffer:
    """All that the reference offers."""
    system = ReferenceSystem()
    system.open()
    assert system._offer is not None
    return system._offer


def offered(apis: Mapping[str, VersionRange], handshake: Handshake | None = None, spec: str = "core") -> OfProposal:
    """What can be asked of a broker with these requests, which offers every capability unless its handshake says otherwise.

    Only one proposal is looked at, since its scenarios are all played on a stand-in where a request is missing.
    """
    stand_in = KafkaStandIn(KafkaOffer(apis, finalized=whole().finalized))
    with mock.patch.object(proposals.Proposals, "binding", return_value=(spec,)):
        (found,) = offering_of("kafka", handshake or ReferenceSystem().open(), stand_in, register.bundled())
    return found


def test_of_a_broker_with_every_request_everything_can_be_asked() -> None:
    """And nothing is played to find that out."""
    core = offered(whole().apis)

    assert {lack.needs for lack in core.lacks} == {("sealing",)}, "no log of Kafka's can be sealed"
    assert core.in_full == core.requirements - len(core.lacks[0].requirements)
    assert core.scenarios_asked == core.scenarios - core.lacks[0].scenarios


def test_a_broker_without_produce_v12_is_asked_the_core_by_old_clients() -> None:
    """Except for what their protocol cannot distinguish, and for what a Kafka log cannot be."""
    core = offered({**whole().apis, "produce": VersionRange(3, 11)})

    assert {needs for lack in core.lacks for needs in lack.needs} == {"an end that is not that of the open transaction", "sealing"}


def test_a_broker_without_a_request_that_all_need_is_asked_hardly_anything() -> None:
    """No tag of a scenario says so: what it has to be sent does."""
    core = offered({**whole().apis, "produce": VersionRange(0, 2)})

    assert core.in_full + core.in_part < 5
    assert any(needs.startswith("Produce v") for needs in core.lacks[0].needs)
    assert set(core.lacks[0].why.values()) == {"the broker offers v0 to v2"}


def test_all_that_a_scenario_misses_is_named() -> None:
    """To have one of two would open nothing."""
    apis = {**whole().apis, "produce": VersionRange(3, 11)}
    del apis["add_partitions_to_txn"], apis["end_txn"]

    missed = {lack.needs for lack in offered(apis).lacks}

    assert any([needs.partition(" v")[0] for needs in lack] == ["AddPartitionsToTxn", "EndTxn"] for lack in missed), missed


def test_the_doctor_and_a_run_say_the_same(tmp_path: Path) -> None:
    """For a broker with old requests: the run tests what the doctor counts; more only where a red came before the missing request."""
    with librdkafka_mock() as address:
        reported = json.loads(fencepost("doctor", "kafka", "--bootstrap", address, "--format", "json", expect=0).out)
        fencepost("run", "kafka", "--bootstrap", address, "--spec", "core", "--patience", "1", "--no-html", "--results", tmp_path, expect=1)

    (core,) = [one for one in reported["systems"][0]["proposals"] if one["spec"] == "core"]
    asked = [row for row, verdict in verdicts(tmp_path).items() if verdict != "not_offered"]
    assert 0 < core["in_full"] + core["in_part"] <= len(asked) < core["requirements"]


@pytest.fixture(scope="module")
def lines_on_the_mock() -> list[str]:
    """What the doctor prints of librdkafka's mock."""
    with librdkafka_mock() as address:
        return fencepost("doctor", "kafka", "--bootstrap", address, expect=0).out.splitlines()


def test_lines_of_the_doctor_are_not_wrapped(lines_on_the_mock: list[str]) -> None:
    """In a pipe each fact is one line, as a search for it needs; ids are in the JSON."""
    lines = lines_on_the_mock

    assert any(line.startswith("  core: ") and "of 45 requirements" in line and "the rest needs " in line for line in lines)
    assert any(line.startswith("  crash: ") and line.endswith("need nothing else") for line in lines)
    assert all(line.startswith("  ") or not line or line[0].islower() for line in lines)


def test_broken_metadata_is_reported_and_does_not_hide_the_rest(lines_on_the_mock: list[str]) -> None:
    """The mock's flexible Metadata answers have a byte too many, so an older version is asked, and the handshake says why."""
    reported = " ".join(" ".join(lines_on_the_mock).split())

    assert "Fencepost uses Metadata v8, because newer answers break the protocol" in reported
    assert "1 bytes are left over" in reported


def test_another_form_is_refused() -> None:
    """With those that there are."""
    assert "unknown format 'yaml'; known: table, json" in fencepost("doctor", "--format", "yaml", expect=2).err


@pytest.mark.parametrize("spec", ["core", "kip890"])
def test_a_capability_that_is_missing_keeps_its_scenarios(spec: str) -> None:
    """Those with the tag, and no others."""
    handshake = ReferenceSystem().open()
    without = Handshake(**{**vars(handshake), "capabilities": handshake.capabilities - {"crash"}})

    found = {needs for lack in offered(whole().apis, without, spec).lacks for needs in lack.needs}
    assert found - {"sealing"} == {"crash"}
