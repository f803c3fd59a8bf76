"""The linter: every trap and every rule of form is seen caught, and the bundled features are clean."""

import pytest

from fencepost.contract import gherkin, register
from fencepost.contract.register import Register, Requirement
from fencepost.lint import lint

STATEMENT = "Something holds."
GOOD = f"""Feature: Something
  Prose.

  Background:
    Given a world

  @KIP1-01 @MUST
  Rule: {STATEMENT}

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
    fields = {"id": "KIP1-01", "level": "MUST", "source": "specified", "section": "s", "statement": STATEMENT, "check": "c"}
    return Register({"kip1": (Requirement.model_validate(fields | changes),)})


def faults(text: str, known: Register | None = None) -> list[str]:
    return lint([gherkin.parse("kip1/some.feature", text)], known or rows())


def test_the_bundled_features_are_clean() -> None:
    """What is delivered keeps its own rules."""
    assert lint(gherkin.bundled(), register.bundled()) == []


def test_a_good_feature_is_clean() -> None:
    """The linter has no fault to find in the form that it asks for."""
    assert faults(GOOD) == []


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("[2] Second", "[1] First", "some.feature:16: '[1] First' stands in line 10 too"),
        (FIRST, FIRST.replace("Given", "Givn"), "10: prose in a scenario, perhaps a misspelt step: 'Givn a thing'"),
        ("    Given a world", "    Gven a world", "1: prose in a Background, perhaps a misspelt step: 'Gven a world'"),
        ("      And nothing else does\n", EXAMPLES, "tags on Examples reach no hook"),
        ("@KIP1-01 @MUST", "@MUST", "needs the tag of a registered requirement; it has @MUST"),
        ("@KIP1-01 @MUST", "@KIP1-02 @MUST", "needs the tag of a registered requirement"),
        ("@KIP1-01 @MUST", "@KIP1-01 @SHOULD", "must be @KIP1-01 @MUST; they are @KIP1-01 @SHOULD"),
        ("Rule: Something", "Rule: Anything", "the title must be the statement of KIP1-01"),
        ("[2] Second", "[3] Second", "scenario 2 of its Rule must be called '[2] ...'"),
        ("[2] Second", "Second", "it is called 'Second'"),
        ("@needs:crash", "@needs:crahs", "@needs:crahs is not known; a scenario may have @needs:crash"),
        ("@needs:crash", "@slow", "@slow is not known"),
        ("      And nothing else does\n", "      When it is undone\n", "steps must go from Given over When to Then"),
        ("      And nothing else does\n", "      And a\n      And b\n      And c\n      And d\n", "7 steps; more than 6"),
        ("      When it is done\n      Then it shows\n      And", "      Then it shows\n      And", "has one When; this one has 0"),
        ("      Then it shows\n      And nothing else does\n", "", "a scenario without a Then judges nothing"),
        ("Feature: Something", "@slow\nFeature: Something", "@slow on a Feature"),
        ("  @KIP1-01 @MUST", STRAY + "  @KIP1-01 @MUST", "outside of a Rule stands for no requirement"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_line(before: str, after: str, told: str) -> None:
    """One fault in the good feature is found, and named."""
    assert before in GOOD

    assert any(told in fault for fault in faults(GOOD.replace(before, after)))


def test_two_rules_for_one_requirement_are_a_fault() -> None:
    """A requirement has one Rule."""
    twice = GOOD + GOOD[GOOD.index("  @KIP1-01") :].replace("First", "Third").replace("Second", "Fourth")

    assert any("KIP1-01 has a Rule already" in fault for fault in faults(twice))


def test_a_tested_row_without_a_rule_is_a_fault() -> None:
    """A row that nothing tests must say so."""
    assert faults("Feature: Empty\n") == ["kip1: KIP1-01 is neither planned nor excluded, and no Rule carries its tag"]


def test_a_planned_row_with_a_rule_is_a_fault() -> None:
    """A row that is tested must not be called planned."""
    assert any("KIP1-01 is planned in the register, and has a Rule" in fault for fault in faults(GOOD, rows(planned=True)))
