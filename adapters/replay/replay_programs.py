"""What can be made of kept exchanges: a program, or frames to read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fencepost.adapters.kafka import kept_exchanges
from fencepost.adapters.kafka.kafka_recording import RecordedRequest
from fencepost.adapters.pulsar import kept_exchanges as pulsar_exchanges
from fencepost.contract.evidence import Mismatch
from fencepost.wire.kafka.entities import plain

from . import frames_text, pulsar_conversation, pulsar_frames, pulsar_script, script
from .bindings import Bindings
from .conversation import parting

Lines = Sequence[Mapping[str, Any]]
"""Kept exchanges, as `KeepsExchanges` returns them."""


def program(title: str, notes: Sequence[str], kept: Lines, place: str, reference: Lines, violation: Mismatch) -> str:
    """The script that shows a red; `reference` has the exchanges of the same scenario on the reference, `place` is where `kept` is stored.

    Raises WrongUsage if no request shows it, or the lines cannot be read.
    """
    if protocol_of(kept) in pulsar_exchanges.PROTOCOLS:
        red, other = _tape(kept, place), _tape(reference, "the reference")
        return pulsar_script.written(title, notes, pulsar_conversation.parting(red, other, violation))
    calls, suffix = kept_exchanges.read(kept, place)
    others, other_suffix = kept_exchanges.read(reference, "the reference")
    found = parting(calls, suffix, others, other_suffix, violation)
    topics = dict(_topics(calls))
    return script.written(title, notes, found, Bindings(found.pairs, suffix, other_suffix, topics), suffix, topics)


def frames(title: str, kept: Lines, place: str, violation: Mismatch) -> str:
    """The frames of a red, one field a line. Raises WrongUsage if the lines cannot be read."""
    if protocol_of(kept) in pulsar_exchanges.PROTOCOLS:
        return pulsar_frames.text(title, pulsar_exchanges.read(kept, place), str(violation))
    return frames_text.text(title, kept_exchanges.read(kept, place)[0], str(violation))


def protocol_of(lines: Lines) -> str:
    """The protocol of kept exchanges; empty if their first line does not have one."""
    return str(lines[0].get("protocol", "")) if lines else ""


def _tape(lines: Lines, place: str) -> pulsar_conversation.TapeContent:
    head = pulsar_exchanges.KeptHead.of(lines[0], place)
    return pulsar_conversation.content_of(pulsar_exchanges.read(lines, place), head.suffix, head.service)


def _topics(calls: Sequence[RecordedRequest]) -> Iterator[tuple[str, str]]:
    """Topic ids with their names, from every answer that has both."""
    for call in calls:
        if call.answer is not None:
            yield from _named_ids(plain(call.answer))


def _named_ids(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        if value.get("topic_id") and isinstance(value.get("name"), str):
            yield value["topic_id"], value["name"]
        for inner in value.values():
            yield from _named_ids(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named_ids(inner)
