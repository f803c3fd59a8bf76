"""Defects of Pulsar in subscriptions that move while something is undecided."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Action


class _CountsPlainMessages(Subscription):
    def last_message(self) -> Readable | None:
        *_, last = (None, *(readable for readable in self._buffer.after(EARLIEST) if readable.message.txn is None))
        return last


class _SeekDropsThePending(Subscription):
    def seek(self, place: Place) -> None:
        for txn in self.pending.transactions():
            self.pending.end(txn, Action.ABORT)
        super().seek(place)


class _LeavesThePendingBehind(Subscription):
    def erase(self) -> None:
        self.cursor.erase()


LAST_MESSAGE_IS_A_PLAIN_ONE = Defect(
    name="last-message-is-a-plain-one",
    breaks={"PIP31-94": Symptom(what="^last message for workers$", expected='^"a1"$', seen='^"i2"$')},
    story="A reader that reads up to the last message stops before what was committed behind it.",
    origin="textbook: a position that only plain messages move",
    parts=Parts(subscription=_CountsPlainMessages),
)

SEEK_DROPS_THE_PENDING = Defect(
    name="seek-drops-the-pending",
    breaks={"PIP31-95": Symptom(what="^received by workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="A subscription that goes back forgets what is pending: the commit deletes nothing, and the input is processed twice.",
    origin="textbook: a reset that resets everything",
    parts=Parts(subscription=_SeekDropsThePending),
)

REMOVED_SUBSCRIPTION_LEAVES_THE_PENDING = Defect(
    name="removed-subscription-leaves-the-pending",
    breaks={"PIP31-96": Symptom(what="^left for workers$", expected='^"i1", "i2"$', seen='^"i2"$')},
    story="The log of what is pending outlives its subscription, and a new one of its name deletes what nobody acknowledged.",
    origin="textbook: a second file that nobody removes",
    parts=Parts(subscription=_LeavesThePendingBehind),
)
