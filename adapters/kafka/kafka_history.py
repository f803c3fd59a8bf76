"""The exchanges of a session as history events: for each request an `invoke`, then `ok`, `fail` or `info`.

An event has the client that asked (`process`), the kind of operation (`f`), the producer id and epoch (`tx`), and the records or offsets
that it moved (`mops`). A poll's records are those that a consumer of its isolation level would return.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

from fencepost.adapters.common.recording import shown_text
from fencepost.contract.events import Error, Event, Group, Mop, Operation
from fencepost.contract.events import Isolation as Iso
from fencepost.contract.events import Outcome as Ending
from fencepost.contract.operations import NamedTransaction, Processes, no_answer, operation
from fencepost.wire.kafka.batches import Batch, MalformedBatch, decode
from fencepost.wire.kafka.entities import api_of, plain

from .history_topics import SessionTopics
from .kafka_recording import RecordedRequest
from .kafka_values import AbortedTransaction, IsolationLevel, LogView


class _Read(NamedTuple):
    """The operation of a call, with the error code of its answer; 0 if there is none."""

    operation: Operation
    error_code: Any = 0


class _Head(TypedDict):
    """What both events of a call have; `op_id` is the number of the first."""

    run_id: str
    client: str
    node: str
    process: int
    op_id: int
    api: str


_Reader: TypeAlias = Callable[[Any, Any], _Read]
"""Reads a request with its answer, which is None for the event at the beginning of a call, and if no answer came."""


def events(calls: Sequence[RecordedRequest], run_id: str) -> Iterator[Event]:
    """Two events for each call, in the order of time. Times are ns since the first call began."""
    processes, topics = Processes(), SessionTopics()
    began = min((call.at_ms for call in calls), default=0.0)
    open_calls: dict[int, tuple[_Reader, _Head]] = {}
    for idx, (_, number, is_end) in enumerate(_moments(calls)):
        call = calls[number]
        if not is_end:
            api = api_of(call.request)
            reader, head = _READERS.get(api, _probe), _head(call, run_id, api, processes.beginning(number, call.client), idx)
            open_calls[number] = reader, head
            yield _event(head, idx, "invoke", _ns(call.at_ms - began), None, reader(call.request, None).operation, topics)
            continue
        reader, head = open_calls.pop(number)
        read = reader(call.request, call.answer)
        error = _error_of(call, read.error_code)
        ending: Ending = "info" if call.answer is None else "fail" if error else "ok"
        processes.ending(number, for_good=ending == "info")
        yield _event(head, idx, ending, _ns(call.at_ms + call.took_ms - began), error, read.operation, topics)
        topics.learn(call)


def _moments(calls: Sequence[RecordedRequest]) -> list[tuple[int, int, bool]]:
    """The beginning and the end of each call: the moment, the call's number, and whether it is the end."""
    ends = [(call.ended, number, True) for number, call in enumerate(calls)]
    return sorted([*((call.began, number, False) for number, call in enumerate(calls)), *ends])


def _head(call: RecordedRequest, run_id: str, api: str, process: int, op_id: int) -> _Head:
    return {
        "run_id": run_id,
        "client": call.client,
        "node": str(call.node),
        "process": process,
        "op_id": op_id,
        "api": f"{api} v{call.request.__version__}",
    }


def _event(head: _Head, idx: int, outcome: Ending, t_ns: int, error: Error | None, about: Operation, topics: SessionTopics) -> Event:
    return {**head, "idx": idx, "t_ns": t_ns, "type": outcome, "error": error, **about, "mops": topics.placed(about["mops"])}


def _ns(ms: float) -> int:
    return round(ms * 1_000_000)


def _error_of(call: RecordedRequest, error_code: Any) -> Error | None:
    if call.answer is None:
        return no_answer(call.lost)
    if not error_code:
        return None
    return {"class": error_code.name.upper(), "code": int(error_code), "msg": None, "definite": True}


def _first_error(parts: Iterable[Any]) -> Any:
    """The first error code among the parts of an answer; 0 if there is none."""
    return next((part.error_code for part in parts if part.error_code), 0)


def _transaction(transactional_id: str | None, producer_id: int, epoch: int) -> NamedTransaction:
    """The transaction by its producer id and epoch; successive transactions of an old client, whose epoch stays, have one name."""
    txn_id = f"{transactional_id}/{producer_id}/{epoch}" if transactional_id and producer_id >= 0 else None
    return NamedTransaction(txn_id, {"tid": transactional_id, "pid": producer_id, "epoch": epoch})


def _offset(kind: Literal["offset", "position"], topic: str | None, partition: int, offset: int) -> Mop:
    return {"m": kind, "topic": topic, "part": partition, "log": f"{topic}-{partition}", "o": offset}


def _init(request: Any, answer: Any) -> _Read:
    source = request if answer is None else answer
    named = _transaction(request.transactional_id, getattr(source, "producer_id", -1), getattr(source, "producer_epoch", -1))
    return _Read(operation("init_txn", named), getattr(answer, "error_code", 0))


def _end(request: Any, answer: Any) -> _Read:
    named = _transaction(request.transactional_id, request.producer_id, request.producer_epoch)
    after = {"producer_id": getattr(answer, "producer_id", -1), "producer_epoch": getattr(answer, "producer_epoch", -1)}
    about = operation("commit" if request.committed else "abort", named, ctl={} if answer is None else after)
    return _Read(about, getattr(answer, "error_code", 0))


def _send(request: Any, answer: Any) -> _Read:
    sent = [(topic, data) for topic in request.topic_data for data in topic.partition_data]
    answers = [(topic, result) for topic in answer.responses for result in topic.partition_responses] if answer is not None else []
    answered = {(_topic(topic), result.index): result for topic, result in answers}  # brokers may answer in another order
    mops: list[Mop] = []
    first: Batch | None = None
    for topic, data in sent:
        result = answered.get((_topic(topic), data.index))
        offset = None if result is None or result.error_code else result.base_offset
        for batch in _batches(data.records):
            first = first or batch
            mops += _records_sent(_topic(topic), data.index, batch, offset)
    producer = (first.producer_id, first.producer_epoch) if first else (-1, -1)
    named = _transaction(request.transactional_id, *producer)
    return _Read(operation("send", named, mops=mops), _first_error(result for _, result in answers))


def _records_sent(topic: str | None, partition: int, batch: Batch, base_offset: int | None) -> list[Mop]:
    return [
        {
            "m": "send",
            "topic": topic,
            "part": partition,
            "log": f"{topic}-{partition}",
            "v": shown_text(record.value),
            "o": None if base_offset is None else base_offset + index,
            "seq": batch.base_sequence + index if batch.base_sequence >= 0 else None,
            "ts_ns": record.timestamp * 1_000_000,
        }
        for index, record in enumerate(batch.records)
    ]


def _poll(request: Any, answer: Any) -> _Read:
    mops: list[Mop] = []
    logs: list[dict[str, Any]] = []
    parts = [(topic, part) for topic in answer.responses for part in topic.partitions] if answer is not None else []
    for topic, part in parts:
        aborted = tuple(AbortedTransaction(entry.producer_id, entry.first_offset) for entry in part.aborted_transactions or ())
        view = LogView(tuple(_batches(part.records)), part.high_watermark, part.last_stable_offset, aborted)
        mops += [_record_read(_topic(topic), part.partition_index, value, offset) for offset, value in view.handed_over()]
        logs.append({"log": f"{_topic(topic)}-{part.partition_index}", "stable": int(part.last_stable_offset), "markers": _markers(view)})
    iso: Iso = "rc" if request.isolation_level == IsolationLevel.READ_COMMITTED else "ru"
    return _Read(operation("poll", iso=iso, mops=mops, ctl={"logs": logs} if logs else {}), _first_error(part for _, part in parts))


def _markers(view: LogView) -> list[dict[str, Any]]:
    """The transaction markers that a Fetch showed, which are no records to a reader."""
    found = ((batch, batch.marker) for batch in view.batches)
    return [
        {"offset": int(batch.base_offset), "kind": marker.type.name, "producer_id": int(batch.producer_id)}
        for batch, marker in found
        if marker
    ]


def _record_read(topic: str | None, partition: int, value: str, offset: int) -> Mop:
    return {"m": "recv", "topic": topic, "part": partition, "log": f"{topic}-{partition}", "v": value, "o": offset}


def _offsets(request: Any, answer: Any) -> _Read:
    moved = [(topic.name, part) for topic in request.topics for part in topic.partitions]
    answered = [part for topic in answer.topics for part in topic.partitions] if answer is not None else []
    generation = getattr(request, "generation_id", -1)
    group: Group = {"id": request.group_id, "gen": generation} if generation >= 0 else {"id": request.group_id}
    named = _transaction(request.transactional_id, request.producer_id, request.producer_epoch)
    mops = [_offset("offset", topic, part.partition_index, part.committed_offset) for topic, part in moved]
    return _Read(operation("ack", named, grp=group, mops=mops), _first_error(answered))


def _positions(request: Any, answer: Any) -> _Read:
    """The offsets that a group has committed, -1 for none. Without `require_stable` the answer may have those from before an end.

    An operation has one group, so a request about several is one that no checker judges.
    """
    asked = getattr(request, "groups", (request,))  # before version 8 the request is about one group
    if len(asked) != 1:
        return _whole(request, answer)
    group = asked[0]
    iso: Iso = "rc" if getattr(request, "require_stable", False) else "ru"
    if answer is None:
        return _Read(operation("committed", grp={"id": group.group_id}, iso=iso, ctl={"request": plain(request)}))
    groups = getattr(answer, "groups", (answer,))
    parts = [(_topic(topic), part) for entry in groups for topic in entry.topics for part in topic.partitions]
    mops = [_offset("position", topic, part.partition_index, part.committed_offset) for topic, part in parts if not part.error_code]
    ctl = {"request": plain(request), "answer": plain(answer)}
    about = operation("committed", grp={"id": group.group_id}, iso=iso, mops=mops, ctl=ctl)
    return _Read(about, _first_error((*(entry for entry in groups if hasattr(entry, "error_code")), *(part for _, part in parts))))


def _probe(request: Any, answer: Any) -> _Read:
    """A request that only reads or prepares. No checker judges it; content about transactions is kept, so that two runs can be compared."""
    if api_of(request) in _KEPT_WHOLE:
        return _whole(request, answer)
    return _Read(operation("probe", ctl={}), getattr(answer, "error_code", 0))


def _whole(request: Any, answer: Any) -> _Read:
    """A request that no checker judges, with all its content."""
    ctl = {"request": plain(request)} | ({"answer": plain(answer)} if answer is not None else {})
    return _Read(operation("probe", ctl=ctl), getattr(answer, "error_code", 0))


def _topic(entry: Any) -> str | None:
    """The topic's name, or its id in versions that have only the id."""
    names = (getattr(entry, field, None) for field in ("name", "topic", "topic_id"))
    return next((str(name) for name in names if name is not None), None)


@functools.lru_cache(maxsize=16)
def _batches(data: bytes | None) -> tuple[Batch, ...]:
    """Cached from the beginning of a call until its end, whose event has the same bytes."""
    try:
        return decode(data or b"")
    except MalformedBatch:  # the scenario is red because of it; the event has what could be read
        return ()


_KEPT_WHOLE = frozenset(
    {
        "add_offsets_to_txn",
        "add_partitions_to_txn",
        "describe_producers",
        "describe_transactions",
        "list_offsets",
        "list_transactions",
        "write_txn_markers",
    }
)
"""The probes whose request and answer are kept whole."""

_READERS: Mapping[str, _Reader] = {
    "init_producer_id": _init,
    "end_txn": _end,
    "produce": _send,
    "fetch": _poll,
    "offset_fetch": _positions,
    "txn_offset_commit": _offsets,
}
