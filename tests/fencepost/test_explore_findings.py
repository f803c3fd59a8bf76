"""What exploration makes of a finding: a small scenario, and nothing if the release is known for it."""

import re
from collections.abc import Sequence

import pytest
from exploring import trials

from fencepost.contract.evidence import Violation
from fencepost.contract.register import bundled
from fencepost.contract.symptom import Symptom
from fencepost.deviations.known_deviations import DeviationEntry, Expectations, LocatedDeviation
from fencepost.explore import search
from fencepost.explore.finding_scenario import feature, reported
from fencepost.explore.reduction import reduced
from fencepost.explore.trial import REFUSED, ExploredFinding, Trials
from fencepost.steps.acts.act import ActLine
from fencepost.steps.acts.core import TABLE
from fencepost.steps.vocabularies import speech_of


def given(*texts: str) -> tuple[ActLine, ...]:
    return tuple(ActLine("Given", text, "CORE-07") for text in texts)


WHEN = ActLine("When", "A commits", "CORE-07", "A has committed")
SPEECH = speech_of("core")
DONE = ActLine("Then", "it is done", "CORE-07")
SEEN = ActLine("Then", 'readers of orders see "a1"', "CORE-07")


def finding(*lines: ActLine, acts: tuple[str, ...] = ("x",)) -> ExploredFinding:
    return ExploredFinding(acts, lines, "CORE-07", "violated", Violation("a", "b", what="readers"))


@pytest.mark.parametrize(
    ("lines", "as_said"),
    [
        ((WHEN, DONE, WHEN, DONE, SEEN), ["Given A has committed", "When A commits", 'Then readers of orders see "a1"']),
        ((WHEN, DONE, WHEN, DONE), ["Given A has committed", "When A commits", "Then it is done"]),
        ((WHEN, DONE, *given("it stops")), ["Given A has committed", "Given it stops"]),
    ],
)
def test_a_finding_is_said_as_a_scenario(lines: tuple[ActLine, ...], as_said: list[str]) -> None:
    """What led to the question is a Given, what is judged comes after one When, and the check that a request succeeded is left out."""
    said = reported(finding(*lines), lambda _: True, SPEECH)

    assert [f"{line.kind} {line.text}" for line in said] == as_said


def test_a_finding_that_a_given_hides_keeps_its_whens() -> None:
    """A Given waits until everything is everywhere; where that heals the system, the scenario says what was really asked."""
    said = reported(finding(WHEN, DONE, WHEN, DONE, SEEN), lambda lines: lines[0] is WHEN, SPEECH)

    assert [line.kind for line in said] == ["When", "When", "Then"]


def test_a_finding_that_needs_what_was_observed_on_the_way_keeps_it() -> None:
    """An observation may wait for what the system does later. A shorter form that shows nothing is not what a person gets."""
    lines = (WHEN, DONE, WHEN, DONE, SEEN)

    assert reported(finding(*lines), lambda _: False, SPEECH) == lines


def test_a_set_up_that_was_refused_is_asked_for() -> None:
    """A scenario of Givens judges nothing: not on the broken system, and not on a healthy one."""
    broken, healthy = (trials(TABLE, "kafka", defect) for defect in ("no-epoch-bump", None))
    found = broken.find(('A takes input from inputs for "workers"', "B begins a transaction", "B has aborted", "B aborts"))

    assert found is not None
    assert (found.how, found.lines[-1].text) == ("refused", "B has aborted")
    said = reported(found, lambda lines: broken.shows(lines, found), SPEECH)
    assert [f"{line.kind} {line.text}" for line in said[-2:]] == ["When B aborts", "Then it is done"]
    assert broken.shows(said, found)
    assert healthy._play(said, frozenset(), None).error is None


def test_a_set_up_that_no_request_says_stays_one() -> None:
    """Only what a client requests can be judged by its answer."""
    found = finding(*given("a writer A"))
    refused = ExploredFinding(found.acts, found.lines, found.requirement, REFUSED, found.error)

    assert reported(refused, lambda _: True, SPEECH) == found.lines


def test_markup_and_line_ends_of_a_system_stay_in_their_line() -> None:
    """What a system says cannot add steps to a scenario."""
    error = Violation("a", "b\n  Given something else", what="readers")
    text = feature(ExploredFinding(("x",), (SEEN,), "CORE-07", "violated", error), [SEEN], bundled()["CORE-07"], ["crash"], "found")

    assert not re.search(r"^\s*Given something else", text, re.MULTILINE)
    assert "    @needs:crash" in text.splitlines()


def test_reducing_keeps_what_the_finding_needs() -> None:
    """A pair that is only possible together goes together, and another cause is no substitute."""

    def play(acts: Sequence[str]) -> ExploredFinding | None:
        if ("write" in acts) is not ("end" in acts):
            return None
        return finding(SEEN, acts=tuple(acts)) if {"a", "b"} <= set(acts) else None

    found = finding(SEEN, acts=("write", "a", "end", "c", "b"))

    assert reduced(finding(SEEN, acts=("c", "a", "write", "end", "b", "c")), play).acts == ("a", "b")
    assert reduced(found, lambda _: None).acts == found.acts


def known_for(requirement: str, **symptom: str) -> Expectations:
    entry = DeviationEntry(requirement=requirement, symptom=Symptom(**symptom), reason="a test")
    return Expectations((LocatedDeviation(entry, "a test", 1, is_own=True),))


def test_a_deviation_that_is_known_stops_nothing() -> None:
    """A release is searched for what is not known of it; what is known is counted."""
    acts = ("A writes to orders", "a look at orders")
    broken = trials(TABLE, "kafka", "core-kafka-dirty-read")
    known = Trials(broken.table, broken._open, known=known_for("CORE-02", what="^readers of payments$"))

    progress = search.SearchProgress()
    progress.saw(known.play(acts))

    assert (progress.finding, progress.count, progress.known["CORE-02"]) == (None, 1, 1)
    assert broken.play(acts).finding is not None


def test_another_violation_of_a_requirement_that_is_known_to_be_broken_is_found() -> None:
    """One that is a refusal is not what a reader sees, and not a refusal with another error."""
    acts = ("A writes to orders", "a look at orders")
    broken = trials(TABLE, "kafka", "core-kafka-dirty-read")
    refused = Trials(broken.table, broken._open, known=known_for("CORE-02", error="^PRODUCER_FENCED$"))

    finding = refused.find(acts)

    assert finding is not None
    assert finding.requirement == "CORE-02"
