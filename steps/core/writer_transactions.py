"""What writers do in transactions, and outside of them."""

from collections.abc import Iterator

from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.contract.ports import PassesTime
from fencepost.steps.step_outcomes import achieved, unanswered

from .core_context import SHORT_MS, CoreContext
from .vocabulary import CORE

WRITE = CORE.act(
    given="{writer} has written {values} to {log}[ {speed}]",
    tried="{writer} has tried to write {value} to {log}[ {late}]",
    when="{writer} writes {values} to {log}[ {speed}][ {late}]",
    meaning="Writes in the writer's transaction, which the first of them opens where none is open; each is asked for when the one before "
    "it was acknowledged, unless it is said that all are sent at once. It is open after the Given. A late write belongs to the writer's "
    "last transaction, and reaches the log when that is over, as a delayed request does. An attempt is sent once, and takes any answer.",
)
PLAIN_WRITE = CORE.act(
    given="{value} has been written to {log}",
    when="{value} is written to {log}",
    meaning="A write outside of all transactions.",
)
COMMIT_A_WRITE = CORE.act(
    given="{writer} has committed {value} to {log}",
    when="{writer} commits {value} to {log}",
    meaning="One write in the writer's transaction, which it opens where none is open, and the commit. A refused write is the answer to "
    "the When. After the Given the transaction is over.",
)
END = CORE.act(
    given="{writer} has {ended}",
    tried="{writer} has tried to {end}[ {again}]",
    when="{writer} {ends}[ {again}]",
    meaning="The end of the writer's open transaction, or of the one that was ended last, as by a client that got no answer and that a "
    "new instance may have replaced since. After the Given the transaction is over: decided, and known to all participants. An attempt is "
    "sent once, and takes any answer.",
)
LEAVE_OPEN = CORE.act(
    given="{writer} has left its transaction open past its timeout",
    when="{writer} leaves its transaction open past its timeout",
    meaning="The writer does nothing, and the system is watched until the transaction is over or patience ends.",
)


@WRITE.given
def has_written(context: CoreContext, writer: str, values: tuple[str, ...], log: str, speed: str | None) -> None:
    for value, answer in zip(values, _written(context, writer, values, log, speed), strict=True):
        achieved(answer, f"writing {value} to {log}")


@WRITE.when
def writes(context: CoreContext, writer: str, values: tuple[str, ...], log: str, speed: str | None, late: str | None) -> None:
    if late:
        for value in values:
            context.ask(context.writers[writer].write_late(log, value))
        return
    for answer in _written(context, writer, values, log, speed):
        context.ask(answer)
        if not isinstance(answer, Done):
            break


@PLAIN_WRITE.given
def has_been_written(context: CoreContext, value: str, log: str) -> None:
    achieved(context.system.write(log, value), f"writing {value} to {log}")


@PLAIN_WRITE.when
def is_written(context: CoreContext, value: str, log: str) -> None:
    context.ask(context.system.write(log, value))


@COMMIT_A_WRITE.given
def has_committed_a_write(context: CoreContext, writer: str, value: str, log: str) -> None:
    achieved(context.write(writer, log, value), f"writing {value} to {log}")
    _has_ended(context, writer, commit=True)


@COMMIT_A_WRITE.when
def commits_a_write(context: CoreContext, writer: str, value: str, log: str) -> None:
    match context.write(writer, log, value):
        case Done():
            context.ask(context.end(writer, commit=True))
        case Unknown() as unknown:
            unanswered(unknown, f"writing {value} to {log}")
        case refusal:
            context.ask(refusal)


@END.given
def has_ended(context: CoreContext, writer: str, ended: str) -> None:
    _has_ended(context, writer, commit=ended == "committed")


@END.when
def ends_transaction(context: CoreContext, writer: str, ends: str, again: str | None) -> None:
    commit = ends == "commits"
    context.ask(context.end_again(writer, commit) if again else context.end(writer, commit))


@END.tried
def has_tried_to_end(context: CoreContext, writer: str, end: str, again: str | None) -> None:
    if again:
        context.end_again(writer, end == "commit")
    else:
        context.end(writer, end == "commit")


@LEAVE_OPEN.given
@LEAVE_OPEN.when
def leaves_open(context: CoreContext, writer: str) -> None:
    context.ended.add(writer)
    if isinstance(time := context.session.time, PassesTime):
        time.let_pass(1.5 * SHORT_MS)  # a system looks for overdue transactions now and then, and a writer meanwhile sees nothing else
    context.await_ends()


@CORE.given("{writer} has begun a transaction")
def has_begun(context: CoreContext, writer: str) -> None:
    """The writer has a transaction in which nothing was written."""
    achieved(context.begin(writer), f"beginning a transaction of {writer}")


@CORE.given("{writer} has taken {values} from {log} for group {group}")
def has_taken(context: CoreContext, writer: str, values: tuple[str, ...], log: str, group: str) -> None:
    """The writer has read as many values as these for the group, and has made that part of its transaction, which is open."""
    context.take(writer, group, log, len(values))


@WRITE.tried
def has_tried_to_write(context: CoreContext, writer: str, value: str, log: str, late: str | None) -> None:
    if late:
        context.writers[writer].write_late(log, value)
    else:
        context.writers[writer].write(log, value)


@CORE.given("{writer} has sent its last write to {log} again")
def has_sent_again(context: CoreContext, writer: str, log: str) -> None:
    """The same write was sent once more on the same connection, as by a writer that got no receipt; the answer does not matter."""
    context.writers[writer].write_again(log)


@CORE.given("{writer} has lost its transaction to another client")
def has_lost(context: CoreContext, writer: str) -> None:
    """Another client that may do so has aborted the writer's open transaction, and it is over. The writer was not notified."""
    achieved(context.writers[writer].lose_transaction(), f"taking the transaction from {writer}")
    context.ended.add(writer)
    context.await_ends()


def _has_ended(context: CoreContext, name: str, *, commit: bool) -> None:
    achieved(context.end(name, commit), f"{'committing' if commit else 'aborting'} the transaction of {name}")
    context.await_ends()


def _written(context: CoreContext, writer: str, values: tuple[str, ...], log: str, speed: str | None) -> Iterator[Outcome[None]]:
    """The answers to these writes: each is sent after the answer to the one before, or all before the first answer is awaited."""
    if speed is None:
        return (context.write(writer, log, value) for value in values)
    answers = [context.send(writer, log, value) for value in values]
    return (answer() for answer in answers)
