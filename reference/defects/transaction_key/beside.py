"""Defects of the transaction key in what becomes of clients that have none.

Two of them are seen where there is one coordinator, and are not tried where a key has one of several.
"""

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.pulsar_types import TxnId, TxnStatus
from fencepost.reference.pulsar.transaction_key.claims import KeyedRequest
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

from .pair import pair


@pair(
    {"TXKEY-30": seen("^(ABORTED|ABORTING|not known any more)$", expected="^OPEN$", what="^status of A$")},
    origin="feared by readers of the proposal: a field that is required",
)
class OneForTheRest(NodeKeys):
    """Clients without a key have one together, the empty one, and fence each other."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent) or TransactionKey(owner, "")

    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:
        return super().home_of(key, coordinators, scalable=scalable) if key.name else coordinators[0]


@defect(
    {"TXKEY-30": seen("^(ABORTED|ABORTING|not known any more|nothing)$", what="^(status of A|readers of orders)$")},
    origin="textbook: kept by coordinator alone",
)
class KeyAllOfACoordinatorFenced(TransactionKeys):
    """A connect that fences aborts all open transactions of its coordinator, whichever client began them."""

    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        there = [one.txn for one in self._coordinator.transactions() if one.status is TxnStatus.OPEN]
        return tuple(dict.fromkeys((*super().predecessors(record), *there)))


@defect(
    {"TXKEY-30": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")},
    origin="Apache Pulsar's low watermark, used for what is no sequence",
)
class KeyOlderOnesFenced(KeyTopic):
    """The coordinator keeps only the highest number of the fenced transactions, and refuses all with lower numbers."""

    def is_fenced(self, txn: TxnId) -> bool:
        return any(txn.tc_id == fenced.tc_id and txn.sequence <= fenced.sequence for fenced in self._fenced)


@defect(
    {"TXKEY-30": expected("^success$", what="^answer to (SEND|ADD_PARTITION_TO_TXN)$", error="^InvalidTxnStatus$")},
    origin="a review of the suite, which looked at coordinators alone",
    of=MetadataParts,
)
class ScalableKeyFencedAtBothKinds(NodeKeys):
    """Topics look for a transaction's number among all that was fenced, of whichever kind: one of the other kind is refused for it."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        super().refuse_fenced(txn, doing, coordinators, scalable=scalable)
        super().refuse_fenced(txn, doing, coordinators, scalable=not scalable)


@defect(
    {"TXKEY-30": expected("^success$", what="^answer to END_TXN$", error="^InvalidTxnStatus$")},
    origin="a review of the suite, which did not look there",
    of=MetadataParts,
)
class ScalableKeyOneTopicForBothKinds(KeyTopic):
    """The coordinators of both kinds that have the same number share a key topic, so what is fenced in one kind is also fenced in the
    other.
    """

    def stored_as(self, name: str) -> str:
        return super().stored_as(name).replace("scalable", "classic")
