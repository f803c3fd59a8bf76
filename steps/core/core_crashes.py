"""Crashes: now, or in the middle of a future request."""

from fencepost.steps.sentence import brings_down, unloads
from fencepost.steps.step_outcomes import achieved

from .core_context import CoreContext, PlannedCrash
from .vocabulary import CORE

POINTS = {
    "right after its answer to": None,
    "before it decides": "before-decision-logged",
    "when it has decided": "after-decision-logged",
    "when it has notified one of the logs of": "after-marker-written",
    "when it has notified all of the logs of": "before-complete-logged",
}
"""The moments, with the points of the system's own code. A group from which input is taken is notified like a log."""


RELOAD = CORE.act(
    given="{log} has been reloaded",
    when="{log} is reloaded",
    meaning="The log is taken off its node, and served again from what was stored: an unload of a topic, or a restart of its broker.",
)


@CORE.given("the system has crashed and restarted")
@brings_down("crash")
def has_crashed(context: CoreContext) -> None:
    """A power cut, and a restart with what was durable."""
    context.session.faults.crash()
    context.session.faults.restart()


@RELOAD.given
@unloads
@brings_down("reload")
def has_been_reloaded(context: CoreContext, log: str) -> None:
    achieved(context.system.reload(log), f"reloading {log}")


@RELOAD.when
@unloads
@brings_down("reload")
def is_reloaded(context: CoreContext, log: str) -> None:
    context.ask(context.system.reload(log))


@CORE.given("the system crashes {moment} the next {end} of {writer}")
@brings_down("crash")
def crashes(context: CoreContext, moment: str, end: str, writer: str) -> None:
    """The power fails at this moment of the writer's next request for this end, and the system restarts with what was durable.

    A request that is to be answered before the crash must succeed, or the question cannot be put.
    """
    context.arm(PlannedCrash(writer, end == "commit", POINTS[moment], decides=moment != "before it decides"))
