"""Defects of the Pulsar reference in what readers are given who are there all along."""

from fencepost.reference.defects.core.pair import core_pair
from fencepost.reference.defects.decorator import seen
from fencepost.reference.pulsar.buffer import BEFORE_ALL_PLACES, Readable
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, Position, SubscriptionType
from fencepost.reference.pulsar.subscription import Consumer, Subscription


@core_pair(
    {"CORE-29": seen('^"early"$', expected='"a1", "a2"$', what="follower of orders")},
    origin="textbook: a wake-up that is missing in one of two places",
)
class CommittedPassesFollowersBy(Subscription):
    """A commit wakes no waiting consumer, and the next plain message leads them past what was committed; only a new subscription
    receives it."""

    waits_since: Position = BEFORE_ALL

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        super().attach(consumer, kind)
        self.waits_since = max((shown.place.position for shown in self._buffer.after(BEFORE_ALL_PLACES)), default=BEFORE_ALL)

    def is_withheld(self, readable: Readable) -> bool:
        is_later = readable.message.txn is not None and readable.place.position > self.waits_since
        return is_later or super().is_withheld(readable)
