"""Defects of Pulsar in topics that come and go."""

from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.sidecar_buffer import SIDECAR_SUFFIX
from fencepost.reference.pulsar.topics import Topics


class _MissesTheLastPartition(Topics[Any]):
    def names_of_partitions(self, name: str, partitions: int) -> list[str]:
        return super().names_of_partitions(name, partitions - 1)


class _KeepsWhatWasStored(Topics[Any]):
    def erase(self, name: str) -> None:
        """The name is gone, and nothing else."""


class _BesideATopicIsNotFound(Ledger):
    def journal_name(self, name: str) -> str:
        return f"ledger of {name}" if name.endswith(SIDECAR_SUFFIX) else super().journal_name(name)


LAST_PARTITION_IS_MISSING = Defect(
    name="pulsar-last-partition-is-missing",
    breaks={"PIP31-145": Symptom(what="^partitions of orders$", expected=r"^1, \[0\]$", seen=r"^1, \[\]$")},
    story="Of the partitions that were asked for the last one is not made.",
    origin="textbook: off by one",
    parts=Parts(topics=_MissesTheLastPartition),
)

DELETED_TOPIC_COMES_BACK = Defect(
    name="pulsar-deleted-topic-comes-back",
    breaks={"PIP31-146": Symptom(what="^readers of orders$", expected='^"new"$', seen='^"before"')},
    story="A topic that is deleted leaves its log behind, which the next one of its name finds.",
    origin="textbook: metadata is deleted and storage is not",
    parts=Parts(topics=_KeepsWhatWasStored),
)

DELETION_LEAVES_THE_LOG = Defect(
    name="deletion-leaves-the-log",
    breaks={"PIP31-146": Symptom(what="^readers of orders$", expected="^nothing$", seen='^"a1"$')},
    story="The log beside a topic outlives it, and a commit shows its messages in the new topic of that name.",
    origin="textbook: a second file that nobody removes",
    parts=Parts(ledger=_BesideATopicIsNotFound),
)
