"""Defects of Pulsar in ends that a participant held up for a while."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import EndOn, Participants
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId, TxnStatus
from fencepost.reference.pulsar.server_errors import CommandRefused


@defect(
    {"PIP31-88": seen('^"i2"$|^"i1", "i2"$', what="^left for workers$")},
    origin="textbook: two lists that are worked off one after the other, and one state for both",
)
class PulsarHeldEndSkipsSubscriptions(Participants):
    """While a topic does not answer, subscriptions have to wait, and are forgotten when it does."""

    _held: frozenset[TxnId] = frozenset()

    def send(self, message: EndOn) -> None:
        if isinstance(message.participant, str):
            super().send(message)

    def check_complete(self, txn: TxnId) -> None:
        missing = self._missing.get(txn, {})
        if all(isinstance(one, SubscriptionName) for one in missing):
            for message in list(missing.values()) if txn not in self._held else ():
                super().send(message)
            if txn in self._held:
                missing.clear()
        super().check_complete(txn)

    def send_again(self) -> None:
        self._held |= frozenset(self._missing)
        super().send_again()


@defect(
    {"PIP31-88": seen("^ABORTING, then", expected="^COMMITTING, then COMMITTED$", what="^status of A$")},
    origin="textbook: the entry is appended before the status is compared",
)
class PulsarHeldCommitEndsAborted(LogCoordinator):
    """An abort of what is being committed is refused, and is in the log all the same; the coordinator follows it afterwards."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except CommandRefused:
            if self.describe(txn).status is TxnStatus.COMMITTING:
                self._install(replace(self.describe(txn), status=TxnStatus.ABORTING))
            raise
