"""The twins of a requirement: which disturbances its scenarios are played again with, and what these may change, with the reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.contract import proposals
from fencepost.contract.register import Register
from fencepost.run.plays import plays_of
from fencepost.run.selection import Selection
from fencepost.twins import allowed_differences, disturbances
from fencepost.twins.allowed_differences import TwinException
from fencepost.twins.disturbances import Disturbance


@dataclass(frozen=True)
class FittingDisturbance:
    """A disturbance with the number of twins that it has, and what it may change. `why_not` has the reasons where it has none."""

    disturbance: Disturbance
    twins: int
    exceptions: tuple[TwinException, ...]
    why_not: tuple[str, ...]


def of_requirements(register: Register, specs: Sequence[str]) -> dict[str, list[FittingDisturbance]]:
    """For each requirement of these proposals that has scenarios the disturbances that fit its proposal."""
    twins: dict[str, Counter[str]] = {}
    why_not: dict[tuple[str, str], dict[str, None]] = {}
    all_of = disturbances.bundled().by_name
    titles = proposals.bundled()
    for play in plays_of(register, Selection(specs=tuple(specs)), lambda one: titles.protocols_of(register.spec_of(one))):
        counted = twins.setdefault(play.requirement, Counter())
        for name, one in all_of.items():
            if one.fits(play.feature.spec, play.protocol):
                counted[name] += len(one.positions(play.steps, play.needs, play.protocol))
                reasons = (each.because for each in one.not_with if each.capability in play.needs)
                why_not.setdefault((play.requirement, name), {}).update(dict.fromkeys(reasons))
    return {
        requirement: [
            FittingDisturbance(all_of[name], count, _exceptions(requirement, name), tuple(why_not[requirement, name]))
            for name, count in counted.items()
            if count or why_not[requirement, name]
        ]
        for requirement, counted in twins.items()
    }


def _exceptions(requirement: str, disturbance: str) -> tuple[TwinException, ...]:
    return tuple(one for one in allowed_differences.bundled() if one.requirement == requirement and disturbance in one.disturbances)
