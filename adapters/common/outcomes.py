"""Outcomes, as adapters pass them on."""

from dataclasses import dataclass

from fencepost.contract.outcomes import Done, Outcome, Unknown


@dataclass(frozen=True)
class Unreachable(Unknown):
    """No connection could be made, so nothing was sent. `Recorder.unreachable` says what that means in a scenario."""

    lost: bool = True


def without_value(outcome: Outcome[object]) -> Outcome[None]:
    """The same outcome, of which only matters that it was done."""
    return Done(None) if isinstance(outcome, Done) else outcome
