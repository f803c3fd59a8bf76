"""What the exchanges of Pulsar contribute to the checklist: commands, and calls of administrators.

The arrays follow from the descriptors of the commands that the run has exchanged, and from the JSON of calls of administrators; the
refusals follow from the answers. Names of the protocol `pulsar-scalable` begin with `scalable`: a segment is another implementation of a
topic.

A command has one answer for all of its entries, so the kind of an entry in a request is whether the play has named the same entry before:
an acknowledgement whose last message alone was acknowledged before, a list whose last participant alone is new. A refusal of such a request
is counted by its array too. The kind of any other entry is its state, if it has one.
"""

import functools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from fencepost.adapters.pulsar import kept_exchanges
from fencepost.adapters.pulsar.tape import EntryKind, TapeEntry
from fencepost.adapters.replay.replay_programs import Lines
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.batches import count_of
from fencepost.wire.pulsar.commands import plain
from fencepost.wire.pulsar.frames import Frame

from .checklist_moment import ExchangeMoment, last_alone_differs, lists_at

_LOOKS = frozenset({"MESSAGE", "END_TXN", "END_TXN_ON_PARTITION", "END_TXN_ON_SUBSCRIPTION", "GET_LAST_MESSAGE_ID_RESPONSE"})
_PAYLOADS = frozenset({"SEND", "MESSAGE"})
_ONE_NAMED = ("request_id", "session_id", "watch_id")
_STATES = ("state", "status", "aborted")
_NAMED_BY_SCENARIOS = re.compile(r"[^a-zA-Z]")
"""What the key of a JSON object has if it is an id or a name; the fields of the admin interface are words."""

_WORDS = frozenset(
    {
        *("compaction", "deduplication", "internalStats", "merge", "messageTTL", "partitions", "retention", "split", "stats"),
        *("subscriptions", "terminate", "unload"),
    }
)
"""What an admin path has after the name of a namespace and is no name."""


def moments(lines: Lines, place: str) -> Iterator[ExchangeMoment]:
    """The exchanges of a play, in their order: one moment for a request, and one for an answer or a push."""
    head = kept_exchanges.KeptHead.of(lines[0], place)
    reader = _Play("scalable " if head.protocol == "pulsar-scalable" else "", head.suffix)
    for entry in kept_exchanges.read(lines, place):
        match entry.kind, entry.content:
            case EntryKind.SENT, Frame() as frame:
                yield reader.sent(entry, frame)
            case EntryKind.RECEIVED, Frame() as frame:
                yield reader.received(entry, frame)
            case EntryKind.ASKED, AdminRequest() as request:
                reader.calls[entry.number] = request
            case EntryKind.ANSWERED, AdminAnswer() as answer:
                yield reader.administered(reader.calls[entry.number], answer)


class _Sent(NamedTuple):
    """A request that waits for its answer: its command, its body, and its arrays that have entries, each with whether it is covered."""

    name: str
    body: Mapping[str, Any]
    full: Mapping[str, bool]


class _Play:
    """What a play has sent so far: the requests, what they are about, and the entries of their arrays."""

    def __init__(self, prefix: str, suffix: str) -> None:
        self.calls: dict[int, AdminRequest] = {}
        self._prefix = prefix
        self._suffix = suffix
        self._waiting: dict[tuple[int, str, Any], _Sent] = {}
        self._topics: dict[tuple[int, str, int], str] = {}
        self._keys: dict[int, str] = {}
        self._named: set[str] = set()

    def sent(self, entry: TapeEntry, frame: Frame) -> ExchangeMoment:
        body = plain(frame.body)
        self._remember(entry.number, frame.name, body)
        arrays = self._arrays(frame, body, is_request=True)
        full = {
            name: arrays[name]
            for name, kind in _arrays_of(frame.body.DESCRIPTOR, frame.name).items()
            if kind == "named" and any(lists_at(body, name.split(".")[1:]))
        }
        request = _Sent(frame.name, body, full)
        for name in _ONE_NAMED:
            if name in body:
                self._waiting[entry.number, name, body[name]] = request
        if frame.name == "SEND":
            self._waiting[entry.number, "sequence_id", (body["producer_id"], body["sequence_id"])] = request
        return ExchangeMoment(self._ours(arrays), is_look=frame.name in _LOOKS)

    def received(self, entry: TapeEntry, frame: Frame) -> ExchangeMoment:
        body = plain(frame.body)
        arrays = self._arrays(frame, body, is_request=False)
        asked = self._asked(entry.number, body)
        if asked is None:
            return ExchangeMoment(self._ours(arrays), is_look=frame.name in _LOOKS)
        name, request, full = asked
        about, transaction = self._about(entry.number, name, request), _transaction(request)
        if "error" in body:
            arrays |= {f"{array} {body['error']}": covered for array, covered in full.items()}
            return ExchangeMoment(
                self._ours(arrays), frozenset({f"{self._prefix}{name} {body['error']}"}), about, is_look=frame.name in _LOOKS
            )
        if name == "TC_CLIENT_CONNECT_REQUEST" and "transaction_key" in request:
            self._keys[entry.number] = f"key {request['transaction_key']}"
        has_data = name in ("SEND", "ACK") and transaction is not None
        return ExchangeMoment(
            self._ours(arrays),
            is_look=frame.name in _LOOKS,
            wrote=(str(transaction), *sorted(about - {str(transaction)})) if has_data else (),
            ended=transaction if name == "END_TXN" else None,
        )

    def administered(self, request: AdminRequest, answer: AdminAnswer) -> ExchangeMoment:
        name = f"{request.method} {self._template(request.path)}"
        arrays: dict[str, bool] = {}
        for array, covered in (*_json_arrays(request.body, f"{name} request"), *_json_arrays(_read(answer), f"{name} answer")):
            arrays[array] = arrays.get(array, False) or covered
        parts = request.path.split("/")
        about = set()
        if "public" in parts and len(parts) > parts.index("public") + 2 and "namespaces" not in parts:
            at = parts.index("public")
            about.add("/".join(parts[at : at + 3]))
        ids = re.search(r"/(\d+)/(\d+)$", request.path) if "transactions" in parts else None
        transaction = f"{ids[1]},{ids[2]}" if ids else None
        if transaction:
            about |= {transaction, f"coordinator {transaction.partition(',')[0]}"}
        is_refused = answer.status >= 400
        return ExchangeMoment(
            self._ours(arrays),
            frozenset(self._ours({f"{name} {answer.status}": True})) if is_refused else frozenset(),
            frozenset(about),
            is_look=request.method == "GET",
            ended=transaction if not is_refused and "abortTransaction" in parts else None,
        )

    def _ours(self, named: Mapping[str, bool]) -> dict[str, bool]:
        return {self._prefix + name: covered for name, covered in named.items()}

    def _remember(self, connection: int, name: str, body: Mapping[str, Any]) -> None:
        """What a producer or consumer of a connection is about."""
        if name == "PRODUCER":
            self._topics[connection, "producer_id", body["producer_id"]] = _topic(body["topic"])
        elif name == "SUBSCRIBE":
            self._topics[connection, "consumer_id", body["consumer_id"]] = _topic(body["topic"])

    def _asked(self, connection: int, body: Mapping[str, Any]) -> _Sent | None:
        """The request that an answer is for."""
        if "producer_id" in body and "sequence_id" in body:
            return self._waiting.get((connection, "sequence_id", (body["producer_id"], body["sequence_id"])))
        return next((found for name in _ONE_NAMED if (found := self._waiting.get((connection, name, body.get(name))))), None)

    def _about(self, connection: int, name: str, body: Mapping[str, Any]) -> frozenset[str]:
        """The names of a request: its transaction and coordinator, its topic, and the key of its connection."""
        names = {_topic(body["topic"])} if "topic" in body else set()
        for kind in ("producer_id", "consumer_id"):
            if topic := self._topics.get((connection, kind, body.get(kind, -1))):
                names.add(topic)
        if transaction := _transaction(body):
            names |= {transaction, f"coordinator {transaction.partition(',')[0]}"}
        if name in ("NEW_TXN", "TC_CLIENT_CONNECT_REQUEST"):
            names.add(f"coordinator {body.get('tc_id', 0)}")
        if "transaction_key" in body:
            names.add(f"key {body['transaction_key']}")
        elif transaction and connection in self._keys:
            names.add(self._keys[connection])
        return frozenset(names)

    def _arrays(self, frame: Frame, body: Mapping[str, Any], *, is_request: bool) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for name, kind in _arrays_of(frame.body.DESCRIPTOR, frame.name).items():
            lists = list(lists_at(body, name.split(".")[1:]))
            if kind == "named" and is_request:
                found[name] = any(last_alone_differs([_text(one) in self._named for one in entries]) for entries in lists)
                for entries in lists:
                    self._named.update(map(_text, entries))
            elif kind in ("state", "number"):
                found[name] = any(last_alone_differs([one["state"] if kind == "state" else one for one in entries]) for entries in lists)
            else:
                found[name] = any(len(entries) > 1 for entries in lists)
        if frame.name in _PAYLOADS and frame.payload is not None:
            found[f"{frame.name}.messages"] = count_of(frame.payload.metadata) > 1
            found[f"{frame.name}.properties"] = len(frame.payload.metadata.properties) > 1
        return found

    def _template(self, path: str) -> str:
        """A path without what scenarios name: `/admin/v2/scalable/public/*/*/split/*`."""
        parts = path.split("/")
        at = parts.index("public") if "public" in parts else len(parts)
        kept = (
            "*" if part.isdigit() or self._suffix in part or (index > at and part not in _WORDS) else part
            for index, part in enumerate(parts)
        )
        return "/".join(kept)


def _transaction(body: Mapping[str, Any]) -> str | None:
    has_one = "txnid_least_bits" in body or "txnid_most_bits" in body
    return f"{body.get('txnid_most_bits', 0)},{body.get('txnid_least_bits', 0)}" if has_one else None


def _topic(name: str) -> str:
    """The topic that a topic, a partition or a segment belongs to."""
    path = name.rpartition("://")[2]
    return re.sub(r"-partition-\d+$", "", "/".join(path.split("/")[:3]))


def _text(one: Any) -> str:
    """An entry, however much of it is left at the protocol's default."""
    return json.dumps({name: part for name, part in one.items() if part != -1} if isinstance(one, dict) else one, sort_keys=True)


@functools.cache
def _arrays_of(descriptor: Descriptor, name: str) -> Mapping[str, str]:
    """The repeated fields of a command, and what the kind of their entries is: `named`, `state`, `number` or nothing."""
    return dict(_repeated(descriptor, name))


def _repeated(descriptor: Descriptor, path: str) -> Iterator[tuple[str, str]]:
    for field in descriptor.fields:
        here, inner = f"{path}.{field.name}", field.message_type
        if field.is_repeated:
            yield here, _kind_of(field)
        if inner is not None:
            yield from _repeated(inner, here)


def _kind_of(field: FieldDescriptor) -> str:
    inner = field.message_type
    if inner is not None and inner.name == "KeyValue":
        return ""
    if inner is not None and "state" in inner.fields_by_name:
        return "state"
    return "number" if field.name == "ack_set" else "named"


def _read(answer: AdminAnswer) -> Any:
    if answer.status != 200 or not answer.content_type.startswith("application/json"):
        return None
    try:
        return json.loads(answer.body)
    except ValueError:
        return None


def _json_arrays(value: Any, path: str) -> Iterator[tuple[str, bool]]:
    """The lists of JSON, and its objects whose keys are ids or names."""
    entries = None
    if isinstance(value, list):
        entries = value
    elif isinstance(value, dict) and any(map(_NAMED_BY_SCENARIOS.search, value)):
        entries = list(value.values())
    if entries is not None:
        states = [next((one[name] for name in _STATES if isinstance(one, dict) and name in one), None) for one in entries]
        yield path, last_alone_differs(states) if any(state is not None for state in states) else len(entries) > 1
        for one in entries:
            yield from _json_arrays(one, f"{path}.*")
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _json_arrays(inner, f"{path}.{name}")
