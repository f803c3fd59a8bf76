"""Exploration with the disturbances of twins: what it finds is a scenario that is met by itself, and not with the disturbance."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from commands import fencepost
from exploring import trials

from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.evidence import Violation
from fencepost.contract.register import bundled
from fencepost.explore.disturbed import DisturbedTable
from fencepost.explore.finding_scenario import feature, reported
from fencepost.explore.reduction import reduced
from fencepost.explore.trial import ScriptResult, needs_of
from fencepost.steps.acts.act import DISTURBANCE, ActLine, script_of
from fencepost.steps.acts.core import TABLE as CORE
from fencepost.steps.acts.kip890 import TABLE
from fencepost.steps.acts.random_script import drawn
from fencepost.steps.vocabularies import speech_of
from fencepost.twins import disturbances

DEFECT = "repeated-announcement-refused"
LOST = "the disturbance answer-lost"
ADDS, LOOKS = "A adds payments-0", "a look at the transaction of A"


def test_what_a_disturbance_shows_is_cut_with_it_and_met_without_it(tmp_path: Path) -> None:
    """It is left out last: without it, nothing is found. The scenario is met by itself, and its twin differs."""
    broken = trials(TABLE, "kafka", DEFECT)
    finding = broken.find((ADDS, LOST, LOOKS, "a plain write to payments-1"))
    assert finding is not None

    small = reduced(finding, broken.find)
    lines = reported(small, lambda said: broken.shows(said, small), speech_of(broken.table.spec))
    file = tmp_path / "found.feature"
    file.write_text(feature(small, lines, bundled()[small.requirement], needs_of(broken.table, small.acts), "found"))

    assert (small.acts, small.disturbance) == ((ADDS, LOST), "answer-lost")
    assert broken.find((ADDS, LOOKS)) is None
    assert trials(TABLE, "kafka").find(small.acts) is None
    again = ("run", "--feature", file, "--defect", DEFECT, "--results", tmp_path / "again")
    fencepost(*again, "--no-html", expect=0, cwd=tmp_path)
    said = fencepost(*again[:-1], tmp_path / "twins", "--twins", "answer-lost", expect=1, cwd=tmp_path).out
    assert f"{small.requirement}" in said


def test_a_random_sequence_has_one_disturbance_at_most() -> None:
    """A quarter of them has one, each of those that the system can be disturbed by comes, and none comes with acts that race."""
    table, chance, seen = trials(TABLE, "kafka").table, random.Random(1), list[str]()
    for _ in range(600):
        script = drawn(table, 6, chance.choice)
        named = [line.text for line, _ in script.lines if line.kind == DISTURBANCE]
        seen += named
        assert len(named) <= 1
        assert not (named and any(table.by_name[act].races for act in script.acts))

    assert 60 < len(seen) < 180
    assert set(seen) == {name for name, one in disturbances.bundled().by_name.items() if one.fits("kip890", "kafka")}


def test_a_disturbance_is_kept_out_of_the_places_of_twins() -> None:
    """Also where what a later act uses, which is made first, keeps it out."""
    disturbed = DisturbedTable.of(TABLE, "kafka", ["transactions-v2", "crash", "hold-markers"], None, ())
    script = script_of(disturbed.table, ["A writes to payments-0", "the disturbance crash", "A commits"])
    lines = [line for line, _ in script.lines]
    blocked = ActLine("Given", "completion of A's transactions is blocked until the next restart", "KIP890-149")

    assert disturbed.has_place(lines)
    assert not disturbed.has_place([lines[0], blocked, *lines[1:]])


def test_what_a_disturbance_needs_itself_keeps_it_out_of_no_place() -> None:
    """Such as the two nodes of one that moves leaders, which is not with scenarios that need them."""
    disturbed = DisturbedTable.of(TABLE, "kafka", CAPABILITIES, None, ())

    for one in disturbed.table.disturbances:
        script = script_of(disturbed.table, ["A writes to payments-0", one.name, "A commits"])
        assert disturbed.has_place([line for line, _ in script.lines]), one.name


def test_what_a_disturbance_may_change_is_no_finding() -> None:
    """Exploration has the exceptions of twins, in every scenario of the requirement."""
    disturbed = DisturbedTable.of(TABLE, "kafka", ["transactions-v2", "crash"], None, ())

    assert disturbed.may_differ("crash", "KIP890-353", "answer to Heartbeat of A: expected UNKNOWN_MEMBER_ID; seen success")
    assert not disturbed.may_differ("twice", "KIP890-353", "answer to Heartbeat of A: expected UNKNOWN_MEMBER_ID; seen success")


def test_what_a_disturbance_needs_and_an_act_needs_is_there_at_once() -> None:
    """A broker of two nodes is not killed, so a moved coordinator is in no sequence with a reload."""
    table = trials(CORE, "kafka").table

    for one in table.disturbances:
        script = script_of(table, ["a reload of orders", one.name, "a reload of orders"])
        assert not {"reload", "two-nodes"} <= script.needs
        assert not {"reload", "compaction"} <= script.needs


def test_what_one_broker_offers_at_once_follows_from_the_protocol() -> None:
    """A broker of scalable topics that collects headers soon is not killed; on classic topics one broker offers all of it."""
    kept = frozenset({"crash", "short-retention", "sealing"})
    on = {protocol: DisturbedTable.of(CORE, protocol, kept, None, ()).table for protocol in ("kafka", "pulsar", "pulsar-scalable")}

    assert not on["pulsar-scalable"].are_offered_at_once(frozenset({"crash", "short-retention"}))
    assert on["pulsar-scalable"].are_offered_at_once(frozenset({"crash", "sealing", "wire-faults"}))
    assert on["pulsar"].are_offered_at_once(frozenset({"crash", "more-coordinators", "own-broker"}))
    assert not on["kafka"].are_offered_at_once(frozenset({"reload", "two-nodes"}))


def test_a_line_that_fails_before_its_disturbance_is_not_found_by_it() -> None:
    """The disturbance has had no effect yet, so the failure is seen without it."""
    broken = trials(TABLE, "kafka")
    script = script_of(broken.table, [ADDS, LOOKS, "the disturbance crash", LOOKS])
    plain, lines = broken.show(script), [line for line, _ in script.lines]
    number = next(number for number, line in enumerate(lines) if line.kind == DISTURBANCE)
    failed = replace(plain.steps[number - 1], error=Violation("a", "b", what="a look"))

    found = broken._judged_disturbed(script, "crash", ScriptResult((*plain.steps[: number - 1], failed), plain.session)).finding

    assert found is not None
    assert found.disturbance is None


@pytest.mark.parametrize(("named", "requirement"), [("KIP890-051", "KIP890-051"), ("CORE-17", "KIP890-060"), (None, "KIP890-060")])
def test_what_a_disturbance_finds_by_itself_is_of_its_own_requirement(named: str | None, requirement: str) -> None:
    """The line that is said meanwhile is about another one. A requirement of another proposal names nothing here."""
    broken = trials(TABLE, "kafka")
    script = script_of(broken.table, [ADDS, "the disturbance crowd", LOOKS])
    plain = broken.show(script)
    failed = replace(plain.steps[-1], error=Violation("a refusal", "success", what="answer to a write of the crowd", requirement=named))

    found = broken._judged_disturbed(script, "crowd", ScriptResult((*plain.steps[:-1], failed), plain.session)).finding

    assert found is not None
    assert found.requirement == requirement


def test_a_plain_form_that_has_no_place_for_the_disturbance_does_not_show_the_same() -> None:
    """A Given may keep a disturbance out that its When does not."""
    broken = trials(TABLE, "kafka", DEFECT)
    finding = broken.find((ADDS, LOST, LOOKS))
    assert finding is not None
    blocked = ActLine("Given", "completion of A's transactions is blocked until the next restart", "KIP890-149")
    crash = replace(finding, lines=(ActLine(DISTURBANCE, "crash", ""), *finding.lines))

    assert not broken.shows((finding.lines[0], blocked, ActLine(DISTURBANCE, "crash", ""), finding.lines[-1]), crash)


def test_an_exception_for_one_scenario_excuses_a_sequence() -> None:
    """Its acts are like that scenario; a sequence is no scenario that an exception could name."""
    disturbed = DisturbedTable.of(TABLE, "kafka", ["transactions-v2", "crash"], None, ())

    assert disturbed.may_differ("crash", "KIP890-366", "seen OUT_OF_ORDER_SEQUENCE_NUMBER; with it: success")
    assert not disturbed.may_differ("crash", "KIP890-366", "seen success; with it: OUT_OF_ORDER_SEQUENCE_NUMBER")


def test_with_compaction_nothing_is_asked_about_what_was_aborted() -> None:
    """The log cleaner removes it, and with its markers the list of aborted transactions; what is committed is asked about as before."""
    table = trials(TABLE, "kafka").table
    compaction, asked = "the disturbance compaction", "read_uncommitted readers of payments-0 see"

    def asks(*acts: str) -> bool:
        return any(asked in line.text for line, _ in script_of(table, acts).lines)

    assert asks("T writes and times out")
    assert asks("A has written to payments-0", compaction)
    assert not asks("T writes and times out", compaction)
