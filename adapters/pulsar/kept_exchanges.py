"""The tape of a session in lines of JSON: kept for each scenario, and read again.

The first line is `{"protocol": "pulsar", "suffix": ...}` with what the session began with; names that the session made end with the suffix.
Each other line is an entry of the tape: what happened, the number of the connection or admin call, the time, and the frame in hexadecimal
or the admin call. Each line ends with a digest of itself and all lines before it.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.seals import sealed
from fencepost.adapters.common.shared_outcomes import Unreachable
from fencepost.contract.errors import WrongUsage
from fencepost.contract.outcomes import Unknown
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import SIZE, Frame, decode, encode
from fencepost.wire.pulsar.message_parsing import MalformedPulsarFrame

from .store_writes import StoreWrite
from .tape import EntryKind, TapeEntry

PROTOCOLS = ("pulsar", "pulsar-scalable")


@dataclass(frozen=True)
class KeptHead:
    """What a session began with. `protocol` is that of the scenario; `writers_have_keys` is about the core's writers.

    `is_true` is whether the brokers always acted on the true state of their metadata store, without which there is no history.
    """

    protocol: str
    suffix: str
    service: Address
    over_tls: bool
    is_virtual: bool
    patience_s: float
    began_ms: float
    writers_have_keys: bool = False
    is_true: bool = True

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "service": str(self.service)}

    @classmethod
    def of(cls, line: Mapping[str, Any], place: str) -> "KeptHead":
        """Read it from the first line. Raises WrongUsage if that is no such line; `place` is where the lines come from."""
        try:
            return cls(**{**{name: line[name] for name in cls.__dataclass_fields__}, "service": Address.of(line["service"])})
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise WrongUsage(f"{place}, line 1: not what a session began with ({error}); was it changed?") from error


def kept(entries: Sequence[TapeEntry], head: KeptHead) -> list[dict[str, Any]]:
    """The lines of a session with that beginning."""
    return sealed([head.as_json(), *map(_line, entries)])


def read(lines: Sequence[Mapping[str, Any]], place: str) -> list[TapeEntry]:
    """The entries. Raises WrongUsage if the lines are not what `kept` makes; `place` is where they come from."""
    found: list[TapeEntry] = []
    try:
        for line in lines[1:]:
            found.append(_entry(line))
    except (LookupError, TypeError, ValueError, AttributeError, MalformedPulsarFrame) as error:
        raise WrongUsage(f"{place}, line {len(found) + 2}: not an exchange as fencepost writes it ({error}); was it changed?") from error
    return found


def _line(entry: TapeEntry) -> dict[str, Any]:
    line: dict[str, Any] = {"kind": entry.kind.value, "number": entry.number, "at_ms": entry.at_ms}
    if entry.why is not None:
        line["why"] = entry.why
    if entry.times > 1:
        line["times"] = entry.times
    match entry.content:
        case Frame() as frame:
            try:
                line["frame"] = encode(frame).hex()
            except (ValueError, struct.error) as error:  # a verdict must not depend on the recording
                line["frame"], line["why"] = None, f"the frame was read and cannot be written again: {error}"
        case AdminRequest(method, path, query, body):
            line |= {"method": method, "path": path, "query": dict(query), "body": body}
        case AdminAnswer(status, body, content_type):
            line |= {"status": status, "body": body.hex(), "content_type": content_type}
        case StoreWrite(name, key, value):
            line |= {"write": name, "key": key, "value": None if value is None else value.hex()}
        case Unknown() as unknown:
            line |= {"lost": unknown.lost, "unreachable": isinstance(unknown, Unreachable)}
        case (client, node):
            line |= {"client": client, "node": str(node)}
    return line


def _entry(line: Mapping[str, Any]) -> TapeEntry:
    kind = EntryKind(line["kind"])
    why = line.get("why")
    read_content = _READERS.get(kind)
    content = None if read_content is None else read_content(line)
    return TapeEntry(kind, int(line["number"]), float(line["at_ms"]), content, why, int(line.get("times", 1)))


def _frame(line: Mapping[str, Any]) -> Frame:
    return decode(bytes.fromhex(line["frame"])[SIZE.size :])


def _connection(line: Mapping[str, Any]) -> tuple[str, Address]:
    return str(line["client"]), Address.of(line["node"])


def _write(line: Mapping[str, Any]) -> StoreWrite:
    return StoreWrite(line["write"], line["key"], None if line["value"] is None else bytes.fromhex(line["value"]))


def _unknown(line: Mapping[str, Any]) -> Unknown:
    return Unreachable(line["why"]) if line["unreachable"] else Unknown(line["why"], lost=line["lost"])


_READERS: Mapping[EntryKind, Callable[[Mapping[str, Any]], Any]] = {
    EntryKind.CONNECTED: _connection,
    EntryKind.REFUSED: _connection,
    EntryKind.SENT: _frame,
    EntryKind.UNSENT: _frame,
    EntryKind.RECEIVED: _frame,
    EntryKind.ASKED: lambda line: AdminRequest(line["method"], line["path"], line["query"], line["body"]),
    EntryKind.ANSWERED: lambda line: AdminAnswer(line["status"], bytes.fromhex(line["body"]), line["content_type"]),
    EntryKind.UNANSWERED: _unknown,
    EntryKind.WROTE: _write,
}
