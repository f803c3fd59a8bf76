"""Outcomes that adapters share."""

from dataclasses import dataclass

from fencepost.contract.outcomes import Done, Outcome, Unknown


@dataclass(frozen=True)
class Unreachable(Unknown):
    """No connection could be made, so nothing was sent. `Recorder.unreachable` interprets it for a scenario."""

    lost: bool = True


def without_value(outcome: Outcome[object]) -> Outcome[None]:
    """The same outcome without its value."""
    return Done(None) if isinstance(outcome, Done) else outcome
