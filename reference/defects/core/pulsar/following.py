"""Defects of the Pulsar reference in what readers are given who are there all along."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import BEFORE_ALL_PLACES, Readable
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.values import BEFORE_ALL, Position, SubscriptionType


class PassesByWhatIsCommittedLater(Subscription):
    """A consumer that waits is led past what is committed behind the place where it began to wait."""

    waits_since: Position = BEFORE_ALL

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        super().attach(consumer, kind)
        self.waits_since = max((shown.place.position for shown in self._buffer.after(BEFORE_ALL_PLACES)), default=BEFORE_ALL)

    def is_withheld(self, readable: Readable) -> bool:
        is_later = readable.message.txn is not None and readable.place.position > self.waits_since
        return is_later or super().is_withheld(readable)


COMMITTED_PASSES_FOLLOWERS_BY = Defect(
    name="core-pulsar-committed-passes-followers-by",
    breaks={"CORE-29": Symptom(what="follower of orders", expected='"a1", "a2"$', seen='^"early"$')},
    story="A commit wakes nobody, and the next plain message leads waiting consumers past it; only a new subscription gets it.",
    origin="textbook: a wake-up that is missing in one of two places",
    parts=Parts(subscription=PassesByWhatIsCommittedLater),
)
