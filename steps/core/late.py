"""Writes that come late, and writes that come twice."""

from .context import ScenarioContext
from .vocabulary import CORE

LATE_WRITE = CORE.act(
    given="{writer} has tried to write {value} to {log} in the transaction that it ended",
    when="{writer} writes {value} to {log} in the transaction that it ended",
    meaning="A write that belongs to the writer's last transaction reaches the log when that is over, as a request does that was held up "
    "on its way. The Given takes any answer.",
)


@LATE_WRITE.given
def has_tried_to_write_late(context: ScenarioContext, writer: str, value: str, log: str) -> None:
    context.writers[writer].write_late(log, value)


@LATE_WRITE.when
def writes_late(context: ScenarioContext, writer: str, value: str, log: str) -> None:
    context.ask(context.writers[writer].write_late(log, value))


@CORE.given("{writer} has sent its last write to {log} again")
def has_sent_again(context: ScenarioContext, writer: str, log: str) -> None:
    """The same write was sent once more on the same connection, as by a writer that got no receipt, whatever came of it."""
    context.writers[writer].write_again(log)
