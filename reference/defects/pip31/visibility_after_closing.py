"""Defects of Pulsar in what a topic keeps of a producer that has closed."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.pulsar.producers import Producers, TopicProducer
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer


def _closed(topic: str, disk: Disk) -> Journal[str]:
    return disk.journal(f"closed {topic}")


class _NotesTheClosed(Producers):
    def __init__(self, topic: str, disk: Disk) -> None:
        super().__init__(topic, disk)
        self._closed = _closed(topic, disk)

    def detach(self, producer: TopicProducer) -> None:
        super().detach(producer)
        self._closed.append(producer.name)


@defect(
    {"PIP31-01": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")},
    origin="red team: messages that belong to their producer until they are committed",
    also=[_NotesTheClosed],
)
class PulsarProducerTakesItsMessages(SidecarBuffer):
    """A commit does not show messages whose producer has closed in the meantime."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        closed = set(_closed(self._ledger._name, self._machine.disk))
        if txn in self._messages:
            self._messages[txn] = [(position, message) for position, message in self._messages[txn] if message.producer not in closed]
        super().end(txn, action, low_watermark)


@defect(
    {"PIP31-01": seen("^nothing$", expected='^"a2"$', what="^readers of orders$")},
    origin="red team: a note of what has ended with a topic, which is kept by its name",
)
class PulsarDeletionEndsTransactions(SidecarBuffer):
    """A transaction that was open in a topic when that was deleted has no end in the next topic of the name."""

    def erase(self) -> None:
        super().erase()
        for txn in self.ongoing():
            self._machine.disk.journal(f"deleted-with-{self._ledger._name}").append(txn)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if txn not in self._machine.disk.journal(f"deleted-with-{self._ledger._name}"):
            super().end(txn, action, low_watermark)
