"""What an answer says: the value that was asked for, or the refusal that it is."""

from collections.abc import Callable
from typing import Any, TypeVar

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar.frames import Frame

from .errors import refused

T = TypeVar("T")


def read_answer(answer: Done[Frame] | Unknown, read: Callable[[Any], T]) -> Outcome[T]:
    """The value of an answer, or the refusal that it is."""
    match answer:
        case Done(frame):
            body = frame.body
            error = refusal_in(body)
            return Done(read(body)) if error is None else error
        case unknown:
            return unknown


def refusal_in(body: Any) -> Refused | None:
    """The refusal that an answer holds, None where it is none. 0 is an error too, so presence decides."""
    if "error" not in body.DESCRIPTOR.fields_by_name or not body.HasField("error"):
        return None
    return refused(body.error, body.message)
