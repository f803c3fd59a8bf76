"""A request and its answer in a few words, as an arrow has room for."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .calls import Call
from .lanes import partitions_in, short

_MOST_NAMED = 3


def title(call: Call) -> str:
    """The request by the name that its protocol has: `EndTxn v5`, `END_TXN`, `GET .../stats`."""
    if call.is_of_admin:
        method, _, path = call.full_name.partition(" ")
        parts = [part for part in path.split("/") if part]
        known = parts[3:] if parts[:1] == ["admin"] else parts
        return f"{method} {short('/'.join(part for part in known if part not in ('public', 'default')))}"
    name, _, version = call.full_name.partition(" ")
    if name == "store":
        return version
    if name.islower():
        name = "".join(word.capitalize() for word in name.split("_"))
    return f"{name} {version}".strip()


def request(call: Call) -> str:
    """`EndTxn v5 commit, transfer, id 1000, epoch 0`."""
    end = f" {call.asked.get('f')}" if call.asked.get("f") in ("commit", "abort") and call.client != "broker" else ""
    reported = ", ".join(filter(None, [*_transaction(call.asked), *_moved(call.asked), *_controlled(call)]))
    return f"{title(call)}{end}{': ' if reported else ''}{reported}"


def answer(call: Call) -> str:
    """`epoch 1`, `INVALID_PRODUCER_EPOCH (47)`, `no answer: the connection was closed`, or `done`."""
    if call.outcome == "info":
        if call.is_unanswered_by_design:
            return "no answer asked for"
        return f"no answer: {call.error.get('msg') or call.error.get('class') or 'the history ends here'}"
    if call.outcome == "fail":
        code = call.error.get("code")
        message = f": {call.error['msg']}" if call.error.get("msg") else ""
        return f"{call.error.get('class', 'refused')}{f' ({code})' if code is not None else ''}{message}"
    event = call.answered or {}
    asked = {*_transaction(call.asked), *_moved(call.asked)}
    reported = [part for part in (*_transaction(event), *_moved(event)) if part not in asked]
    return ", ".join([*reported, *_answered(event.get("ctl") or {})]) or _nothing(call)


def _nothing(call: Call) -> str:
    return "no records" if call.asked.get("f") == "poll" else "done"


def full(call: Call) -> str:
    """What the words leave out, shown when a reader points at them: the receiver, and the time."""
    node = f"{call.client} to {call.node}"
    return f"{node}: {request(call)}\n{answer(call)}"


def helpers(calls: list[Call]) -> str:
    """`4 helper calls: Metadata, FindCoordinator`."""
    names = list(dict.fromkeys(title(call).partition(" v")[0] for call in calls))
    named = ", ".join(names[:_MOST_NAMED]) + (" and others" if len(names) > _MOST_NAMED else "")
    return f"{len(calls)} helper call{'s' if len(calls) != 1 else ''}: {named}"


def _transaction(event: Mapping[str, Any]) -> Iterator[str]:
    if tx := event.get("tx"):
        if tx.get("tid") is not None:
            yield _named(str(tx["tid"]))
        producer, epoch = tx.get("pid"), tx.get("epoch")
        if isinstance(producer, int) and isinstance(epoch, int) and producer >= 0:  # Pulsar's transactions have no epoch
            yield f"id {producer}"
            yield f"epoch {epoch}"
    if (group := event.get("grp")) and group.get("id") is not None:
        yield f"group {short(str(group['id']))}"


def _named(transaction: str) -> str:
    """A transactional id, or a transaction; the key of one is in a list after its namespace, as JSON."""
    if not transaction.startswith("["):
        return short(transaction)
    try:
        parts = json.loads(transaction)
    except ValueError:
        return short(transaction)
    return f"key {'/'.join(short(str(part)) for part in parts if part)}"


def _moved(event: Mapping[str, Any]) -> Iterator[str]:
    """The records, offsets and messages."""
    mops = event.get("mops") or []
    for mop in mops[:_MOST_NAMED]:
        value = f'"{mop["v"]}"' if mop.get("v") is not None else ""
        log = short(str(mop["log"])) if mop.get("log") and mop["m"] in ("offset", "position", "ack_ind", "ack_cum") else ""
        sequence = f"seq {mop['seq']}" if mop.get("seq") is not None and mop["m"] == "send" and mop.get("o") is None else ""
        offset = f"at {mop['o']}" if mop.get("o") is not None else ""
        yield " ".join(filter(None, [log, value, sequence, offset]))
    if len(mops) > _MOST_NAMED:
        yield f"and {len(mops) - _MOST_NAMED} more"


def _controlled(call: Call) -> Iterator[str]:
    about = call.asked.get("ctl") or {}
    if call.client == "broker":
        yield from (f"{name} {about[name]}" for name in ("state", "decision", "kind") if name in about)
        if about.get("deleted"):
            yield "deleted"
        if "record" in about:
            yield short(str(about["record"]))
        return
    if not call.asked.get("mops"):
        named = list(dict.fromkeys(partitions_in(about.get("request"))))
        yield ", ".join(named[:_MOST_NAMED]) + (f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else "")
        if isinstance(request := about.get("request"), Mapping):
            yield ", ".join(short(str(name)) for name in _listed(request.get("transactional_ids")))
    if "key" in about:
        yield f"key {about['key']}"
    if "children" in about:
        yield f"{_counted(about['children'], 'child', 'children')}, epoch {about.get('epoch')}"
    if about.get("segs"):
        yield _counted(about["segs"], "segment", "segments")


def _counted(names: Any, one: str, many: str) -> str:
    """How many names there are in a list of them with commas."""
    count = len(str(names).split(","))
    return f"{count} {one if count == 1 else many}"


def _answered(about: Mapping[str, Any]) -> Iterator[str]:
    """What an answer says that is kept whole, or by fields."""
    answer = about.get("answer")
    if "producer_epoch" in about and "request" not in about:
        yield f"id {about.get('producer_id')}, epoch {about['producer_epoch']}"
    if not isinstance(answer, Mapping):
        return
    reported = list(_states(answer))
    yield from reported[:_MOST_NAMED]
    if len(reported) > _MOST_NAMED:
        yield f"and {len(reported) - _MOST_NAMED} more"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _states(answer: Any) -> Iterator[str]:
    match answer:
        case {"transaction_state": state, **rest}:
            named = ", ".join(list(dict.fromkeys(partitions_in(rest.get("topics"))))[:_MOST_NAMED])
            epoch = f", id {rest.get('producer_id')}, epoch {rest['producer_epoch']}" if "producer_epoch" in rest else ""
            yield f"{state}{f' in {named}' if named else ''}{epoch}"
        case {"partition_index": _, "offset": offset}:
            yield f"offset {offset}"
        case {"producer_epoch": epoch, "last_sequence": last, **rest}:
            since = rest.get("current_txn_start_offset")
            started = f", open since {since}" if isinstance(since, int) and since >= 0 else ""
            yield f"id {rest.get('producer_id')}, epoch {epoch}, last seq {last}{started}"
        case Mapping():
            for inner in answer.values():
                yield from _states(inner)
        case list() | tuple():
            for inner in answer:
                yield from _states(inner)
