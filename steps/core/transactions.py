"""What is done in transactions, and beside them."""

from collections.abc import Iterator

from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.contract.ports import PassesTime
from fencepost.steps.outcomes import achieved, unanswered

from .context import SHORT_MS, ScenarioContext
from .vocabulary import CORE

WRITE = CORE.act(
    given="{writer} has written {values} to {log}[ {speed}]",
    when="{writer} writes {values} to {log}[ {speed}]",
    meaning="Writes in the writer's transaction, which the first of them opens where none is open; each is asked for when the one before "
    "it was acknowledged, unless it is said that all are sent at once. It is open after the Given.",
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
    when="{writer} {ends}",
    meaning="The end of the writer's open transaction. After the Given the transaction is over: decided, and told to all who took part.",
)
END_AGAIN = CORE.act(
    given="{writer} has tried to {end} the same transaction again",
    when="{writer} {ends} the same transaction again",
    meaning="The transaction that was ended last is to be ended once more, as by somebody who got no answer. The Given takes any answer.",
)
LEAVE_OPEN = CORE.act(
    given="{writer} has left its transaction open past its time-out",
    when="{writer} leaves its transaction open past its time-out",
    meaning="The writer does nothing, and the system is watched until the transaction is over or patience ends.",
)


@WRITE.given
def has_written(context: ScenarioContext, writer: str, values: tuple[str, ...], log: str, speed: str | None) -> None:
    for value, answer in zip(values, _written(context, writer, values, log, speed), strict=True):
        achieved(answer, f"writing {value} to {log}")


@WRITE.when
def writes(context: ScenarioContext, writer: str, values: tuple[str, ...], log: str, speed: str | None) -> None:
    for answer in _written(context, writer, values, log, speed):
        context.ask(answer)
        if not isinstance(answer, Done):
            break


@PLAIN_WRITE.given
def has_been_written(context: ScenarioContext, value: str, log: str) -> None:
    achieved(context.system.write(log, value), f"writing {value} to {log}")


@PLAIN_WRITE.when
def is_written(context: ScenarioContext, value: str, log: str) -> None:
    context.ask(context.system.write(log, value))


@COMMIT_A_WRITE.given
def has_committed_a_write(context: ScenarioContext, writer: str, value: str, log: str) -> None:
    achieved(context.write(writer, log, value), f"writing {value} to {log}")
    _has_ended(context, writer, commit=True)


@COMMIT_A_WRITE.when
def commits_a_write(context: ScenarioContext, writer: str, value: str, log: str) -> None:
    match context.write(writer, log, value):
        case Done():
            context.ask(context.end(writer, commit=True))
        case Unknown() as unknown:
            unanswered(unknown, f"writing {value} to {log}")
        case refusal:
            context.ask(refusal)


@END.given
def has_ended(context: ScenarioContext, writer: str, ended: str) -> None:
    _has_ended(context, writer, commit=ended == "committed")


@END.when
def ends_transaction(context: ScenarioContext, writer: str, ends: str) -> None:
    context.ask(context.end(writer, ends == "commits"))


@END_AGAIN.given
def has_tried_to_end_again(context: ScenarioContext, writer: str, end: str) -> None:
    context.writers[writer].end_again(end == "commit")


@END_AGAIN.when
def ends_again(context: ScenarioContext, writer: str, ends: str) -> None:
    context.ask(context.writers[writer].end_again(ends == "commits"))


@LEAVE_OPEN.given
@LEAVE_OPEN.when
def leaves_open(context: ScenarioContext, writer: str) -> None:
    context.ended.add(writer)
    if isinstance(time := context.session.time, PassesTime):
        time.let_pass(SHORT_MS)  # a writer that looks all the while sees nothing else
    context.await_ends()


@CORE.given("{writer} has begun a transaction")
def has_begun(context: ScenarioContext, writer: str) -> None:
    """The writer has a transaction in which nothing was written."""
    achieved(context.writers[writer].begin(), f"beginning a transaction of {writer}")


@CORE.given("{writer} has taken {values} from {log} for group {group}")
def has_taken(context: ScenarioContext, writer: str, values: tuple[str, ...], log: str, group: str) -> None:
    """The writer has read as many values as these for the group, and has made that part of its transaction, which is open."""
    context.take(writer, group, log, len(values))


@CORE.given("{writer} has tried to {end}")
def has_tried_to_end(context: ScenarioContext, writer: str, end: str) -> None:
    """The end of the writer's open transaction was asked for once, whatever came of it."""
    context.end(writer, end == "commit")


@CORE.given("{writer} has tried to write {value} to {log}")
def has_tried_to_write(context: ScenarioContext, writer: str, value: str, log: str) -> None:
    """The write was asked for once, whatever came of it."""
    context.writers[writer].write(log, value)


@CORE.given("{writer} has lost its transaction to somebody else")
def has_lost(context: ScenarioContext, writer: str) -> None:
    """Somebody who may do so has aborted the writer's open transaction, and it is over. The writer was not told."""
    achieved(context.writers[writer].lose_transaction(), f"taking the transaction from {writer}")
    context.ended.add(writer)
    context.await_ends()


def _has_ended(context: ScenarioContext, name: str, *, commit: bool) -> None:
    achieved(context.end(name, commit), f"{'committing' if commit else 'aborting'} the transaction of {name}")
    context.await_ends()


def _written(context: ScenarioContext, writer: str, values: tuple[str, ...], log: str, speed: str | None) -> Iterator[Outcome[None]]:
    """The answers to these writes: each is asked for when the answer before it was taken, or all before the first is waited for."""
    if speed is None:
        return (context.write(writer, log, value) for value in values)
    answers = [context.send(writer, log, value) for value in values]
    return (answer() for answer in answers)
