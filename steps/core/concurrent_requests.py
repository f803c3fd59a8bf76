"""Concurrent requests: two ends of a transaction, or a write and the end of its transaction."""

from dataclasses import dataclass, field

from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.transactional_log import Answer
from fencepost.steps.answers import known, reported
from fencepost.steps.step_outcomes import observed

from .core_context import CoreContext
from .vocabulary import CONTENT, CORE


@dataclass
class Raced:
    """The answers to the ends, each with whether it was a commit; and to the concurrent write, if there was one."""

    ends: list[tuple[bool, Outcome[None]]] = field(default_factory=list)
    write: Outcome[None] | None = None

    @property
    def committed(self) -> bool:
        """Whether a commit succeeded."""
        return any(commit and isinstance(known(answer), Done) for commit, answer in self.ends)

    def __str__(self) -> str:
        return ", ".join(f"{'commit' if commit else 'abort'}: {reported(answer)}" for commit, answer in self.ends)


@CORE.state
def raced() -> Raced:
    """The race of this scenario."""
    return Raced()


@CORE.when("{writer} {first:ends} and[ {rival}] {second:ends} at the same time")
def ends_twice(context: CoreContext, raced: Raced, writer: str, first: str, rival: str | None, second: str) -> None:
    """Two requests for the end of the writer's transaction, on two connections: the second is sent before the first is answered. Another
    client is one that may abort it; the answer to that client does not matter.
    """
    if rival is not None:
        if second != "aborts":
            raise SetUpFailed(f"{rival} {second} the transaction of {writer}; expected that it aborts it")
        end = context.writers[writer].send_end(first == "commits")
        context.writers[writer].lose_transaction()
        _take_answers(context, raced, writer, [(first == "commits", end)])
        return
    asked = [(verb == "commits", context.writers[writer].send_end(verb == "commits")) for verb in (first, second)]
    _take_answers(context, raced, writer, asked)


@CORE.when("{writer} sends {value} to {log} and {ends} at the same time, {ahead}")
def writes_and_ends(context: CoreContext, raced: Raced, writer: str, value: str, log: str, ends: str, ahead: str) -> None:
    """One of them is sent first, and the other on another connection before the first is answered."""
    commit = ends == "commits"
    if ahead == "the write first":
        write = context.send(writer, log, value)
        end = context.writers[writer].send_end(commit)
        _take_answers(context, raced, writer, [(commit, end)])
        raced.write = write()
    else:
        end = context.writers[writer].send_end(commit)
        raced.write = context.writers[writer].send(log, value)()
        _take_answers(context, raced, writer, [(commit, end)])


@CORE.then("at most one of the two ends is done")
def at_most_one(context: CoreContext, raced: Raced) -> None:
    """The other is refused, with any error."""
    done = [answer for _, answer in raced.ends if isinstance(known(answer), Done)]
    context.expect(len(done) <= 1, what="two ends at the same time", expected="at most one success", seen=str(raced))


@CORE.then("readers of {logs} see {content} if the commit is done, and nothing otherwise[, and {value} after it if that was acknowledged]")
def see_what_was_decided(context: CoreContext, raced: Raced, logs: tuple[str, ...], content: tuple[str, ...], value: str | None) -> None:
    """In each of these logs a new reader receives all of it if the commit was answered with success, and none otherwise. It receives the
    write that was in flight exactly if it was acknowledged, and the commit was not refused.
    """
    context.await_ends()
    due = (*content, value) if value is not None and isinstance(known(raced.write), Done) else content
    due = due if raced.committed else ()
    for log in logs:
        found = tuple(observed(context.system.committed(log), f"reading {log}"))
        seen = f"{CONTENT.render(found)}; {raced}" + ("" if raced.write is None else f"; {value}: {reported(raced.write)}")
        context.expect(found == due, what=f"readers of {log}", expected=CONTENT.render(due), seen=seen)


def _take_answers(context: CoreContext, raced: Raced, writer: str, asked: list[tuple[bool, Answer]]) -> None:
    """Wait for the answers to the ends. The transaction is decided then, as far as clients can know."""
    raced.ends += [(commit, answer()) for commit, answer in asked]
    context.ask(raced.ends[0][1])
    context.ended.add(writer)
