"""Defects of Pulsar in topics that come and go."""

from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.pulsar_topics import PulsarTopics
from fencepost.reference.pulsar.sidecar_buffer import SIDECAR_SUFFIX


@defect({"PIP31-145": seen(r"^1, \[\]$", expected=r"^1, \[0\]$", what="^partitions of orders$")}, origin="textbook: off by one")
class PulsarLastPartitionIsMissing(PulsarTopics[Any]):
    """A partitioned topic is created without its last partition."""

    def names_of_partitions(self, name: str, partitions: int) -> list[str]:
        return super().names_of_partitions(name, partitions - 1)


@defect(
    {"PIP31-146": seen('^"before"', expected='^"new"$', what="^readers of orders$")},
    origin="textbook: metadata is deleted and storage is not",
)
class PulsarDeletedTopicComesBack(PulsarTopics[Any]):
    """A topic that is deleted leaves its log, which the next topic of its name finds."""

    def erase(self, name: str) -> None:
        """The name is gone, and nothing else."""


@defect(
    {"PIP31-146": seen('^"a1"$', expected="^nothing$", what="^readers of orders$")}, origin="textbook: a second file that is never removed"
)
class DeletionLeavesTheLog(Ledger):
    """The sidecar log of a topic outlives it, and a commit publishes its messages in the new topic of that name."""

    def journal_name(self, name: str) -> str:
        return f"ledger of {name}" if name.endswith(SIDECAR_SUFFIX) else super().journal_name(name)


@defect(
    {"PIP31-146": seen('^"p2"$', expected='^"p1", "p2"$', what="^readers of payments$")},
    origin="red team: files that are found by the local name of a topic",
)
class PulsarDeletionTakesNamesakes(PulsarTopics[Any]):
    """A deletion also takes what topics of the same name in other namespaces have stored."""

    def erase(self, name: str) -> None:
        super().erase(name)
        self._disk.erase(lambda journal: journal.partition(" ")[2].split("/", 4)[-1] == name.split("/", 4)[-1])
