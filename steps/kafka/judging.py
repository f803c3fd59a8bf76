"""How an answer is judged and reported to people."""

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.step_outcomes import error_of, unanswered

from .kafka_context import KafkaContext


def answer_of(context: KafkaContext) -> Done[object] | Refused:
    """The answer to the When; without one there is nothing to judge."""
    match context.answer:
        case None:
            raise AssertionError("a sentence about an answer stands before the When")
        case answer:
            return answered(answer, f"{context.request} was sent")


def answered(outcome: Outcome[object], doing: str) -> Done[object] | Refused:
    """What was answered; without an answer there is nothing to judge."""
    return unanswered(outcome, doing) if isinstance(outcome, Unknown) else outcome


def reported(answer: object) -> str:
    """An answer in words."""
    match answer:
        case Refused():
            return f"a refusal with {answer}"
        case Done(None):
            return "success"
        case Done(value):
            return f"success with {value}"
        case other:
            return str(other)


def judge_answer(context: KafkaContext, holds: bool, expected: str, answer: object, seen: str | None = None) -> None:
    """Judge the answer to the When, with the protocol's own error where it was refused."""
    error, code = error_of(answer)
    context.evidence.expect(holds, expected, seen or reported(answer), what=f"answer to {context.request}", error=error, code=code)
