"""The logs and the writers of a scenario."""

from fencepost.contract.outcomes import Done
from fencepost.steps.step_outcomes import achieved

from .core_context import SHORT_MS, CoreContext
from .vocabulary import CORE

_LONG_MS = 180_000


@CORE.given("the[ {policy}] log {name}[ with {values}]")
def log(context: CoreContext, policy: str | None, name: str, values: tuple[str, ...] | None) -> None:
    """A log that only this scenario uses, with values that were written outside of transactions; empty where none are named."""
    achieved(context.system.create(name, deduplicating=policy is not None), f"making the log {name}")
    for value in values or ():
        achieved(context.system.write(name, value), f"writing {value} to {name}")


@CORE.given("a follower of {log}")
def a_follower(context: CoreContext, log: str) -> None:
    """A reader of committed data that is attached from now on, and has read all earlier values that it may see."""
    context.followers[log] = achieved(context.system.follow(log), f"following {log}")
    has_read_on(context, log)


@CORE.given("the follower of {log} has read on")
def has_read_on(context: CoreContext, log: str) -> None:
    """It has received all that readers of committed data may see now."""
    achieved(context.followers[log].seen(), f"reading on in {log}")


@CORE.given("a {instance} {writer}[ with a {timeout} timeout]")
def a_writer(context: CoreContext, instance: str, writer: str, timeout: str | None) -> None:  # noqa: ARG001 - the words differ only
    """A writer that has no transaction yet. The system ends its transactions when they are open for longer than the timeout. A new instance
    replaces the writer of that name: the old one is gone.
    """
    context.ended.discard(writer)
    context.writers[writer] = achieved(context.system.writer(writer, SHORT_MS if timeout else _LONG_MS), f"becoming writer {writer}")


@CORE.when("a new writer {writer} {ends} {value} to a new log {name}")
def begins(context: CoreContext, writer: str, ends: str, value: str, name: str) -> None:
    """All that a first transaction needs, each step after the one before has succeeded: the log, the writer, one write and its end."""
    context.ask(context.system.create(name))
    if isinstance(context.answer, Done):
        made = context.system.writer(writer, _LONG_MS)
        context.ask(made)
        if isinstance(made, Done):
            context.writers[writer] = made.value
            context.ask(context.write(writer, name, value))
            if isinstance(context.answer, Done):
                context.ask(context.end(writer, ends == "commits"))
