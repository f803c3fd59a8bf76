"""Defects of Pulsar in ends that race."""

from dataclasses import replace

from fencepost.reference.defects.conforming.kafka import SlowNetwork
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId, TxnStatus
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer


class _WritesEachTime(SidecarBuffer):
    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._ended.pop(txn, None)
        super().end(txn, action, low_watermark)


@defect(
    {"PIP31-91": seen("^ABORTED$", expected="^COMMITTED$", what="^status of A$")},
    origin="textbook: a leftover of a crash, and a request of right now, look the same",
    also=[SlowNetwork],
)
class PulsarRepeatedCommitRollsBack(LogCoordinator):
    """The coordinator treats a commit in progress as a failed one when the client repeats it, and rolls it back."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        known = self.describe(txn)
        super().end(txn, action, reply)
        if known.status is TxnStatus.COMMITTING:
            self._install(replace(known, status=TxnStatus.ABORTING))


@defect(
    {"PIP31-91": seen('^"a1", "a2", "a1", "a2"$', expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="textbook: at least once, and no memory of the first time",
    also=[_WritesEachTime, SlowNetwork],
)
class PulsarRepeatedCommitShowsTwice(LogCoordinator):
    """A commit that is repeated while it is in progress is sent to the topics again, which publish the messages again."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        known = self.describe(txn)
        super().end(txn, action, reply)
        if known.status.is_decided and not known.status.is_complete:
            self._participants.send_to_all(known, self.low_watermark)


@defect(
    {"PIP31-91": seen("^1 of 2$", expected="^all of 2$", what="^answered ends of A$")},
    origin="textbook: a table with one place for each transaction",
)
class PulsarLastOneIsAnswered(LogCoordinator):
    """If several clients ask for the same end while it is in progress, only the last is answered; the others wait for ever."""

    def answers_decisions(self) -> bool:
        return False

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if self.describe(txn).status.action is action:
            self._waiting.pop(txn, None)
        super().end(txn, action, reply)
