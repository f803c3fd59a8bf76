"""Defects of Pulsar where two consumers of one subscription acknowledge in the same transaction."""

import functools
from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.subscription import Consumer, Subscription


class NotesTheLastConsumer(Subscription):
    """A subscription notes for each transaction one consumer: the holder of what was acknowledged last."""

    @functools.cached_property
    def _last(self) -> dict[TxnId, Consumer]:
        return {}

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge_in(txn, wanted)
        for place in wanted:
            self._last.update((txn, owner) for owner in self._held.get(place, {}).values())

    def is_elsewhere(self, txn: TxnId, place: MessagePosition) -> bool:
        """Whether another consumer than the noted one has the message."""
        owners = self._held.get(place, {}).values()
        return bool(owners) and txn in self._last and self._last[txn] not in owners


@defect(
    {"PIP31-93": seen('^nothing and "i2"$', expected='^"i1", "i2" between them$', what="^received by the two$")},
    origin="red team: one consumer is noted for each transaction",
)
class PulsarAbortForOneConsumer(NotesTheLastConsumer):
    """An abort redelivers only what the consumer has received whose acknowledgement in the transaction was the last."""

    _aborting: TxnId | None = None

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        self._aborting = txn if action is EndAction.ABORT else None
        super().apply_outcome(txn, action)
        self._aborting = None

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        txn = self._aborting
        super().give_back({place: units for place, units in wanted.items() if txn is None or not self.is_elsewhere(txn, place)})


@defect(
    {"PIP31-93": seen('^"i1"$', expected="^nothing$", what="^received by others$")},
    origin="red team: one consumer is noted for each transaction",
)
class PulsarCommitForOneConsumer(NotesTheLastConsumer):
    """A commit deletes only what the consumer has received whose acknowledgement in the transaction was the last."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.ABORT:
            super().apply_outcome(txn, action)
            return
        waiting = self.pending.end(txn, action)
        mine = {place: units for place, units in waiting.individual.items() if not self.is_elsewhere(txn, place)}
        self.cursor.acknowledge(mine, self._buffer)
        self.cursor.acknowledge_up_to(waiting.cumulative or EARLIEST, self._buffer)
        self.pending.record_end(txn)
