"""Transaction keys in a history: the client that got each epoch of a key, and the transactions that were begun with the key.

A connect with a key is an `init_txn`, as in Kafka: `tx` has the key with its owner as `tid`, the coordinator as `pid`, and the epoch that
was given. A transaction of the key has the same `tid` in all its events, and its id as `txn_id`. Its `tx` has no epoch, which means that
transactions have separate names, as all of Pulsar's have; the epoch is in `ctl`, as `key_epoch`.
"""

from collections.abc import Sequence
from typing import Any

from fencepost.contract.events import Event, Operation
from fencepost.contract.operations import NamedTransaction, operation
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame

from .keyed import label_of
from .pulsar_recording import PulsarCall
from .pulsar_values import TransactionId


class Keys:
    """The transactions that a session began with keys, by their names."""

    def __init__(self, calls: Sequence[PulsarCall]) -> None:
        self._of: dict[str, tuple[str, int, int]] = {}
        for call in calls:
            match call.request, call.answer:
                case Frame(body=pb.CommandNewTxn() as asked), Frame(body=pb.CommandNewTxnResponse() as answer) if (
                    "key" in call.about and not answer.HasField("error")
                ):
                    begun = TransactionId(answer.txnid_most_bits, answer.txnid_least_bits, asked.scalable)
                    self._of[str(begun)] = (call.about["key"], begun.coordinator, call.about["key_epoch"])

    def name(self, event: Event) -> None:
        """Add the key and its epoch to an event that names a transaction of a key."""
        if event["tx"] is not None and (known := self._of.get(event["txn_id"] or "")) is not None:
            key, coordinator, epoch = known
            event["tx"] = {"tid": key, "pid": coordinator, "epoch": None}
            event["ctl"] = {**event["ctl"], "key_epoch": epoch}


def connect(call: PulsarCall, frame: Frame, answer: Any) -> Operation:
    """A connect to a coordinator. One with the epoch that the client has already may keep its transactions open, so no client that a
    checker could name is fenced.
    """
    asked = frame.body
    if not asked.HasField("transaction_key"):
        return operation("probe")
    label = label_of(call.about.get("owner"), asked.transaction_key)
    epoch = answer.transaction_key_epoch if answer is not None and answer.HasField("transaction_key_epoch") else None
    comes_again = asked.HasField("transaction_key_epoch") and asked.transaction_key_epoch >= 0
    if comes_again or (answer is not None and epoch is None):
        return operation("probe", ctl={"key": label, "key_epoch": epoch})
    named = NamedTransaction(None, {"tid": label, "pid": asked.tc_id, "epoch": epoch})
    return operation("init_txn", named)
