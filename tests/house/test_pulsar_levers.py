"""Levers that only some brokers have are named by the scenarios that pull them, so that no other broker is asked."""

import re

from fencepost.contract.gherkin import bundled

LEVERS = {
    "held-ends": re.compile(r"is held up$|^the (commit|abort|<end>) of [A-Z] is incomplete"),
    "participant-ends": re.compile(r'^("[a-z]+"|[a-z]+) (has been|is) asked to (commit|abort) [A-Z]$'),
    "buffer-statistics": re.compile(r"^nothing of [A-Z] is pending in "),
}
RULES = [(feature, rule) for feature in bundled() if feature.spec == "pip31" for rule in feature.rules]


def missing(lever: str, pulled: re.Pattern[str]) -> list[str]:
    return [
        f"{feature.path}:{scenario.line}"
        for feature, rule in RULES
        for scenario in rule.scenarios
        if any(pulled.search(step.text) for step in (*feature.background, *rule.background, *scenario.steps))
        and f"needs:{lever}" not in scenario.tags
    ]


def test_a_scenario_names_the_levers_that_it_pulls() -> None:
    """Each lever in a step is a capability in a tag of the scenario."""
    for lever, pulled in LEVERS.items():
        assert missing(lever, pulled) == []


def test_every_lever_is_pulled_somewhere() -> None:
    """The patterns still match the sentences: without its tag, some scenario would be found."""
    for pulled in LEVERS.values():
        assert missing("no such lever", pulled)
