"""The tape of a red of Pulsar as frames: the bytes of each field in hexadecimal, with its name and value, and admin calls as text."""

from collections.abc import Iterator, Sequence

from fencepost.adapters.pulsar.tape import EntryKind, TapeEntry
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frame_fields import fields_of
from fencepost.wire.pulsar.frames import Frame

from .frames_text import in_lines

_HELPERS = frozenset({"PING", "PONG"})


def text(heading: str, entries: Sequence[TapeEntry], verdict: str) -> str:
    """All frames and admin calls in the order in which they were made."""
    lines = [f"# {heading}", f"# {verdict}", "# Whole frames, as they were recorded."]
    ends: dict[int, tuple[str, str]] = {}
    number = 0
    for entry in entries:
        match entry.content:
            case (client, node):
                ends[entry.number] = (client, str(node))
                lines += ["", f"# {client} {'connects' if entry.kind is EntryKind.CONNECTED else 'cannot connect'} to {node}"]
            case Frame() as frame if frame.name not in _HELPERS:
                number += 1
                ours, theirs = ends[entry.number]
                way = f"{theirs} -> {ours}" if entry.kind is EntryKind.RECEIVED else f"{ours} -> {theirs}"
                lost = f", which is lost: {entry.why}" if entry.kind is EntryKind.UNSENT else ""
                lines += ["", f"# {number}. {way}, connection {entry.number}: {frame.name}{lost}", *_fields(frame)]
            case AdminRequest() as request:
                number += 1
                body = "" if request.body is None else f" with {request.body}"
                lines += ["", f"# {number}. admin call {entry.number}: {request}{body}"]
            case AdminAnswer(status, body):
                lines += [f"# admin call {entry.number} is answered with {status}: {body.decode(errors='replace')}"]
            case _ if entry.why is not None and entry.kind is not EntryKind.WROTE:
                lines += ["", f"# {entry.kind} on {entry.number}: {entry.why}"]
    return "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"


def _fields(frame: Frame) -> Iterator[str]:
    for field in fields_of(frame):
        yield from in_lines(field.data, f"{field.path}: {' '.join(field.value.split())[:200]}")
