"""Defects of the transaction key in what becomes of clients that have none.

Two of them are seen where there is one coordinator, and are not tried where a key has one of several.
"""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.transaction_key.claims import Doing
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord
from fencepost.reference.pulsar.values import Status, TxnId

from .pair import pair


class _HasOneForTheRest(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent) or TransactionKey(owner, "")

    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:
        return super().home_of(key, coordinators, scalable=scalable) if key.name else coordinators[0]


class _FencesTheCoordinator(TransactionKeys):
    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        there = [one.txn for one in self._coordinator.transactions() if one.status is Status.OPEN]
        return tuple(dict.fromkeys((*super().predecessors(record), *there)))


class _FencesTheOlder(KeyTopic):
    def is_fenced(self, txn: TxnId) -> bool:
        return any(txn.tc_id == fenced.tc_id and txn.sequence <= fenced.sequence for fenced in self._fenced)


class _LooksAtBothKinds(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        super().refuse_fenced(txn, doing, coordinators, scalable=scalable)
        super().refuse_fenced(txn, doing, coordinators, scalable=not scalable)


class _IsOneForBothKinds(KeyTopic):
    def stored_as(self, name: str) -> str:
        return super().stored_as(name).replace("scalable", "classic")


ONE_KEY_FOR_THE_REST = pair(
    "one-for-the-rest",
    breaks={"TXKEY-30": Symptom(what="^status of A$", expected="^OPEN$", seen="^(ABORTED|ABORTING|not known any more)$")},
    story="Clients without a key have one together, the empty one, and fence each other.",
    origin="feared by readers of the proposal: a field that is required",
    node_keys=_HasOneForTheRest,
)

ALL_OF_A_COORDINATOR_FENCED = Defect(
    name="key-all-of-a-coordinator-fenced",
    breaks={"TXKEY-30": Symptom(what="^(status of A|readers of orders)$", seen="^(ABORTED|ABORTING|not known any more|nothing)$")},
    story="A connect that fences aborts all that is open at its coordinator, whoever began it.",
    origin="textbook: kept by coordinator alone",
    parts=Parts(transaction_keys=_FencesTheCoordinator),
)

OLDER_ONES_FENCED = Defect(
    name="key-older-ones-fenced",
    breaks={"TXKEY-30": Symptom(what="^readers of orders$", expected='^"a1"$', seen="^nothing$")},
    story="Of the fenced transactions the highest number is kept, and all with lower numbers are refused.",
    origin="Apache Pulsar's low watermark, used for what is no sequence",
    parts=Parts(key_topic=_FencesTheOlder),
)

ONE_TOPIC_FOR_BOTH_KINDS = Defect(
    name="scalable-key-one-topic-for-both-kinds",
    breaks={"TXKEY-30": Symptom(what="^answer to END_TXN$", expected="^success$", error="^InvalidTxnStatus$")},
    story="The coordinators of both kinds that have one number have one key topic, and what is fenced of one kind is so of the other.",
    origin="a review of the suite, which did not look there",
    parts=MetadataParts(key_topic=_IsOneForBothKinds),
)

FENCED_AT_BOTH_KINDS = Defect(
    name="scalable-key-fenced-at-both-kinds",
    breaks={"TXKEY-30": Symptom(what="^answer to (SEND|ADD_PARTITION_TO_TXN)$", expected="^success$", error="^InvalidTxnStatus$")},
    story="Topics look for a transaction's number among all that was fenced, of whichever kind: one of the other kind is refused for it.",
    origin="a review of the suite, which looked at coordinators alone",
    parts=MetadataParts(node_keys=_LooksAtBothKinds),
)
