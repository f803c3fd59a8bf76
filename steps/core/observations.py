"""The answers to requests, and what readers and groups receive."""

from collections.abc import Iterable, Sequence
from functools import partial

from fencepost.contract.outcomes import Done, Refused
from fencepost.contract.transactional_log import ReportsPendingInput
from fencepost.steps.answers import known, reported
from fencepost.steps.step_outcomes import observed

from .core_context import CoreContext
from .vocabulary import CONTENT, CORE


@CORE.then("it is {outcome}")
def has_outcome(context: CoreContext, outcome: str) -> None:
    """The request of the When was answered with success, or refused."""
    answer = known(context.answer)
    kind, expected = (Done, "success") if outcome == "done" else (Refused, "a refusal")
    context.expect(isinstance(answer, kind), what="answer", expected=expected, seen=reported(answer))


@CORE.then("readers of {logs} see {content}[ {order}]")
def readers_see(context: CoreContext, logs: tuple[str, ...], content: tuple[str, ...], order: str | None) -> None:
    """In each of these logs, a new reader of committed data receives exactly these values, each once, in this order unless the sentence
    allows any order. It reads when decisions have reached all participants.
    """
    for log in logs:
        found = context.look(partial(_committed, context, log), content)
        holds = sorted(found) == sorted(content) if order else found == content
        context.expect(holds, what=f"readers of {log}", expected=_shown(content), seen=_shown(found))


@CORE.then("readers of {logs} do not see {values}")
def readers_do_not_see(context: CoreContext, logs: tuple[str, ...], values: tuple[str, ...]) -> None:
    """In none of these logs does a new reader of committed data receive one of these values, whatever else it receives."""
    for log in logs:
        context.await_ends()
        found = _committed(context, log)
        expected = f"no {' and no '.join(CONTENT.render((value,)) for value in values)}"
        context.expect(not set(found) & set(values), what=f"readers of {log}", expected=expected, seen=_shown(found))


@CORE.then("the follower of {log} has been given {content}[ {order}]")
def follower_was_given(context: CoreContext, log: str, content: tuple[str, ...], order: str | None) -> None:
    """The reader that has been there all along has received exactly these values until now, each once, in this order unless the sentence
    allows any order. It reads on when decisions have reached all participants.
    """
    found = context.look(lambda: observed(context.followers[log].seen(), f"reading on in {log}"), content)
    holds = sorted(found) == sorted(content) if order else found == content
    context.expect(holds, what=f"follower of {log}", expected=_shown(content), seen=_shown(found))


@CORE.then("group {group} is done with {content} of {log}")
def group_is_done_with(context: CoreContext, group: str, content: tuple[str, ...], log: str) -> None:
    """The group's position is after these values, and before the next one. What an open transaction has taken is after the position."""
    found = context.look(lambda: observed(context.system.place(group, log), f"looking for the place of {group} in {log}"), content)
    context.expect(found == content, what=f"place of {group} in {log}", expected=_shown(content), seen=_shown(found))


@CORE.then("group {group} has {content} of {log} left")
def group_has_left(context: CoreContext, group: str, content: tuple[str, ...], log: str) -> None:
    """A new member of the group receives exactly these values; the order of redelivered values is not judged. Where the system reports what
    is pending, nothing is pending of a transaction that has ended: what is not left is consumed.
    """
    found = sorted(context.look(lambda: observed(context.system.left(group, log), f"reading {log} as {group}"), content))
    context.expect(found == list(content), what=f"{log} left for {group}", expected=_shown(content), seen=_shown(found))
    if isinstance(context.system, ReportsPendingInput):
        stays = all(context.system.has_leftovers(group, log) for _ in context.session.time.attempts())
        seen = "something of one" if stays else "nothing"
        context.expect(not stays, what=f"pending of {log} for {group}", expected="nothing of transactions that have ended", seen=seen)


@CORE.then("the transaction of {writer} is over")
def is_over(context: CoreContext, writer: str) -> None:
    """It is decided, and all participants have learned of the decision."""
    context.await_ends()
    over = context.is_over(writer)
    context.expect(over, what=f"transaction of {writer}", expected="over", seen="over" if over else "not over")


def _committed(context: CoreContext, log: str) -> Sequence[str]:
    return observed(context.system.committed(log), f"reading {log}")


def _shown(values: Iterable[str]) -> str:
    return CONTENT.render(tuple(values))
