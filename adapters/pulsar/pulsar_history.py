"""The exchanges of a session as history events: for each call an `invoke`, then `ok`, `fail` or `info`.

One event is one row of the table that history checkers read, in the schema of all protocols. The transaction is `tx`: its id as `tid`, or
its key (`history_keys`), and its coordinator as `pid`. A record is in `mops` with its entry, as `pid_ledger` and `pid_entry`, and its place
in the entry, as `pid_batch`; `message_places` gives each its number `o`. A message that a broker delivers is a poll of its consumer: since
frames do not overtake each other, it may have been in flight since the last call that was answered before it on its connection.

Calls of one client may overlap, but a process does one thing after another. So a call that begins while others are in flight belongs to
another process, the sends of each transaction have a separate process, and a process ends with a call whose outcome is unknown.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import unquote

from fencepost.adapters.common.recording import shown_text
from fencepost.contract.events import Error, Event, Function, Group, Mop, MopKind, Operation
from fencepost.contract.events import Outcome as Ending
from fencepost.contract.operations import NO_TRANSACTION, NamedTransaction, Processes, no_answer, operation
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.ack_sets import holds
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.batches import BatchedMessage, entries, is_batch
from fencepost.wire.pulsar.frames import Frame, Payload
from fencepost.wire.pulsar.message_parsing import MalformedPulsarFrame

from . import history_keys, message_places
from .history_layouts import changes
from .history_subscriptions import Lives
from .layout_changes import LayoutChange
from .pulsar_error_outcomes import UNDECIDED
from .pulsar_recording import PulsarCall
from .pulsar_values import MessageId, TransactionId
from .store_writes import StoreWrite
from .withdrawn_records import withdrawn

_Moment: TypeAlias = tuple[int, bool, float]


def events(calls: Sequence[PulsarCall], run_id: str) -> list[Event]:
    """Two events for each call, in the order of time; times are ns since the first call.

    Changes of layouts, of which clients are only notified, are separate calls.
    """
    calls = [*calls, *changes(calls)]
    processes, lives, keys, failed = Processes(), Lives(calls), history_keys.Keys(calls), withdrawn(calls)
    op_ids: dict[int, int] = {}
    history: list[Event] = []
    for number, is_end, at_ms in _moments(calls):
        call = calls[number]
        error = (failed.get(call) or _error(call)) if is_end else None
        outcome: Ending = "invoke" if not is_end else "ok" if error is None else "fail" if error["definite"] else "info"
        process = processes.ending(number, for_good=outcome == "info") if is_end else processes.beginning(number, _actor(call))
        event: Event = {
            "run_id": run_id,
            "idx": len(history),
            "t_ns": round((at_ms - calls[0].at_ms) * 1_000_000),
            "client": call.client,
            "node": call.node,
            "process": process,
            "op_id": op_ids.setdefault(number, len(history)),
            "api": call.name,
            "type": outcome,
            "error": error,
            **_operation(call, answered=is_end),
        }
        lives.name(event, call)
        keys.name(event)
        history.append(event)
    message_places.number(history)
    return history


def _actor(call: PulsarCall) -> str:
    """The actor that does one thing after another: a client, or each of its transactions, since systems may reorder the sends of two."""
    match call.request:
        case Frame(name="SEND") as frame if (named := _transaction(call, frame.body)).txn_id:
            return f"{call.client} {named.txn_id}"
        case _:
            return call.client


def _moments(calls: Sequence[PulsarCall]) -> list[_Moment]:
    """The beginning and end of each call: its number, whether it is the end, and the time. Calls that have not ended end last."""
    never = 2 * len(calls) + 1
    last_ms = max((call.at_ms if call.ended_ms is None else call.ended_ms for call in calls), default=0.0)
    found = []
    for number, call in enumerate(calls):
        found.append((call.began, (number, False, call.at_ms)))
        found.append((never if call.ended is None else call.ended, (number, True, last_ms if call.ended_ms is None else call.ended_ms)))
    return [moment for _, moment in sorted(_with_ways(calls, sorted(found)))]


def _with_ways(calls: Sequence[PulsarCall], moments: list[tuple[int, _Moment]]) -> Iterator[tuple[int, _Moment]]:
    """The same moments, but pushed frames begin as early as the broker may have sent them."""
    answered: dict[tuple[str, str], tuple[int, float]] = {}
    for when, (number, is_end, at_ms) in moments:
        call = calls[number]
        connection = (call.client, call.node)
        if not is_end and call.request is None:
            earliest, earliest_ms = answered.get(connection, (when, at_ms))
            yield earliest, (number, is_end, earliest_ms)
        else:
            yield when, (number, is_end, at_ms)
        if is_end and isinstance(call.request, Frame) and call.answer is not None:
            answered[connection] = max(answered.get(connection, (0, 0.0)), (call.began, call.at_ms))


def _is_open(call: PulsarCall) -> bool:
    """Whether its outcome is unknown. A request that needs no answer counts as known once it was sent."""
    return call.lost is not None or (call.answer is None and not call.one_way)


def _error(call: PulsarCall) -> Error | None:
    if call.one_way and call.name == "ACK":
        return {"class": "unanswered", "code": None, "msg": "no answer was asked for", "definite": False}
    if _is_open(call):
        return no_answer(call.lost or "nothing has come")
    match call.answer:
        case Frame() as frame if "error" in frame.body.DESCRIPTOR.fields_by_name and frame.body.HasField("error"):
            body = frame.body
            return {
                "class": pb.ServerError.Name(body.error),
                "code": body.error,
                "msg": body.message or None,
                "definite": body.error not in UNDECIDED,
            }
        case AdminAnswer(status=status) if status >= 300:
            return {"class": "http", "code": status, "msg": None, "definite": status < 500}
        case _:
            return None


def _operation(call: PulsarCall, *, answered: bool) -> Operation:
    """The operation of a call; at its end also its result."""
    answer = call.answer.body if answered and isinstance(call.answer, Frame) else None
    match call.request:
        case Frame() as frame:
            describe = _REQUESTS.get(frame.name)
            return describe(call, frame, answer) if describe else operation("probe")
        case AdminRequest() as request:
            return _administration(request, call.answer if answered else None)
        case StoreWrite() | LayoutChange() as known:
            return known.as_operation()
        case None:
            return _delivery(call, answered)


def _transaction(call: PulsarCall, body: Any) -> NamedTransaction:
    """The transaction that a request names, or its answer. The request shows its kind, or the client knows it."""
    if not (body.HasField("txnid_most_bits") and body.HasField("txnid_least_bits")):
        return NO_TRANSACTION
    is_scalable = call.about.get("scalable", False) or (isinstance(call.request, Frame) and getattr(call.request.body, "scalable", False))
    name = str(TransactionId(body.txnid_most_bits, body.txnid_least_bits, is_scalable))
    return NamedTransaction(name, {"tid": name, "pid": body.txnid_most_bits, "epoch": None})


def _mop(kind: MopKind, topic: str | None, message: MessageId | None) -> Mop:
    position = None if message is None or not message.was_stored else message.position
    return {
        "m": kind,
        "topic": topic,
        "part": None,
        "log": topic,
        "o": None,
        "pid_ledger": None if position is None else position.ledger,
        "pid_entry": None if position is None else position.entry,
        "pid_batch": message.batch_index if message is not None and message.batch_index >= 0 else None,
    }


def _in_batch(entry: MessageId, index: int, size: int) -> MessageId | None:
    """A message of a batch; None for a batch that is one of several in its entry, since a message id has no place for it."""
    return None if entry.batch_index >= 0 else entry.in_batch(index, size)


def _records(kind: MopKind, topic: str | None, payload: Payload, entry: MessageId | None, ack_set: Sequence[int] = ()) -> list[Mop]:
    """The messages of a payload; of a batch only those that are not acknowledged yet, if the broker reports which those are."""
    try:
        found = entries(payload)
    except MalformedPulsarFrame:  # the scenario is red because of it; the event has what could be read
        return []
    batched = is_batch(payload.metadata)
    return [
        _record(kind, topic, _in_batch(entry, index, len(found)) if batched and entry else entry, message)
        for index, message in enumerate(found)
        if not ack_set or holds(ack_set, index)
    ]


def _record(kind: MopKind, topic: str | None, id: MessageId | None, message: BatchedMessage) -> Mop:  # noqa: A002 - the protocol's word
    mop: Mop = {**_mop(kind, topic, id), "v": shown_text(message.value), "seq": message.sequence_id}
    if message.key is not None:
        mop["mkey"] = message.key
    return mop


def _group(call: PulsarCall) -> Group:
    """The subscription of the call's consumer; None for a message to a consumer that the client does not have."""
    return {"id": call.about.get("subscription")}


def _send(call: PulsarCall, frame: Frame, answer: Any) -> Operation:
    assert frame.payload is not None
    stored = MessageId.of(answer.message_id) if isinstance(answer, pb.CommandSendReceipt) else None
    mops = _records("send", call.about.get("topic"), frame.payload, stored)
    if (hashed := call.about.get("hash")) is not None:
        for mop in mops:
            mop["hash"] = hashed
    return operation("send", _transaction(call, frame.body), mops=mops)


def _ack(call: PulsarCall, frame: Frame, _answer: Any) -> Operation:
    kind: MopKind = "ack_cum" if frame.body.ack_type == pb.CommandAck.Cumulative else "ack_ind"
    mops = [_mop(kind, call.about.get("topic"), MessageId.of(one)) for one in frame.body.message_id]
    return operation("ack", _transaction(call, frame.body), grp=_group(call), mops=mops)


def _subscribe(_call: PulsarCall, frame: Frame, _answer: Any) -> Operation:
    body = frame.body
    group: Group = {"id": body.subscription, "gen": None, "member": body.consumer_name}
    lasts = {} if body.durable else {"durable": "false"}
    return operation("subscribe", grp=group, ctl={"topic": body.topic, "type": pb.CommandSubscribe.SubType.Name(body.sub_type), **lasts})


def _new(call: PulsarCall, _frame: Frame, answer: Any) -> Operation:
    return operation("begin", _transaction(call, answer) if answer is not None and not answer.HasField("error") else NO_TRANSACTION)


def _end(call: PulsarCall, frame: Frame, _answer: Any) -> Operation:
    return operation("commit" if frame.body.txn_action == pb.COMMIT else "abort", _transaction(call, frame.body))


def _transactional(call: PulsarCall, frame: Frame, _answer: Any) -> Operation:
    return operation("probe", _transaction(call, frame.body))


def _delivery(call: PulsarCall, answered: bool) -> Operation:
    match call.answer:
        case Frame(payload=Payload() as payload) as frame:
            topic, entry = call.about.get("topic"), MessageId.of(frame.body.message_id)
            read = _records("recv", topic, payload, entry, frame.body.ack_set) if answered else []
            return operation("poll", grp=_group(call), iso="rc", mops=read)
        case Frame(body=pb.CommandScalableTopicAssignmentUpdate(assignment=assignment)):
            return _assigned(call, assignment if answered else None)
        case _:
            return operation("probe")


def _stream(call: PulsarCall, _frame: Frame, answer: Any) -> Operation:
    is_notified = isinstance(answer, pb.CommandScalableTopicSubscribeResponse) and answer.HasField("assignment")
    return _assigned(call, answer.assignment if is_notified else None)


def _assigned(call: PulsarCall, assignment: Any) -> Operation:
    """The segments that a consumer of a whole topic has from now on. They are no `mops`: it reads each from its subscription's position."""
    reported = assignment is not None
    group: Group = {**_group(call), "gen": assignment.layout_epoch if reported else None, "member": call.about.get("member", "")}
    segments = {"segs": ",".join(one.segment_topic for one in assignment.segments)} if reported else {}
    return operation("assign", grp=group, ctl={"topic": call.about.get("topic"), **segments})


def _seek(call: PulsarCall, _frame: Frame, _answer: Any) -> Operation:
    return operation("seek", grp=_group(call))


def _administration(request: AdminRequest, answer: Any) -> Operation:
    """An administrator's call. If a topic has one subscription, its position is recorded.

    It is not stable (`iso` is ru): acknowledgements outside transactions last only once they are stored.
    """
    if found := _REGISTERED.fullmatch(request.path):
        f: Function = "subscribe" if request.method == "PUT" else "seek"
        return operation(f, grp={"id": unquote(found["name"])}, ctl={"topic": f"topic://{found['topic']}"})
    ctl = dict(request.query)
    kind, _, rest = request.path.removeprefix("/admin/v2/").partition("/")
    topic, _, verb = rest.rpartition("/")
    match verb:
        case "terminate":
            domain = "segment" if kind == "segments" else kind
            return operation("terminate", ctl=ctl | {"segs": f"{domain}://{topic}"})
        case "internalStats":
            group, mops = _position(f"{kind}://{topic}", answer)
            return operation("position", grp=group, iso="ru", mops=mops, ctl=ctl)
        case _:
            return operation("probe", ctl=ctl)


def _position(topic: str, answer: Any) -> tuple[Group | None, list[Mop]]:
    """The only subscription of a topic, and the last position up to which it has acknowledged everything."""
    try:
        cursors = json.loads(answer.body)["cursors"]
        ((name, cursor),) = [(name, cursor) for name, cursor in cursors.items() if not name.startswith(_SYSTEMS_OWN)]
        ledger, entry = map(int, cursor["markDeletePosition"].split(":"))
    except (AttributeError, KeyError, TypeError, ValueError):  # no answer, several subscriptions, or not the expected JSON
        return None, []
    return {"id": name}, [{**_mop("position", topic, None), "pid_ledger": ledger, "pid_entry": entry}]


_REGISTERED = re.compile("/admin/v2/scalable/(?P<topic>[^/]+/[^/]+/[^/]+)/subscriptions/(?P<name>[^/]+)")
"""A subscription of a scalable topic, which an administrator makes, or removes as UNSUBSCRIBE does."""

_SYSTEMS_OWN = ("pulsar.", "__")
"""The beginnings of the names of cursors that no client subscribed."""

_REQUESTS: Mapping[str, Callable[[PulsarCall, Frame, Any], Operation]] = {
    "SEND": _send,
    "ACK": _ack,
    "SUBSCRIBE": _subscribe,
    "SCALABLE_TOPIC_SUBSCRIBE": _stream,
    "SEEK": _seek,
    "UNSUBSCRIBE": _seek,
    "TC_CLIENT_CONNECT_REQUEST": history_keys.connect,
    "NEW_TXN": _new,
    "END_TXN": _end,
    "ADD_PARTITION_TO_TXN": _transactional,
    "ADD_SUBSCRIPTION_TO_TXN": _transactional,
    "END_TXN_ON_PARTITION": _transactional,
    "END_TXN_ON_SUBSCRIPTION": _transactional,
}
