"""A run of pytest's that asks some scenarios only: by -m, -k, --deselect or the name of a test.

A requirement that was asked in part is not met: what was left out might break it. A red is a red all the same.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from fencepost.contract import proposals
from fencepost.contract.gherkin import bundled, requirement_of
from fencepost.contract.verdict import RequirementResult, Verdict

from .expectations import Asking
from .options import Options
from .own_expectations import asked_by


@dataclass(frozen=True)
class Narrowed:
    """What pytest was told, as `by`, and all that is to be asked, by requirement."""

    by: str
    whole: Mapping[str, frozenset[Asking]]
    files: frozenset[str]
    """The features that are known whole; of one of somebody else's nothing is said."""

    @classmethod
    def of(cls, config: pytest.Config, options: Options) -> "Narrowed | None":
        """None where all is asked that the selection names."""
        by = _said(config)
        return cls(by, _whole(options), frozenset(feature.path for feature in bundled())) if by else None

    def judged(self, result: RequirementResult) -> RequirementResult:
        """The verdict, where nothing was left out that could change it."""
        ours = [one for one in result.scenarios if one.feature in self.files]
        left_out = self.whole.get(result.requirement, frozenset()) - set(map(asked_by, ours))
        if not left_out or not ours or result.verdict.is_red:
            return result
        told = f"{len(left_out)} of its {len(self.whole[result.requirement])} scenarios were left out by pytest {self.by}"
        return dataclasses.replace(result, verdict=Verdict.NOT_RUN, reason=told)


def _said(config: pytest.Config) -> str:
    """What narrows a run, as it was said; the empty text where nothing does."""
    said = [f"{option} {value!r}" for option, value in (("-m", config.option.markexpr), ("-k", config.option.keyword)) if value]
    said += [f"--deselect {name}" for name in config.option.deselect or ()]
    said += [argument for argument in config.args if "::" in argument]
    return " ".join(said)


def _whole(options: Options) -> Mapping[str, frozenset[Asking]]:
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
