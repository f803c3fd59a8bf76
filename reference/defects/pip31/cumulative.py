"""Defects of Pulsar in acknowledgements of everything up to a message, in a transaction."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId


@defect(
    {"PIP31-63": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="textbook: one field, written without being read",
)
class CumulativeIsReplaced(PendingAcks):
    """A second transaction takes the place of the first one, whose commit then deletes nothing."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        self._keep(PendingAck(txn, cumulative=place))


@defect(
    {"PIP31-64": seen('^"i3"$', expected='^at least "i1"$', what="^left for auditors$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
)
class CumulativeTakesThePending(PendingAcks):
    """A cumulative acknowledgement commits over a message that is pending in another transaction, whose abort finds nothing."""

    def covers_anothers(self, txn: TxnId, place: MessagePosition) -> bool:  # noqa: ARG002 - it does not look at single messages
        return False


@defect(
    {"PIP31-121": seen("^A and B$", expected="^at most one$", what="^who has taken i[12] of auditors$")},
    origin="red team: one direction of a comparison",
)
class PulsarIndividualUnderCumulativeCommits(PendingAcks):
    """A single message is not compared with the cumulative acknowledgement of another transaction, and both commits succeed."""

    def lies_under_another(self, txn: TxnId, place: MessagePosition) -> bool:  # noqa: ARG002 - it does not look at cumulative ones
        return False


@defect(
    {"PIP31-121": seen("^[AB] and [AB]$", expected="^at most one$", what="^who has taken i[12] of auditors$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
)
class PulsarBothKindsCommit(CumulativeTakesThePending, PulsarIndividualUnderCumulativeCommits):
    """An acknowledgement is compared with those of its kind only: a message and all up to it are taken by two transactions."""


@defect(
    {"PIP31-63": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="red team: half of an id is compared",
)
class CumulativeConflictBySequenceAlone(PendingAcks):
    """A transaction takes over what one with the same number at another coordinator has acknowledged cumulatively."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        self._cumulative = {txn if owner.sequence == txn.sequence else owner: held for owner, held in self._cumulative.items()}
        super().add_cumulative(txn, place)


@defect(
    {"PIP31-64": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for auditors$")},
    origin="red team: a transaction is noted for what it asked, and not for what it got",
)
class RefusedCumulativeReleasesTheIndividual(PendingAcks):
    """The abort of a transaction whose cumulative acknowledgement was refused releases what others have acknowledged below it."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        self.__dict__.setdefault("_asked", {})[txn] = place
        super().add_cumulative(txn, place)

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        asked = self.__dict__.get("_asked", {}).get(txn)
        if action is EndAction.ABORT and asked is not None and waiting.cumulative is None:
            self._individual = {place: owners for place, owners in self._individual.items() if place > asked}
        return waiting
