"""Which scenarios of a requirement were left out: by pytest (-m, -k, --deselect, --lf, the name of a test), or by stopping the run.

A requirement that was asked in part is not met: what was left out might break it. A red requirement stays red. Whatever the reason, what
was left out is found by comparing the judged scenarios with all those of the bundled features.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import pytest

from fencepost.contract import proposals
from fencepost.contract.gherkin import bundled, requirement_of
from fencepost.contract.verdict import RequirementResult, ScenarioResult, Verdict
from fencepost.deviations.known_deviations import Asking
from fencepost.deviations.user_deviations import asked_by

from .options import RunOptions

_SOMEHOW = "(with an option such as --lf, or by a plugin)"


@dataclass(frozen=True)
class Narrowed:
    """The pytest options that leave scenarios out, as `said`, and all scenarios to be asked, by requirement."""

    said: str
    whole: Mapping[str, frozenset[Asking]]
    files: frozenset[str]
    """The features that are completely known; nothing is said about a user's own."""

    @classmethod
    def of(cls, config: pytest.Config, options: RunOptions) -> "Narrowed":
        return cls(_said(config), _whole(options), frozenset(feature.path for feature in bundled()))

    def judged(self, result: RequirementResult, why: Callable[[], str]) -> RequirementResult:
        """The verdict, if nothing was left out that could change it; `why` ends the sentence about the others."""
        ours = [one for one in result.scenarios if one.feature in self.files]
        left_out = self._left_out(result.requirement, ours)
        if not left_out or not ours or result.verdict.is_red:
            return result
        reported = f"{left_out} of its {len(self.whole[result.requirement])} scenarios were {why()}"
        return dataclasses.replace(result, verdict=Verdict.NOT_RUN, reason=reported)

    def by(self, scenarios: Iterable[ScenarioResult], due: Mapping[str, Collection[str]]) -> str | None:
        """What left scenarios out of a run that has ended; None if it asked all that is `due`, by proposal.

        A proposal without an asked scenario was not begun, and so not narrowed: its folder was not named.
        """
        if self.said:
            return self.said
        asked: defaultdict[str, list[ScenarioResult]] = defaultdict(list)
        for one in scenarios:
            if one.feature in self.files:
                asked[one.requirement].append(one)
        begun = (names for names in due.values() if any(name in asked for name in names))
        return _SOMEHOW if any(self._left_out(name, asked[name]) for names in begun for name in names) else None

    def _left_out(self, requirement: str, scenarios: Iterable[ScenarioResult]) -> int:
        return len(self.whole.get(requirement, frozenset()) - set(map(asked_by, scenarios)))


def _said(config: pytest.Config) -> str:
    """The options that narrow a run, as the user gave them; empty if none does."""
    said = [f"{option} {value!r}" for option, value in (("-m", config.option.markexpr), ("-k", config.option.keyword)) if value]
    said += [f"--deselect {name}" for name in config.option.deselect or ()]
    said += [argument for argument in config.args if "::" in argument]
    return " ".join(said)


def _whole(options: RunOptions) -> Mapping[str, frozenset[Asking]]:
    """All that the bundled features ask of the system."""
    found: defaultdict[str, set[Asking]] = defaultdict(set)
    spoken = options.protocols()
    for feature in bundled():
        protocols = [name for name in proposals.bundled().protocols_of(feature.spec) if name in spoken]
        for rule in feature.rules:
            identifier = requirement_of(rule.tags) or ""
            for scenario in rule.scenarios:
                examples = range(1, len(scenario.rows) + 1) if scenario.rows else (None,)
                found[identifier] |= {Asking(identifier, scenario.name, protocol, row) for protocol in protocols for row in examples}
    return {identifier: frozenset(asked) for identifier, asked in found.items()}
