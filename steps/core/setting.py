"""The logs and the writers of a scenario."""

from fencepost.steps.outcomes import achieved

from .context import ScenarioContext
from .vocabulary import CORE

_LONG_MS = 60_000
_SHORT_MS = 1_000
"""Long enough for two requests, and over while a scenario waits."""


@CORE.given("the log {name}[ with {values}]")
def log(context: ScenarioContext, name: str, values: tuple[str, ...] | None) -> None:
    """A log that only this scenario uses, with values that were written outside of transactions; empty where none are named."""
    achieved(context.system.create(name), f"making the log {name}")
    for value in values or ():
        achieved(context.system.write(name, value), f"writing {value} to {name}")


@CORE.given("a writer {writer}[ with a {timeout} time-out]")
def a_writer(context: ScenarioContext, writer: str, timeout: str | None) -> None:
    """A writer who has no transaction yet. The system ends its transactions when they are open for longer than the time-out."""
    context.writers[writer] = achieved(context.system.writer(writer, _SHORT_MS if timeout else _LONG_MS), f"becoming writer {writer}")
