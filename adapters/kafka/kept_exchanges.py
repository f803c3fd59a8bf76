"""The exchanges of a session as they go over the wire, in lines of JSON: kept for each scenario, and read again.

The first line is `{"protocol": "kafka", "suffix": ...}` with what the session began with (`kept_session`); names that the session made end
with the suffix. Each other line is a call, in the order in which calls ended: the client and the node, the frames of request and answer in
hexadecimal, the times, and its place among all moments. Each line ends with a digest of itself and all lines before it.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.seals import sealed
from fencepost.contract.errors import WrongUsage
from fencepost.wire.kafka.frames import (
    LENGTH,
    MalformedKafkaFrame,
    asked_in,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)

from .kafka_recording import CallEnding, RecordedRequest
from .kept_session import Head

_CORRELATION = 1


def kept(calls: Sequence[RecordedRequest], head: Head) -> list[dict[str, Any]]:
    """The lines of a session with that beginning."""
    return sealed([{"protocol": "kafka", **head.as_json()}, *map(_line, calls)])


def _line(call: RecordedRequest) -> dict[str, Any]:
    answer, lost = None, call.lost
    try:
        answer = None if call.answer is None else encode_response(call.answer, _CORRELATION).hex()
    except (TypeError, ValueError, OverflowError, struct.error) as error:  # a verdict must not depend on the recording
        lost = f"the answer was read and cannot be written again: {error}"
    return {
        "client": call.client,
        "node": str(call.node),
        "request": encode_request(call.request, _CORRELATION, call.client).hex(),
        "answer": answer,
        "lost": lost,
        "at_ms": call.at_ms,
        "took_ms": call.took_ms,
        "began": call.began,
        "ended": call.ended,
        "ending": call.ending.value,
    }


def read(lines: Sequence[Mapping[str, Any]], place: str) -> tuple[list[RecordedRequest], str]:
    """The calls, and the suffix. Raises WrongUsage if the lines are not what `kept` makes; `place` is where they come from."""
    found: list[RecordedRequest] = []
    try:
        head = lines[0]
        if head["protocol"] != "kafka":
            raise WrongUsage(f"{place}: expected exchanges of kafka, found {head['protocol']}")
        for line in lines[1:]:
            found.append(_call(line))
        return found, str(head["suffix"])
    except (LookupError, TypeError, ValueError, AttributeError, MalformedKafkaFrame) as error:
        raise WrongUsage(f"{place}, line {len(found) + 2}: not an exchange as fencepost writes it ({error}); was it changed?") from error


def _call(line: Mapping[str, Any]) -> RecordedRequest:
    data = bytes.fromhex(line["request"])[LENGTH.size :]
    asked = asked_in(data)
    if not asked.can_be_read:
        raise ValueError(f"no request has number {asked.api_key} and version {asked.version}")
    request = decode_request(asked, data)
    answer = line["answer"]
    return RecordedRequest(
        client=str(line["client"]),
        node=Address.of(line["node"]),
        request=request,
        answer=None if answer is None else decode_response(request, _CORRELATION, bytes.fromhex(answer)[LENGTH.size :]),
        lost=line["lost"],
        at_ms=float(line["at_ms"]),
        took_ms=float(line["took_ms"]),
        began=int(line["began"]),
        ended=int(line["ended"]),
        ending=CallEnding(line.get("ending", CallEnding.SILENT if answer is None else CallEnding.ANSWERED)),
    )
