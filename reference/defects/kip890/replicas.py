"""Defects in what a leader makes of records and markers that its followers lack."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.markers import TransactionMarker
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.replication import Replication
from fencepost.reference.kafka.transaction import Decision


@defect(
    {"KIP890-225": seen('^"a1", "a2"', what="records that read_uncommitted readers of accounts-0 see")},
    origin="textbook: the end of the log for the high watermark",
)
class ReadersAheadOfReplicas(Replication):
    """Readers get all that the leader has; what its followers lack is lost with it, and has been read."""

    def high_watermark(self, end_offset: int) -> int:
        return end_offset


@defect(
    {"KIP890-226": seen('^"a1"', expected="^nothing", what="readers of accounts-0")},
    origin="textbook: the last stable offset does not know of transactions whose marker is above the high watermark",
)
class UnreplicatedMarkerDecides(Replication):
    """A leader forgets an open transaction with the append of its marker, and hands out its records before any replica has it."""

    def undecided(self) -> list[int]:
        return []


@defect(
    {"KIP890-226": seen('^"a1"', expected="^nothing", what="readers of accounts-0")}, origin="textbook: one field for what may be several"
)
class LastUnreplicatedMarkerAlone(Replication):
    """Two transactions end while a replica is away; the leader remembers the second alone, and hands out the first."""

    def undecided(self) -> list[int]:
        return super().undecided()[-1:]


@defect(
    {"KIP890-226": seen("^last stable offset 1", expected='^the offset of "a1"', what="^last stable offset of accounts-0")},
    origin="red team: nothing to hand out, so nothing to wait for",
)
class UnreplicatedAbortDecides(PartitionLog):
    """The last stable offset waits for the replicas of a COMMIT marker, and passes an aborted transaction at once."""

    _aborted_by_leader = frozenset[int]()

    def append_marker(self, marker: TransactionMarker) -> None:
        state = self.producers.get(marker.producer.producer_id)
        super().append_marker(marker)
        if state is not None and marker.decision is Decision.ABORT:
            self._aborted_by_leader |= {state.transaction_start}

    def first_unstable_offset(self) -> int | None:
        undecided = [start for start in self.replication.undecided() if start not in self._aborted_by_leader]
        return min((*self.producers.open_transactions(), *undecided), default=None)


@defect(
    {"KIP890-227": seen("^success", expected="^no success", what="answer to Produce")},
    origin="textbook: acks=all that is treated as acks=1",
)
class WrittenByTheLeaderAlone(Replication):
    """A leader answers as soon as it has appended, whatever acks says; the producer does not resend records that the followers lack."""

    def is_written(self, offset: int) -> bool:  # noqa: ARG002 - it does not matter how far the followers are
        return True
