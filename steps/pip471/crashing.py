"""Crashes at the points of a broker's own code."""

from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.settling import let_pass
from fencepost.steps.step_outcomes import achieved

from .vocabulary import PIP471

_TAKEN_OVER_S = 2.0
"""Within this time another broker takes over what a broker had that is gone."""


@PIP471.given("the first coordinator has moved to another broker, since its own had crashed")
def coordinator_has_moved(context: PulsarContext) -> None:
    """A power cut for its broker alone, which restarts a few seconds later and finds its coordinators and topics at the others."""
    session, before = context.session, _first_coordinators_broker(context)
    session.faults.crash_broker(before)  # type: ignore[attr-defined]  # of those who offer more-brokers
    let_pass(session.time, _TAKEN_OVER_S)
    session.faults.restart()
    if _first_coordinators_broker(context) == before:
        raise SetUpFailed(f"the first coordinator is at {before} again")


def _first_coordinators_broker(context: PulsarContext) -> str:
    broker = achieved(context.client.scalable_coordinators(), "asking for brokers")[0]
    if broker is None:
        raise SetUpFailed("no broker is reported for the first coordinator")
    return broker
