"""What a step may do with an outcome.

A lost connection is a violation wherever it happens, for a system may not close the connection on a valid request. An answer that does not
arrive in time is not judged: the outcome is not known. Nor is a system that was gone before the scenario began (`Recorder.unreachable`).
"""

from typing import NoReturn, TypeVar

from fencepost.contract.evidence import NoAnswer, SetUpFailed, Violation
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

T = TypeVar("T")


def achieved(outcome: Outcome[T], doing: str) -> T:
    """The value of something that a Given did; if it was refused, the question of the scenario cannot be put."""
    match outcome:
        case Done(value):
            return value
        case Refused(error=error, code=code):
            raise SetUpFailed(f"{doing} was refused: {outcome}", error=error, code=code)
        case Unknown():
            return unanswered(outcome, doing)


def observed(outcome: Outcome[T], doing: str) -> T:
    """The value of something that a Then looked at; a system may not refuse a look."""
    match outcome:
        case Done(value):
            return value
        case Refused(error=error, code=code):
            raise Violation(f"an answer when {doing}", f"a refusal: {outcome}", what="answer", error=error, code=code)
        case Unknown():
            return unanswered(outcome, doing)


def unanswered(outcome: Unknown, doing: str) -> NoReturn:
    """Stop: there is no answer to judge."""
    if outcome.lost:
        raise Violation(f"an answer when {doing}", outcome.reason, what="answer")
    raise NoAnswer(f"{doing}: {outcome.reason}")


def error_of(answer: object) -> tuple[str | None, int | None]:
    """The protocol's own name and number of a refusal, which a violation carries; none where nothing was refused."""
    return (answer.error, answer.code) if isinstance(answer, Refused) else (None, None)
