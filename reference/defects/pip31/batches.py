"""Defects of Pulsar in acknowledgements of a batch's messages, in transactions."""

from collections.abc import Mapping
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.pending_acks import PendingAcks, Units, Waiting
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Action, SubscriptionType, TxnId


class _OneConsumerHasNoBatches(Subscription):
    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        if self.kind in (SubscriptionType.EXCLUSIVE, SubscriptionType.FAILOVER):
            wanted = {place: units - self.pending.units_at(place) for place, units in wanted.items()}
        super().acknowledge_in(txn, wanted)


class _EndsTheWholeEntry(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        everybodys = {place: frozenset(owners) for place, owners in self._individual.items() if txn in owners.values()}
        waiting = super().end(txn, action)
        return replace(waiting, individual=everybodys) if action is Action.COMMIT else waiting


class _AnEntryIsOneMessage(PendingAcks):
    def _is_pending(self, place: Place, units: Units) -> bool:
        return bool(units) and place in self._individual


ONE_CONSUMER_HAS_NO_BATCHES = Defect(
    name="one-consumer-has-no-batches",
    breaks={"PIP31-55": Symptom(expected="a refusal as a transaction conflict", seen="^success")},
    story="Where there is one consumer, an entry counts as one message, and the conflict over a message of a batch is not seen.",
    origin="apache/pulsar#15832: the size of a batch was taken for 1 on exclusive and failover subscriptions",
    parts=Parts(subscription=_OneConsumerHasNoBatches),
)

COMMIT_TAKES_THE_ENTRY = Defect(
    name="commit-takes-the-entry",
    breaks={"PIP31-66": Symptom(seen=r"^\[\'b3\'\]")},
    story="A commit acknowledges what another transaction has of the same entry, and its abort gives nothing back.",
    origin="apache/pulsar#16032: two transactions that acknowledge messages of one batch",
    parts=Parts(pending_acks=_EndsTheWholeEntry),
)

ENTRY_IS_ONE_MESSAGE = Defect(
    name="entry-is-one-message",
    breaks={"PIP31-66": Symptom(seen="TransactionConflict")},
    story="The first transaction that acknowledges a message of a batch has the whole entry.",
    origin="textbook: a state for each entry",
    parts=Parts(pending_acks=_AnEntryIsOneMessage),
)
