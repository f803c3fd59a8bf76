"""The text of a script for Pulsar: what all scripts share, the requests of this red, and what decides.

A transaction, a message id or a producer's name is bound to an earlier answer only if it equals that answer's field both in the red and on
the reference; everything else is sent as it was.
"""

import importlib.resources
import inspect
import json
import pprint
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminRequest
from fencepost.wire.pulsar.frames import Frame

from . import runtime
from .bindings import path_to, value_at
from .pulsar_conversation import SHAPE, Asked, PulsarParting, TapeContent
from .pulsar_runtime import MARK, key_of, message, varint
from .script import one_line, quoted

_SHARED = (runtime.hex_, runtime.uvarint, runtime.crc32c, runtime.decide)
_IMPORT = re.compile(r"^from fencepost.*\n", re.MULTILINE)
_TOGETHER = (("txnid_least_bits", "txnid_most_bits"), ("ledger_id", "entry_id"), ("producer_name",))
"""Fields of requests that repeat values of one answer."""
_LONGEST_PAUSE_S = 120.0


def written(title: str, notes: Sequence[str], found: PulsarParting) -> str:
    """The program's text. `title` is what it shows, `notes` what a reader should know."""
    own = importlib.resources.files(__package__).joinpath("pulsar_runtime.py").read_text(encoding="utf-8")
    own = _IMPORT.sub("", own[own.index("import argparse") :])
    writer = _Writer(found)
    asked = [one for one, _ in found.pairs]
    steps = [line for number, one in enumerate(asked, 1) for line in _step(number, one, found)]
    arguments = ", ".join(("STEPS", "ROUTES", "SHAPE", repr(found.about), "SEEN", "EXPECTED", repr(title)))
    parts = [
        "#!/usr/bin/env python3",
        quoted("\n".join([title, "", *notes])),
        "",
        own.rstrip(),
        "",
        "SHOWN, NOT_SHOWN, UNDECIDED = 1, 0, 2",
        "",
        "",
        "\n\n".join(inspect.getsource(one) for one in _SHARED),
        "",
        "# --- the requests of this red " + "-" * 96,
        *(line for number in range(len(asked)) for line in writer.request(number)),
        "STEPS = [",
        *steps,
        "]",
        "ROUTES = " + repr(dict(_routes(found.red, asked))),
        "SHAPE = " + pprint.pformat(_needed(found), width=140, compact=True, sort_dicts=False),
        "SEEN = " + pprint.pformat(dict(found.seen), width=120, sort_dicts=False),
        "EXPECTED = " + pprint.pformat(dict(found.expected), width=120, sort_dicts=False),
        "",
        f"raise SystemExit(main({arguments}))",
    ]
    return "\n".join(parts) + "\n"


def _step(number: int, one: Asked, found: PulsarParting) -> Iterator[str]:
    other = found.pairs[number - 1][1]
    final = sorted({error for error in (one.error(), other and other.error()) if error})
    wait = round(min(one.paused_ms / 1000, _LONGEST_PAUSE_S), 2)
    key = key_of(one.said) if isinstance(one.content, Frame) else None
    title = one.name.replace(f"-{found.red.suffix}", "")
    yield f"    RequestStep({one.client!r}, {title!r}, {one.connection}, request_{number}, {key!r},"
    yield f"                waits={one.waits}, wait_s={wait}, final={final!r}),"


def _routes(red: TapeContent, asked: Sequence[Asked]) -> Iterator[tuple[int, tuple[int, int]]]:
    """For each connection the last lookup before it whose answer names its broker, and the one that its client had there before."""
    used = sorted({one.connection for one in asked if one.connection})
    for connection in used:
        client_and_node = red.connections[connection]
        first = next(number for number, one in enumerate(asked) if one.connection == connection)
        urls = {number: str((asked[number - 1].answer or {}).get("broker_service_url", "")) for number in range(1, first + 1)}
        named = [number for number, url in urls.items() if url.endswith(f"//{client_and_node[1]}")]
        former = [one for one in used if one < connection and red.connections[one] == client_and_node]
        yield connection, (0 if client_and_node[1] == red.service or not named else named[-1], former[-1] if former else 0)


def _needed(found: PulsarParting) -> dict[int, Any]:
    """The shapes of the commands that may come."""
    sides = (found.red, found.reference)
    names = {one.answer["type"] for side in sides for one in side.asked if one.answer} | {
        said["type"] for side in sides for owned in side.pushes.values() for _, said in owned
    }
    names |= {"ERROR", "SEND_ERROR", "CONNECTED", "MESSAGE", "SUCCESS", "PING"}
    return {number: field for number, field in SHAPE.items() if field[0] == "type" or field[0].upper() in names}


class _Writer:
    """Writes requests as expressions."""

    def __init__(self, found: PulsarParting) -> None:
        self._found = found
        self._suffixes = (found.red.suffix, found.reference.suffix)

    def request(self, place: int) -> Iterator[str]:
        one, other = self._found.pairs[place]
        yield f"def request_{place + 1}(broker: AskedPulsar) -> Any:"
        yield f"    # {one_line(one.client)}: {one_line(one.name)}"
        match one.content:
            case AdminRequest(method, path, query, body):
                asked = path + ("?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else "")
                yield f"    return {method!r}, {self._path(place, asked, other)}, {self._named(body)}"
            case Frame() as content:
                like = other.content if other is not None and isinstance(other.content, Frame) else None
                yield "    return command(  # fmt: skip"
                yield from self._fields(place, content.command.SerializeToString(), _command(like), pb.BaseCommand.DESCRIPTOR, 2)
                yield "    )" + (" + payload(" if content.payload else "")
                if content.payload is not None:
                    metadata = like.payload.metadata.SerializeToString() if like and like.payload else None
                    yield "        command(  # the metadata"
                    yield from self._fields(place, content.payload.metadata.SerializeToString(), metadata, pb.MessageMetadata.DESCRIPTOR, 3)
                    yield f'        ), hex_("{content.payload.data.hex(" ")}"),  # {one_line(repr(content.payload.data))}'
                    yield "    )"
        yield ""
        yield ""

    def _fields(self, place: int, data: bytes, like: bytes | None, kind: Any, depth: int) -> Iterator[str]:
        indent = "    " * depth
        ours, theirs = _pieces(data), dict(_by_field(_pieces(like))) if like is not None else {}
        bound = self._bound(place, data, like, kind)
        for (number, occurrence), (tag, content, value) in _by_field(ours):
            field = kind.fields_by_number.get(number)
            name = field.name if field is not None else f"field {number}"
            if field is not None and field.message_type is not None:
                yield f'{indent}inside("{tag.hex(" ")}",  # {name}'
                inner = theirs.get((number, occurrence))
                yield from self._fields(place, content, inner[1] if inner else None, field.message_type, depth + 1)
                yield f"{indent}),"
            elif name in bound and isinstance(value, int):
                yield f'{indent}number("{tag.hex(" ")}", {bound[name]}),  # {name}: {value}'
            elif name in bound:
                yield f'{indent}text("{tag.hex(" ")}", {bound[name]}),  # {name}'
            elif field is not None and field.type == field.TYPE_STRING and self._suffixes[0] in content.decode():
                yield f'{indent}text("{tag.hex(" ")}", {self._named(content.decode())}),  # {name}'
            else:
                whole = tag + (runtime.uvarint(len(content)) if tag[-1] & 7 == 2 else b"") + content
                yield f'{indent}hex_("{whole.hex(" ")}"),  # {name}: {one_line(_shown(field, content, value))}'

    def _bound(self, place: int, data: bytes, like: bytes | None, kind: Any) -> dict[str, str]:
        """For fields of a message the expressions that give their values."""
        if like is None:
            return {}
        shape = {
            one.number: (one.name, False, "string" if one.type == one.TYPE_STRING else "int") for one in kind.fields if not one.message_type
        }
        ours, theirs = message(data, shape), message(like, shape)
        found: dict[str, str] = {}
        for names in _TOGETHER:
            values = {name: ours[name] for name in names if name in ours}
            others = {name: theirs.get(name) for name in values}
            if values and (source := self._source(place, values, others)):
                call, path = source
                found |= {name: f"broker.{call}, {', '.join(map(repr, (*path[:-1], name)))})" for name in values}
        return found

    def _source(self, place: int, values: Mapping[str, Any], others: Mapping[str, Any]) -> tuple[str, tuple[str | int, ...]] | None:
        """The last earlier answer or message that has these values together in the red, and `others` on the reference."""
        for call, red, reference in self._earlier(place):
            path = path_to(red, values)
            if path and all(value_at(reference, (*path[:-1], name)) == other for name, other in others.items()):
                return call, path
        return None

    def _earlier(self, place: int) -> Iterator[tuple[str, Any, Any]]:
        asked = self._found.pairs[place][0]
        for owner, other in self._found.owners.items():
            theirs = self._found.reference.pushes.get(other, [])
            ours = self._found.red.pushes.get(owner, [])
            for at in range(min(len(ours), len(theirs)) - 1, -1, -1):
                if ours[at][0] < asked.place:
                    yield f"pushed({', '.join(map(repr, owner))}, {at}", ours[at][1], theirs[at][1]
        for number in range(place, 0, -1):
            one, like = self._found.pairs[number - 1]
            if like is not None and one.answer and like.answer:
                yield f"answered({number}", one.answer, like.answer

    def _named(self, value: Any) -> str:
        """A value in which the names of the scenario are those of this run of the script."""
        text = value if isinstance(value, str) else json.dumps(value)
        if self._suffixes[0] not in text:
            return repr(value)
        named = f"broker.named({text.replace(self._suffixes[0], MARK)!r})"
        return named if isinstance(value, str) else f"json.loads({named})"

    def _path(self, place: int, path: str, other: Asked | None) -> str:
        """The path of an admin call; a transaction in it is that of an earlier answer."""
        numbers = re.search(r"/(\d+)/(\d+)", path)
        theirs = re.search(r"/(\d+)/(\d+)", other.content.path) if other is not None and isinstance(other.content, AdminRequest) else None
        if numbers and theirs:
            values = {"txnid_least_bits": int(numbers[2]), "txnid_most_bits": int(numbers[1])}
            others = {"txnid_least_bits": int(theirs[2]), "txnid_most_bits": int(theirs[1])}
            if source := self._source(place, values, others):
                call, steps = source
                begin, end = path[: numbers.start()], path[numbers.end() :]
                most, least = (
                    f"str(broker.{call}, {', '.join(map(repr, (*steps[:-1], name)))}))" for name in ("txnid_most_bits", "txnid_least_bits")
                )
                return f"{self._named(begin + '/')} + {most} + '/' + {least} + {self._named(end)}"
        return self._named(path)


def _command(content: Frame | None) -> bytes | None:
    return None if content is None else content.command.SerializeToString()


def _pieces(data: bytes) -> list[tuple[int, bytes, bytes, Any]]:
    """The fields of a message: number, tag, content without its length, and the value of a number."""
    found, at = [], 0
    while at < len(data):
        tag, start = varint(data, at)
        begin, value = start, None
        if tag & 7 == 0:
            value, end = varint(data, start)
        elif tag & 7 == 2:
            size, begin = varint(data, start)
            end = begin + size
        else:
            end = start + (8 if tag & 7 == 1 else 4)
        found.append((tag >> 3, data[at:start], data[begin:end], value))
        at = end
    return found


def _by_field(pieces: Sequence[tuple[int, bytes, bytes, Any]]) -> Iterator[tuple[tuple[int, int], tuple[bytes, bytes, Any]]]:
    seen: dict[int, int] = {}
    for number, tag, content, value in pieces:
        seen[number] = seen.get(number, -1) + 1
        yield (number, seen[number]), (tag, content, value)


def _shown(field: Any, content: bytes, value: Any) -> str:
    if value is None:
        return content.decode(errors="replace") if field is not None and field.type == field.TYPE_STRING else f"{len(content)} bytes"
    named = field.enum_type.values_by_number.get(value) if field is not None and field.enum_type is not None else None
    return str(value) if named is None else named.name
