"""Defects in what a leader makes of records and markers that its followers lack."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.replication import Replication


class _ReadToTheEnd(Replication):
    def high_watermark(self, end_offset: int) -> int:
        return end_offset


class _DecidedByTheLeader(Replication):
    def undecided(self) -> list[int]:
        return []


class _KnowsTheLastMarker(Replication):
    def undecided(self) -> list[int]:
        return super().undecided()[-1:]


class _WrittenByTheLeader(Replication):
    def is_written(self, offset: int) -> bool:  # noqa: ARG002 - it does not matter how far the followers are
        return True


READERS_AHEAD_OF_REPLICAS = Defect(
    name="readers-ahead-of-replicas",
    breaks={"KIP890-225": Symptom(what="records that read_uncommitted readers of accounts-0 see", seen='^"a1", "a2"')},
    story="Readers get all that the leader has; what its followers lack is lost with it, and has been read.",
    origin="textbook: the end of the log for the high watermark",
    parts=Parts(replication=_ReadToTheEnd),
)

UNREPLICATED_MARKER_DECIDES = Defect(
    name="unreplicated-marker-decides",
    breaks={"KIP890-226": Symptom(what="readers of accounts-0", expected="^nothing", seen='^"a1"')},
    story="A leader forgets an open transaction with the append of its marker, and hands out its records before any replica has it.",
    origin="textbook: the last stable offset does not know of transactions whose marker is above the high watermark",
    parts=Parts(replication=_DecidedByTheLeader),
)

LAST_UNREPLICATED_MARKER_ALONE = Defect(
    name="last-unreplicated-marker-alone",
    breaks={"KIP890-226": Symptom(what="readers of accounts-0", expected="^nothing", seen='^"a1"')},
    story="Two transactions end while a replica is away; the leader remembers the second alone, and hands out the first.",
    origin="textbook: one field for what may be several",
    parts=Parts(replication=_KnowsTheLastMarker),
)

WRITTEN_BY_THE_LEADER_ALONE = Defect(
    name="written-by-the-leader-alone",
    breaks={"KIP890-227": Symptom(what="answer to Produce", expected="^no success", seen="^success")},
    story="A leader answers as soon as it has appended, whatever acks says; what its followers lack, nobody sends again.",
    origin="textbook: acks=all that is taken for acks=1",
    parts=Parts(replication=_WrittenByTheLeader),
)
