"""What a session said, as history events: for each request an `invoke`, then `ok`, `fail` or `info`.

One event is one row of the table that history checkers read: who (`process`), what kind of operation (`f`), under which producer
id and epoch (`tx`), and the records or offsets that it moved (`mops`). `info` means that nobody knows, for ever. A poll's records
are those that a consumer of its isolation level would hand over.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from fencepost.wire.kafka.batches import Batch, MalformedBatch, decode
from fencepost.wire.kafka.entities import api_of, plain

from .recording import Recorded
from .values import AbortedTransaction, Isolation, LogView

Event: TypeAlias = dict[str, Any]
_Part: TypeAlias = Callable[[Any, Any], Event]


def events(recorded: list[Recorded], run_id: str) -> Iterator[Event]:
    """Two events for each call, in the order in which the calls were made. Times are ns since the first of them.

    A client is a process, until a call of which nobody knows the end: what it does then, it does as another one.
    """
    processes: dict[str, int] = {}
    fresh = itertools.count()
    began = recorded[0].at_ms if recorded else 0.0
    for number, call in enumerate(recorded):
        if call.client not in processes:
            processes[call.client] = next(fresh)
        common = {
            "run_id": run_id,
            "client": call.client,
            "node": str(call.node),
            "process": processes[call.client],
            "op_id": 2 * number,
            "api": f"{api_of(call.request)} v{call.request.__version__}",
        }
        details = _PARTS.get(api_of(call.request), _probe)
        asked, told = details(call.request, None), details(call.request, call.answer)
        yield common | {"idx": 2 * number, "t_ns": _ns(call.at_ms - began), "type": "invoke", "error": None} | asked
        error = _error_of(call, told.pop("refused", None))
        outcome = "info" if call.answer is None else "fail" if error else "ok"
        if outcome == "info":
            del processes[call.client]
        yield common | {"idx": 2 * number + 1, "t_ns": _ns(call.at_ms + call.took_ms - began), "type": outcome, "error": error} | told


def _ns(ms: float) -> int:
    return round(ms * 1_000_000)


def _error_of(call: Recorded, refused: Any) -> Event | None:
    if call.answer is None:
        return {"class": "lost", "code": None, "msg": call.lost, "definite": False}
    return {"class": refused.name.upper(), "code": int(refused), "msg": None, "definite": True} if refused else None


def _event(f: str, answered: bool, **parts: Any) -> Event:
    """An operation with the parts that it has; `refused` is the answer's error, 0 for none."""
    empty: Event = {"f": f, "txn_id": None, "tx": None, "grp": None, "iso": None, "mops": [], "ctl": {}}
    if not answered:
        parts.pop("refused", None)
    return empty | parts


def _tx(transactional_id: str | None, producer_id: int, epoch: int) -> Event:
    """The transaction by the pair that names it; for old clients, whose epoch stays, several in a row have one name."""
    return {
        "txn_id": f"{transactional_id}/{producer_id}/{epoch}" if transactional_id and producer_id >= 0 else None,
        "tx": {"tid": transactional_id, "pid": producer_id, "epoch": epoch},
    }


def _mop(kind: str, topic: str | None, partition: int, **known: Any) -> Event:
    return {"m": kind, "topic": topic, "part": partition, "log": f"{topic}-{partition}"} | known


def _init(request: Any, answer: Any) -> Event:
    source = request if answer is None else answer
    return _event(
        "init_txn",
        answer is not None,
        **_tx(request.transactional_id, getattr(source, "producer_id", -1), getattr(source, "producer_epoch", -1)),
        refused=getattr(answer, "error_code", 0),
    )


def _end(request: Any, answer: Any) -> Event:
    after = {"producer_id": getattr(answer, "producer_id", -1), "producer_epoch": getattr(answer, "producer_epoch", -1)}
    return _event(
        "commit" if request.committed else "abort",
        answer is not None,
        **_tx(request.transactional_id, request.producer_id, request.producer_epoch),
        ctl={} if answer is None else after,
        refused=getattr(answer, "error_code", 0),
    )


def _send(request: Any, answer: Any) -> Event:
    sent = [(topic, data) for topic in request.topic_data for data in topic.partition_data]
    answers = [(topic, result) for topic in answer.responses for result in topic.partition_responses] if answer is not None else []
    told = {(_topic(topic), result.index): result for topic, result in answers}  # brokers answer in an order of their own
    mops, first = [], None
    for topic, data in sent:
        result = told.get((_topic(topic), data.index))
        offset = None if result is None or result.error_code else result.base_offset
        for batch in _batches(data.records):
            first = first or batch
            mops += _records("send", _topic(topic), data.index, batch, offset)
    pair = (first.producer_id, first.producer_epoch) if first else (-1, -1)
    refused = next((result.error_code for _, result in answers if result.error_code), 0)
    return _event("send", answer is not None, **_tx(request.transactional_id, *pair), mops=mops, refused=refused)


def _records(kind: str, topic: str | None, partition: int, batch: Batch, base_offset: int | None) -> list[Event]:
    return [
        _mop(
            kind,
            topic,
            partition,
            v=None if record.value is None else record.value.decode(errors="replace"),
            o=None if base_offset is None else base_offset + index,
            seq=batch.base_sequence + index if batch.base_sequence >= 0 else None,
            ts_ns=record.timestamp * 1_000_000,
        )
        for index, record in enumerate(batch.records)
    ]


def _poll(request: Any, answer: Any) -> Event:
    mops = []
    parts = [(topic, part) for topic in answer.responses for part in topic.partitions] if answer is not None else []
    for topic, part in parts:
        aborted = tuple(AbortedTransaction(entry.producer_id, entry.first_offset) for entry in part.aborted_transactions or ())
        view = LogView(tuple(_batches(part.records)), part.high_watermark, part.last_stable_offset, aborted)
        mops += [_mop("recv", _topic(topic), part.partition_index, v=value, o=offset) for offset, value in view.handed_over()]
    return _event(
        "poll",
        answer is not None,
        iso="rc" if request.isolation_level == Isolation.READ_COMMITTED else "ru",
        mops=mops,
        refused=next((part.error_code for _, part in parts if part.error_code), 0),
    )


def _offsets(request: Any, answer: Any) -> Event:
    moved = [(topic.name, part) for topic in request.topics for part in topic.partitions]
    told = [part.error_code for topic in answer.topics for part in topic.partitions] if answer is not None else []
    generation = getattr(request, "generation_id", -1)
    return _event(
        "ack",
        answer is not None,
        **_tx(request.transactional_id, request.producer_id, request.producer_epoch),
        grp={"id": request.group_id} | ({"gen": generation} if generation >= 0 else {}),
        mops=[_mop("offset", topic, part.partition_index, o=part.committed_offset) for topic, part in moved],
        refused=next((code for code in told if code), 0),
    )


def _positions(request: Any, answer: Any) -> Event:
    """What a group has committed, -1 for nothing. One that does not ask for stable offsets may be told those of before an end."""
    (group,) = request.groups
    told = _probe(request, answer) | {"f": "committed", "grp": {"id": group.group_id}, "iso": "rc" if request.require_stable else "ru"}
    if answer is None:
        return told
    parts = [(topic.name, part) for entry in answer.groups for topic in entry.topics for part in topic.partitions]
    return told | {
        "mops": [_mop("position", topic, part.partition_index, o=part.committed_offset) for topic, part in parts if not part.error_code],
        "refused": next((error.error_code for error in (*answer.groups, *(part for _, part in parts)) if error.error_code), 0),
    }


def _probe(request: Any, answer: Any) -> Event:
    """What only looks or prepares. Checkers have no use for it; what it was told about transactions is kept for comparing two runs."""
    told = answer is not None and api_of(request) in _TOLD
    asked = {"request": plain(request)} if api_of(request) in _TOLD else {}
    return _event(
        "probe", answer is not None, refused=getattr(answer, "error_code", 0), ctl=asked | ({"answer": plain(answer)} if told else {})
    )


def _topic(entry: Any) -> str | None:
    """The topic's name; versions that name topics by id have only that."""
    names = (getattr(entry, field, None) for field in ("name", "topic", "topic_id"))
    return next((str(name) for name in names if name is not None), None)


def _batches(data: bytes | None) -> tuple[Batch, ...]:
    try:
        return decode(data or b"")
    except MalformedBatch:  # the scenario is red for it; the event says what could be read
        return ()


_TOLD = frozenset(
    {
        "add_offsets_to_txn",
        "add_partitions_to_txn",
        "describe_producers",
        "describe_transactions",
        "list_offsets",
        "list_transactions",
        "offset_fetch",
        "write_txn_markers",
    }
)
"""The calls that are kept whole."""

_PARTS: Mapping[str, _Part] = {
    "init_producer_id": _init,
    "end_txn": _end,
    "produce": _send,
    "fetch": _poll,
    "offset_fetch": _positions,
    "txn_offset_commit": _offsets,
}
