"""The linter: every trap, every rule of form and every fault of wording is seen caught, and the bundled features are clean."""

from collections.abc import Callable

import pytest

from fencepost.contract import gherkin, register
from fencepost.contract.register import Register, Requirement
from fencepost.run import sentence_lint
from fencepost.run.feature_lint import lint
from fencepost.steps import vocabularies
from fencepost.steps.sentence import Vocabulary, text
from fencepost.steps.vocabularies import Speech

STATEMENT = "Something holds."
GOOD = f"""Feature: Something
  Prose.

  Background:
    Given a world

  @KIP1-01 @MUST
  Rule: {STATEMENT}
    Without it a thing goes wrong.

    Scenario: [1] First
      Given a thing
      When it is done
      Then it shows

    @needs:crash
    Scenario: [2] Second
      Given a thing
      When it is done
      Then it shows
      And nothing else does
"""

FIRST = "      Given a thing\n      When it is done\n      Then it shows\n\n"
EXAMPLES = "\n      @needs:crash\n      Examples:\n        | a |\n        | 1 |\n"
STRAY = "  Scenario: [1] Stray\n    Given a\n    When b\n    Then c\n\n"


def rows(**changes: object) -> Register:
    fields = {"id": "KIP1-01", "level": "MUST", "source": "text", "section": "s", "statement": STATEMENT, "check": "c"}
    return Register({"kip1": (Requirement.model_validate(fields | changes),)})


def meant(thing: str) -> None:
    """It means something."""


def meant_of_another(other: str) -> None:
    """It means something too."""


def says(*changes: Callable[[Vocabulary], object]) -> Speech:
    """A vocabulary with the sentences of the good feature, changed."""
    made = Vocabulary("made", [text("thing", "thing|world", "a thing, or the world")])
    made.given("a {thing}")(meant)
    made.when("it is done")(meant)
    made.then("it shows")(meant)
    made.then("nothing else does")(meant)
    for change in changes:
        change(made)
    return Speech(made)


def faults(text: str, known: Register | None = None, speech: Speech | None = None) -> list[str]:
    features, spoken = [gherkin.parse("kip1/some.feature", text)], {"kip1": speech} if speech else {}
    return [*lint(features, known or rows(), spoken), *(sentence_lint.unused(features, spoken) if spoken else ())]


def test_the_bundled_features_are_clean() -> None:
    """The features that we deliver follow our own rules."""
    assert lint(gherkin.bundled(), register.bundled(), vocabularies.by_spec()) == []
    assert list(sentence_lint.unused(gherkin.bundled(), vocabularies.by_spec())) == []


def test_a_good_feature_is_clean() -> None:
    """The linter has no fault to find in the form that it asks for."""
    assert faults(GOOD) == []
    assert faults(GOOD, speech=says()) == []
    assert faults(GOOD.replace("@MUST", "@MUST @commits @sealing")) == []
    assert faults(GOOD.replace("Feature:", "@needs:reload\nFeature:")) == []
    assert faults(GOOD.replace("goes wrong.", "goes wrong. A client whose epoch is two behind, and who retries, fails.")) == []


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        ("[2] Second", "[1] First", "some.feature:17: '[1] First' stands in line 11 too"),
        (FIRST, FIRST.replace("Given", "Givn"), "11: prose in a scenario, perhaps a misspelt step: 'Givn a thing'"),
        ("    Given a world", "    Gven a world", "1: prose in a Background, perhaps a misspelt step: 'Gven a world'"),
        ("      And nothing else does\n", EXAMPLES, "tags on Examples reach no hook"),
        ("    Without it a thing goes wrong.\n", "", "KIP1-01 needs a description below its Rule"),
        ("goes wrong.\n\n    Scenario: [1]", "goes wrong.\n\n    Scenari: [1]", "'Scenari: [1] ' in the description of KIP1-01"),
        ("@KIP1-01 @MUST", "@MUST", "needs the tag of a registered requirement; it has @MUST"),
        ("@KIP1-01 @MUST", "@KIP1-02 @MUST", "needs the tag of a registered requirement"),
        ("@KIP1-01 @MUST", "@KIP1-01 @SHOULD", "must be @KIP1-01 @MUST, and its themes out of @commits, @aborts"),
        ("@KIP1-01 @MUST", "@KIP1-01 @MUST @sealnig", "they are @KIP1-01 @MUST @sealnig"),
        ("Rule: Something", "Rule: Anything", "the title must be the statement of KIP1-01"),
        ("[2] Second", "[3] Second", "scenario 2 of its Rule must be called '[2] ...'"),
        ("[2] Second", "Second", "it is called 'Second'"),
        ("@needs:crash", "@needs:crahs", "@needs:crahs is not known; a scenario may have @needs:crash"),
        ("@needs:crash", "@slow", "@slow is not known"),
        ("      And nothing else does\n", "      When it is undone\n", "steps must go from Given over When to Then"),
        ("      And nothing else does\n", "      And a\n      And b\n      And c\n      And d\n      And e\n", "8 steps; more than 7"),
        ("      When it is done\n      Then it shows\n      And", "      Then it shows\n      And", "has one When; this one has 0"),
        ("      Then it shows\n      And nothing else does\n", "", "a scenario without a Then judges nothing"),
        ("Feature: Something", "@slow\nFeature: Something", "@slow on a Feature"),
        ("Feature: Something", "@needs:crash\nFeature: Something", "@needs:crash stands on the Feature too"),
        ("    Scenario: [1]", "    @needs:crash\n    Scenario: [1]", "some.feature:1: every scenario has @needs:crash; expected it once"),
        ("Prose.", "Prose beside it.", "some.feature:1: the word 'beside': write concurrently with, next to"),
        ("a thing goes wrong", "nobody knows", "some.feature:8: the word 'nobody': write the actor"),
        ("goes wrong.", "goes wrong. Who reads is lost.", "some.feature:8: the word 'Who': write A client that"),
        ("[2] Second", "[2] A commit behind the timeout", "some.feature:17: the word 'behind the': write after"),
        ("[2] Second", "[2] A commit behind the time-out", "some.feature:17: the word 'time-out': write timeout"),
        ("[1] First", "[1] A client is told the end", "some.feature:11: the word 'told': write reports, returns, notifies"),
        ("  @KIP1-01 @MUST", STRAY + "  @KIP1-01 @MUST", "outside of a Rule stands for no requirement"),
    ],
)  # fmt: skip
def test_a_fault_is_reported_with_its_line(before: str, after: str, reported: str) -> None:
    """One fault in the good feature is found, and named."""
    assert before in GOOD

    assert any(reported in fault for fault in faults(GOOD.replace(before, after)))


def test_two_rules_for_one_requirement_are_a_fault() -> None:
    """A requirement has one Rule."""
    twice = GOOD + GOOD[GOOD.index("  @KIP1-01") :].replace("First", "Third").replace("Second", "Fourth")

    assert any("KIP1-01 has a Rule already" in fault for fault in faults(twice))


def test_a_tested_row_without_a_rule_is_a_fault() -> None:
    """A row that no scenario tests must be marked as such."""
    assert faults("Feature: Empty\n") == ["kip1: KIP1-01 is neither planned nor excluded, and no Rule carries its tag"]


def test_a_planned_row_with_a_rule_is_a_fault() -> None:
    """A row with scenarios must not be marked as planned."""
    assert any("KIP1-01 is planned in the register, and has a Rule" in fault for fault in faults(GOOD, rows(planned=True)))


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        (
            "      And nothing else",
            "      And nothing",
            "some.feature:21: no sentence parses Then 'nothing does'; the nearest is 'nothing else does'",
        ),
        (
            "When it is done\n      Then it shows\n      And",
            "When it shows\n      Then it shows\n      And",
            "19: no sentence parses When 'it shows'",
        ),
        ("    Given a world", "    Given a word", "5: no sentence parses Given 'a word'; the nearest is 'a {thing}'"),
        ("[2] Second", "[2] First", "17: 'First' is the title in line 11 too; say what differs"),
        ("      And nothing else does\n", "", "no step uses this sentence of made: Then nothing else does"),
    ],
)
def test_a_fault_of_wording_is_reported_with_its_line(before: str, after: str, reported: str) -> None:
    """A step that is not in the vocabulary, or that is ambiguous, is found."""
    assert before in GOOD

    assert any(reported in fault for fault in faults(GOOD.replace(before, after), speech=says()))


@pytest.mark.parametrize(
    ("added", "reported"),
    [
        (lambda made: made.then("it shows")(meant), "Then 'it shows' says the same as "),
        (lambda made: made.given("a {other:thing}")(meant_of_another), "Given 'a {other:thing}' says the same as "),
        (lambda made: made.given("a world")(meant), "some.feature:5: two sentences parse Given 'a world': "),
        (lambda made: made.when("it is undone")(meant), "no step uses this sentence of made: When it is undone"),
    ],
)
def test_a_fault_of_a_vocabulary_is_reported_with_its_place(added: Callable[[Vocabulary], object], reported: str) -> None:
    """Sentences that exist twice, that mean the same step, or that no feature uses."""
    found = faults(GOOD, speech=says(added))

    assert any(reported in fault and "test_lint.py:" in fault for fault in found), found


def test_a_step_of_an_outline_is_looked_at_with_each_row() -> None:
    """An example that makes a step which no sentence parses is found."""
    rows_of = "      And nothing <else> does\n\n      Examples:\n        | else |\n        | else |\n        | more |\n"
    outline = GOOD.replace("Scenario: [2]", "Scenario Outline: [2]").replace("      And nothing else does\n", rows_of)

    assert faults(outline, speech=says()) == [
        "kip1/some.feature:21: no sentence parses Then 'nothing more does'; the nearest is 'nothing else does'"
    ]


def test_a_proposal_whose_sentences_are_not_known_is_not_looked_at() -> None:
    """Its words belong to another package."""
    assert lint([gherkin.parse("kip1/some.feature", GOOD)], rows(), {"kip2": Speech(())}) == []
