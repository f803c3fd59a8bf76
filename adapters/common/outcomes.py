"""Outcomes, as adapters pass them on."""

from fencepost.contract.outcomes import Done, Outcome


def without_value(outcome: Outcome[object]) -> Outcome[None]:
    """The same outcome, of which only matters that it was done."""
    return Done(None) if isinstance(outcome, Done) else outcome
