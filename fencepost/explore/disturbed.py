"""Disturbances of twins as acts: a random sequence may have one of them, between two acts or throughout.

They are those of `fixtures/disturbances.yaml`, performed by the code that performs them in twins, and kept out of the same places. The
sequence is played without the disturbance first, so that what is found with it is the disturbance's.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fencepost.adapters.offered_at_once import offered_at_once
from fencepost.adapters.twins.performer import Performer, Undisturbed
from fencepost.adapters.twins.performers import performers_of
from fencepost.contract.ports import Session
from fencepost.steps.acts.act import DISTURBANCE, RACES, WHOLE, Act, ActLine, Script, Table
from fencepost.twins import allowed_differences, disturbances
from fencepost.twins.allowed_differences import TwinException
from fencepost.twins.disturbances import Disturbance


@dataclass(frozen=True)
class DisturbedTable:
    """A table of acts with the disturbances that fit it, and what these may change. `of` makes it."""

    table: Table[Any]
    protocol: str
    exceptions: tuple[TwinException, ...] = ()

    @classmethod
    def of(
        cls,
        table: Table[Any],
        protocol: str,
        capabilities: Collection[str],
        profile: str | None,
        variants: Collection[str],
        *,
        on_broker: bool = False,
    ) -> "DisturbedTable":
        """The table with what a system with these capabilities offers; `profile` and `variants` say what it may do in its own way.

        `on_broker` says that it is a broker with this profile, and not the reference.
        """
        fitting = [one for one in disturbances.bundled().by_name.values() if one.fits(table.spec, protocol)]
        acts = tuple(_act(one, table) for one in fitting if set(one.needs) <= set(capabilities))
        known = tuple(one for one in allowed_differences.bundled() if one.is_for(profile, variants, on_broker=on_broker))
        return cls(replace(table.offered(capabilities), disturbances=acts, at_once=offered_at_once(protocol)), protocol, known)

    def begin(self, name: str, session: Session, undisturbed: Undisturbed) -> Performer:
        """Begin to disturb a session that was just opened."""
        performer = performers_of(self.protocol)[name](session, undisturbed)
        performer.begin()
        return performer

    def has_place(self, lines: Sequence[ActLine]) -> bool:
        """Whether the disturbance may be where these lines have it. That is known when all are there: what acts use is made first.

        Capabilities that it may not be with are not asked about here: no other act of the sequence needs them, and its own do not count.
        """
        number = next(number for number, line in enumerate(lines) if line.kind == DISTURBANCE)
        steps = [line.step for line in lines if line.kind != DISTURBANCE]
        places = disturbances.bundled().by_name[lines[number].text].positions(steps, frozenset(), self.protocol)
        return None in places or number in places

    def may_differ(self, name: str, requirement: str, difference: str) -> bool:
        """Whether a disturbance may change this in some scenario of the requirement, and so in a sequence, whose acts are like it."""
        return allowed_differences.find(self.exceptions, name, requirement, None, difference) is not None


def disturbance_in(lines: Sequence[ActLine]) -> str | None:
    """The name of the disturbance that these lines have."""
    return next((line.text for line in lines if line.kind == DISTURBANCE), None)


def _act(one: Disturbance, table: Table[Any]) -> Act[Any]:
    def fits(script: Script[Any]) -> bool:
        return disturbance_in([line for line, _ in script.lines]) is None

    excludes = frozenset({RACES, *(each.capability for each in one.not_with), *((WHOLE,) if one.family == "split" else ())})
    return Act(
        f"the disturbance {one.name}",
        _always,
        partial(_line, one.name, table.hears),
        (),
        frozenset(one.needs),
        excludes=excludes,
        fits=fits,
    )


def _always(_: object) -> bool:
    return True


def _line(name: str, hears: Callable[[Any, str], None], model: Any) -> list[ActLine]:
    hears(model, name)
    return [ActLine(DISTURBANCE, name, "")]
