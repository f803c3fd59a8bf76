"""Logs that are closed for writing."""

from fencepost.steps.step_outcomes import achieved

from .core_context import CoreContext
from .vocabulary import CORE

SEAL = CORE.act(
    given="{log} has been sealed",
    when="{log} is sealed",
    meaning="The log is closed for all writes, in the way that the system has for that: a segment of a scalable topic is split. What is in "
    "it stays.",
)


@SEAL.given
def has_been_sealed(context: CoreContext, log: str) -> None:
    achieved(context.system.seal(log), f"sealing {log}")


@SEAL.when
def is_sealed(context: CoreContext, log: str) -> None:
    context.ask(context.system.seal(log))
