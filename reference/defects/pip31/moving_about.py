"""Defects of Pulsar in subscriptions that move while something is undecided."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.pulsar_types import EndAction
from fencepost.reference.pulsar.subscription import Subscription


@defect(
    {"PIP31-94": seen('^"i2"$', expected='^"a1"$', what="^last message for workers$")},
    origin="textbook: a position that only plain messages move",
)
class LastMessageIsAPlainOne(Subscription):
    """A reader that reads up to the last message stops before what was committed after it."""

    def last_message(self) -> Readable | None:
        *_, last = (None, *(readable for readable in self._buffer.after(EARLIEST) if readable.message.txn is None))
        return last


@defect(
    {"PIP31-95": seen('^"i1", "i2"$', expected='^"i2"$', what="^received by workers$")}, origin="textbook: a reset that resets everything"
)
class SeekDropsThePending(Subscription):
    """A subscription that seeks backwards forgets what is pending: the commit deletes nothing, and the input is processed twice."""

    def seek(self, place: MessagePosition) -> None:
        for txn in self.pending.transactions():
            self.pending.end(txn, EndAction.ABORT)
        super().seek(place)


@defect(
    {"PIP31-95": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$")},
    origin="red team: a reset that has to leave nothing undecided",
)
class SeekCommitsThePending(Subscription):
    """A subscription that seeks backwards deletes what is pending at once, and an abort has nothing left to redeliver."""

    def seek(self, place: MessagePosition) -> None:
        super().seek(place)
        for txn in self.pending.transactions():
            self.apply_outcome(txn, EndAction.COMMIT)


@defect(
    {"PIP31-96": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$")}, origin="textbook: a second file that is never removed"
)
class RemovedSubscriptionLeavesThePending(Subscription):
    """The log of pending acknowledgements outlives its subscription, and a new one of that name deletes messages that were not
    acknowledged."""

    def erase(self) -> None:
        self.cursor.erase()
