"""What exploration makes of a finding: a small scenario, and nothing if the release is known for it."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from exploring import always, scenario_of, trials

from fencepost.contract.evidence import Violation
from fencepost.contract.register import bundled
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.symptom import Symptom
from fencepost.deviations.known_deviations import DeviationEntry, Expectations, LocatedDeviation
from fencepost.explore import search
from fencepost.explore.finding_scenario import feature, reported
from fencepost.explore.named_requirement import named
from fencepost.explore.reduction import reduced, without_lines
from fencepost.explore.trial import REFUSED, ExploredFinding, Trials
from fencepost.reference.defects import DEFECTS
from fencepost.run.options import RunOptions
from fencepost.steps.acts.act import Act, ActLine, act_title
from fencepost.steps.acts.core import TABLE
from fencepost.steps.acts.tables import table_of
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


@pytest.mark.parametrize(
    ("defect", "acts", "asked", "named_one"),
    [
        ("core-kafka-second-log-forgotten-by-crash", ("A writes to orders", "A writes to payments", "a crash"), "CORE-25", "CORE-24"),
        ("core-kafka-dirty-read", ("A writes to orders", "a look at orders"), "CORE-02", "CORE-02"),
    ],
)
def test_a_finding_names_a_requirement_whose_scenarios_fail(defect: str, acts: Sequence[str], asked: str, named_one: str) -> None:
    """The first one of its sequence, and its own before the others. Where bundled scenarios violate none of these, it is its own."""
    found = trials(TABLE, "kafka", defect).find(acts)
    assert found is not None
    assert found.requirement == asked

    options = [RunOptions(asked=SpecifiedSystem(of)) for of in ({"defect": defect}, {})]

    assert [named(found, TABLE, "kafka", one) for one in options] == [named_one, asked]


def test_what_a_finding_does_not_need_is_left_out() -> None:
    """Each line without which the system shows the same, and a conforming one meets the rest; where that one meets nothing, all stay."""
    made, crash, wrote = given("the log orders", "the system has crashed and restarted", 'A has written "a1" to orders')
    lines = (made, DONE, crash, wrote, WHEN, SEEN)

    def is_met(said: Sequence[ActLine]) -> bool:
        return wrote in said

    def shows(said: Sequence[ActLine]) -> bool:
        return crash in said and WHEN in said

    assert reported(finding(*lines), shows, SPEECH, is_met) == (crash, wrote, WHEN, SEEN)
    assert reported(finding(*lines), shows, SPEECH) == (made, crash, wrote, WHEN, SEEN)


def test_a_line_is_left_out_with_its_values() -> None:
    """A consumer that had received them has received the others."""
    topic, batch, received = given(
        'the topic "inputs" with "i1"', 'a batch of "b1", "b2" has been written to inputs', 'received "i1", "b1", "b2"'
    )

    def shows(some: Sequence[ActLine]) -> bool:
        return topic in some and "received" in some[-2].text and (batch in some) is ("b2" in some[-2].text)

    assert without_lines((topic, batch, received, SEEN), shows) == (topic, received._replace(text='received "i1"'), SEEN)


@pytest.mark.parametrize(
    ("spec", "apart", "as_one"),
    [
        ("core", ('A has written "a1" to orders', "A has committed"), 'A has committed "a1" to orders'),
        ("pip31", ("transaction A", "transaction B"), "transactions A and B"),
        ("pip31", ('the topic "inputs"', 'the topic "orders"'), 'the topics "inputs" and "orders"'),
        (
            "kip890",
            ('producer E with transactional id "east"', 'producer F with transactional id "west"'),
            'producers E and F with transactional ids "east" and "west"',
        ),
        ("core", ("a writer A", "a writer B"), None),
    ],
)
def test_givens_that_one_sentence_says_are_one(spec: str, apart: tuple[str, str], as_one: str | None) -> None:
    """If the vocabulary has such a sentence, and the scenario shows the same with it."""
    lines = (*given(*apart), SEEN)

    said = reported(finding(*lines), lambda _: True, speech_of(spec), lambda some: some == lines or as_one in {one.text for one in some})

    assert said == ((*given(as_one), SEEN) if as_one else lines)


def test_a_single_when_becomes_a_given() -> None:
    """If not all of them can."""
    wrote = ActLine("When", 'A writes "a1" to orders', "CORE-07", 'A has written "a1" to orders')
    lines = (wrote, WHEN, WHEN, SEEN)

    def is_as_good(some: Sequence[ActLine]) -> bool:
        return len(some) == len(lines) and some[1] == WHEN

    said = reported(finding(*lines), is_as_good, SPEECH, is_as_good)

    assert [line.kind for line in said] == ["Given", "When", "When", "Then"]


def test_a_finding_that_is_wrong_in_another_way_is_another() -> None:
    """A shorter scenario of the same requirement may show something else."""
    broken = trials(TABLE, "kafka", "core-kafka-dirty-read")
    found = broken.find(("A writes to orders", "a look at orders"))
    assert found is not None
    other = replace(found, error=Violation("a", "b", what="answer to EndTxn"))

    assert broken.shows(found.lines, found)
    assert not broken.shows(found.lines, other)


SIX_STEPS = {
    "core": [
        "no-epoch-bump",
        "core-kafka-aborted-is-committed",
        "core-kafka-dirty-read",
        "core-kafka-input-comes-again",
        "core-kafka-input-lost",
        "core-kafka-late-commit-accepted",
        "core-kafka-order-turned",
        "core-pulsar-committed-passes-followers-by",
        "core-pulsar-open-input-given",
        "core-pulsar-pending-input-given-away",
        "core-scalable-late-write-shown",
        "core-scalable-open-input-given",
        "core-scalable-seconds-for-milliseconds",
    ],
    "kip890": [
        "no-epoch-bump",
        "fenced-offsets-drop-pending-ones",
        "marker-of-offsets-tried-once",
        "old-clients-unverified",
        "one-bad-offset-spoils-all",
        "refused-marker-raises-producer-epoch",
    ],
    "pip31": [
        "attached-miss-the-committed",
        "pulsar-abort-of-a-commit-succeeds",
        "pulsar-repeated-abort-is-refused",
        "pulsar-repeated-commit-is-refused",
    ],
}
"""Defects of each proposal that exploration finds soon."""


@pytest.mark.parametrize(("spec", "name"), [(spec, name) for spec, names in SIX_STEPS.items() for name in names])
def test_a_defect_is_found_as_a_scenario_of_six_steps(spec: str, name: str) -> None:
    """Whatever sequence was drawn. The scenario fails on the broken system, and the conforming one meets it."""
    broken, conforming = (trials(table_of(spec), DEFECTS[name].protocol, defect) for defect in (name, None))
    found = search.drawn(broken, 400, 10, 1, always).finding
    assert found is not None

    lines = scenario_of(broken, conforming, found)

    assert len(lines) <= 6, lines
    assert conforming.meets(lines, found)


def test_acts_are_printed_and_chosen_without_what_distinguishes_them() -> None:
    """The requirement that an episode is about, and the place of a value that was not written yet."""
    name = 'a topic "waste" with 1 partition; idempotent producer I; I has written "{u}" to waste-0; I writes "more" to waste-0 (231)'
    act = Act(name, lambda _: True, lambda _: [])
    title = act_title(name)

    assert title == name.replace("{u}", "u").removesuffix(" (231)")
    assert act_title("A begins; A ends (31, a case)") == "A begins; A ends"
    assert act_title("A has left (and B too)") == "A has left (and B too)"
    assert act.is_named(name)
    assert act.is_named(title)
    assert not act.is_named("a topic")


def test_a_scenario_is_named_by_what_it_asks() -> None:
    """What is requested last, and what is expected then."""
    text = feature(finding(SEEN), [*given("the log orders"), WHEN, SEEN], bundled()["CORE-07"], [], "found")

    assert '    Scenario: [1] A commits: readers of orders see "a1"' in text.splitlines()


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
