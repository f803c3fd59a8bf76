"""Defects of Pulsar in acknowledgements of everything up to a message, in a transaction."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.values import TxnId


class _TakesEveryCumulative(PendingAcks):
    def add_cumulative(self, txn: TxnId, place: Place) -> None:
        self._keep(Waiting(txn, cumulative=place))


class _LooksAtCumulativeOnly(PendingAcks):
    def covers_anothers(self, txn: TxnId, place: Place) -> bool:  # noqa: ARG002 - it does not look at single messages
        return False


CUMULATIVE_IS_REPLACED = Defect(
    name="cumulative-is-replaced",
    breaks={
        "PIP31-63": Symptom(what="^answer to ACK$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", seen="^success$")
    },
    story="A second transaction takes the place of the first one, whose commit then deletes nothing.",
    origin="textbook: one field, written without being read",
    parts=Parts(pending_acks=_TakesEveryCumulative),
)

CUMULATIVE_TAKES_THE_PENDING = Defect(
    name="cumulative-takes-the-pending",
    breaks={"PIP31-64": Symptom(what="^left for auditors$", expected='^at least "i1"$', seen='^"i3"$')},
    story="A cumulative acknowledgement commits over a message that is pending in another transaction, whose abort finds nothing.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
    parts=Parts(pending_acks=_LooksAtCumulativeOnly),
)


class _LooksAtIndividualOnly(PendingAcks):
    def lies_under_another(self, txn: TxnId, place: Place) -> bool:  # noqa: ARG002 - it does not look at cumulative ones
        return False


class _ComparesWithItsOwnKind(_LooksAtCumulativeOnly, _LooksAtIndividualOnly):
    pass


BOTH_KINDS_COMMIT = Defect(
    name="pulsar-both-kinds-commit",
    breaks={"PIP31-121": Symptom(what="^who has taken i[12] of auditors$", expected="^at most one$", seen="^[AB] and [AB]$")},
    story="An acknowledgement is compared with those of its kind only: a message and all up to it are taken by two transactions.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
    parts=Parts(pending_acks=_ComparesWithItsOwnKind),
)


INDIVIDUAL_UNDER_CUMULATIVE_COMMITS = Defect(
    name="pulsar-individual-under-cumulative-commits",
    breaks={"PIP31-121": Symptom(what="^who has taken i[12] of auditors$", expected="^at most one$", seen="^A and B$")},
    story="A single message is not compared with the cumulative acknowledgement of another transaction, and both commits succeed.",
    origin="red team: one direction of a comparison",
    parts=Parts(pending_acks=_LooksAtIndividualOnly),
)
