"""The outcome of a call: the value in its answer, or the refusal."""

from collections.abc import Callable
from typing import Any, TypeVar

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar.frames import Frame

from .pulsar_error_outcomes import refused

T = TypeVar("T")


def read_answer(answer: Done[Frame] | Unknown, read: Callable[[Any], T]) -> Outcome[T]:
    """The value in an answer, or the refusal."""
    match answer:
        case Done(frame):
            body = frame.body
            error = refusal_in(body)
            return Done(read(body)) if error is None else error
        case unknown:
            return unknown


def refusal_in(body: Any) -> Refused | None:
    """The refusal in an answer, None if it is no refusal. An error of 0 is an error too, so presence decides."""
    if "error" not in body.DESCRIPTOR.fields_by_name or not body.HasField("error"):
        return None
    return refused(body.error, body.message)
