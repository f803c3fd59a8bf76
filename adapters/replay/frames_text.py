"""The exchanges of a red as frames: the bytes of each field in hexadecimal, with its name and value."""

from collections.abc import Iterator
from typing import Any

from fencepost.adapters.kafka.kafka_recording import RecordedRequest
from fencepost.wire.kafka.entities import api_of, title
from fencepost.wire.kafka.message_fields import Part, parts_of

from .conversation import asked_of

_WIDTH = 47
"""Sixteen bytes in a line."""


def text(heading: str, calls: list[RecordedRequest], verdict: str) -> str:
    """All requests that matter, with their answers, in the order in which they were made; one that was repeated at once is shown once."""
    lines = [f"# {heading}", f"# {verdict}", "# Frames without length and header, as they were recorded."]
    for number, one in enumerate(asked_of(calls), 1):
        call = one.call
        again = f", put {one.times} times, of which this is the last" if one.times > 1 else ""
        name = f"{title(api_of(call.request))} v{call.request.__version__}"
        lines += ["", f"# {number}. {call.client} -> {call.node}: {name}{again}", *_fields(call.request)]
        if call.answer is None:
            lines += [f"# {number}. no answer: {call.lost}"]
        else:
            lines += ["", f"# {number}. {call.node} -> {call.client}: the answer", *_fields(call.answer)]
    return "\n".join(lines) + "\n"


def _fields(message: Any) -> Iterator[str]:
    for part in parts_of(message):
        yield from in_lines(part.data, f"{part.path}: {_value(part)}")


def in_lines(data: bytes, comment: str) -> Iterator[str]:
    """Bytes in hexadecimal, with a comment on the first line."""
    digits = data.hex(" ")
    first, rest = digits[:_WIDTH], digits[_WIDTH + 1 :]
    yield f"{first:{_WIDTH}}  # {comment}"
    while rest:
        yield rest[:_WIDTH]
        rest = rest[_WIDTH + 1 :]


def _value(part: Part) -> str:
    if part.kind == "tags":
        return "none" if part.data == b"\0" else "some"
    if isinstance(part.value, (bytes, bytearray)):
        return f"{len(part.value)} bytes"
    return " ".join(str(getattr(part.value, "name", part.value)).split())[:200]
