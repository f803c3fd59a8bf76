"""The shapes of a history: requests to a system and its answers, one event for the start of each call and one for its end.

An `Event` is one line of a history. A call has two of them: `invoke`, and then `ok`, `fail` or `info`, which means that it is never known
whether the call took effect. Both name the call by its `op_id`, the number (`idx`) of its `invoke`.

What a call is about is its `Operation`: the kind of it (`f`), the transaction and the consumer group that it belongs to, and its `mops`
(micro-operations), the records and offsets that it moves, in the order in which it moves them. The `invoke` has what was asked, the end
also what is known by then, such as the offsets of records. `docs/check.md` describes how checkers use each field.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Outcome: TypeAlias = Literal["invoke", "ok", "fail", "info"]

Function: TypeAlias = Literal[
    "send",
    "poll",
    "begin",
    "commit",
    "abort",
    "ack",
    "subscribe",
    "assign",
    "seek",
    "position",
    "committed",
    "init_txn",
    "create",
    "split",
    "merge",
    "terminate",
    "prune",
    "probe",
    "final_read",
]
"""The kinds of operations. A `probe` only looks or prepares, and no checker judges it. A `final_read` is a poll after which no client
waits: what was committed before it began and was never read is lost. `create` to `prune` are about the segments of a
scalable topic, which `ctl` names.
"""

Isolation: TypeAlias = Literal["rc", "ru"]
"""What a read may show: only what is committed, or all."""

MopKind: TypeAlias = Literal["send", "recv", "offset", "ack_ind", "ack_cum", "position"]


class Transaction(TypedDict):
    """The transaction that a call names. In Kafka a transactional id with the producer id and epoch, in Pulsar the transaction's id, or
    the key that it was begun with, and its coordinator as `pid`.
    """

    tid: str | None
    pid: int
    epoch: int | None


class Group(TypedDict):
    """The consumer group with its generation, or the subscription with the consumer's name as `member`; no `id` if it is not known."""

    id: str | None
    gen: NotRequired[int | None]
    member: NotRequired[str]


Error = TypedDict("Error", {"class": str, "code": int | None, "msg": str | None, "definite": bool})
"""Why a call failed. If the error is not `definite`, it is unknown whether the call took effect."""


class Mop(TypedDict):
    """One record sent or received, one offset committed, one message acknowledged, or one position seen.

    `log` is the partition or topic by the name that all events of a history use for it. `v` is the record's value and `o` its offset, None
    if it is not known. Pulsar's messages have their ledger, entry and place in the batch, from which their `o` is counted.
    `mkey` is a record's key, and `hash` the one by which its sender routed it.
    """

    m: MopKind
    topic: str | None
    part: int | None
    log: str | None
    v: NotRequired[str | None]
    o: NotRequired[int | None]
    seq: NotRequired[int | None]
    mkey: NotRequired[str]
    hash: NotRequired[int]
    ts_ns: NotRequired[int]
    pid_ledger: NotRequired[int | None]
    pid_entry: NotRequired[int | None]
    pid_batch: NotRequired[int | None]


class Operation(TypedDict):
    """What a call is about. `txn_id` names the transaction for checkers; None if the call names none."""

    f: Function
    txn_id: str | None
    tx: Transaction | None
    grp: Group | None
    iso: Isolation | None
    mops: list[Mop]
    ctl: dict[str, Any]


class Event(Operation):
    """One line of a history. `idx` is its place; `t_ns` are nanoseconds since the first call.

    A `process` does one thing after another; it ends with a call that ends as `info`. `client` and `node` are the client and the node it
    called, `api` is the request by its name and version. The client `broker` is the system itself, if its writes to a metadata store are
    visible; `ctl.record` then is what it wrote.
    """

    run_id: str
    idx: int
    t_ns: int
    client: str
    node: str
    process: int
    op_id: int
    api: str
    type: Outcome
    error: Error | None
