"""Defects of brokers that serve segments."""

from collections.abc import Sequence
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.buffer import Readable
from fencepost.reference.pulsar.pulsar_topics import PulsarTopics
from fencepost.reference.pulsar.pulsar_types import SubscriptionType
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.scalable.names import is_segment


@defect(
    {"PIP460-53": seen("^success", expected="^a refusal$", what="^answer to (PRODUCER|SUBSCRIBE)$")},
    origin="feared: an owner that is checked when a topic is looked up, and not when it is used",
    of=MetadataParts,
)
class ScalableSegmentOfTwo(PulsarTopics[Any]):
    """Any broker loads a segment that a client names, also while another one has it."""

    def check(self, name: str) -> None:
        try:
            super().check(name)
        except CommandRefused as refused:
            if refused.error is not ServerError.SERVICE_NOT_READY or not is_segment(name):
                raise


@defect(
    {"PIP460-54": seen('^"p1", "p3" and "p2", "p4"$|^"p2", "p4" and "p1", "p3"$', what="^received by the two$")},
    origin="PIP-460, goals: a dispatcher by key within a segment, which is to be made again",
    of=MetadataParts,
)
class ScalableKeysNotLookedAt(Subscription):
    """Segments send messages of one key to the consumer with the most permits."""

    def served_first(self, readable: Readable) -> Sequence[Consumer]:
        if self.kind is SubscriptionType.KEY_SHARED:
            return sorted(self.consumers, key=lambda consumer: -consumer.permits)
        return super().served_first(readable)


@defect(
    {"PIP460-54": seen('^"q', expected="^nothing$", what="^received by others$")},
    origin="PIP-379: what key-shared subscriptions did before hashes were drained",
    of=MetadataParts,
)
class ScalableKeysToWhoJoins(Subscription):
    """A consumer that joins is given keys of which another one has messages that it has not acknowledged."""

    def holder_of(self, key: bytes | None) -> Consumer | None:  # noqa: ARG002 - no consumer is looked for
        return None


@defect(
    {"PIP460-54": seen('^"r', expected="^nothing$", what="^received by others$")},
    origin="PIP-379: hashes that drain are counted message by message",
    of=MetadataParts,
)
class ScalableKeysLetGoAtTheFirst(Subscription):
    """A key is free again when the first of its messages is acknowledged, also where its consumer has more of them."""

    def holder_of(self, key: bytes | None) -> Consumer | None:
        holder = super().holder_of(key)
        there = self._buffer.after(self.cursor.mark_delete)
        first = next((one for one in there if one.message.key == key and self._held.get(one.place)), None)
        return None if first is not None and self.is_acknowledged(first) else holder


@defect(
    {"PIP460-54": seen("^success", expected="ConsumerBusy", what="^answer to SUBSCRIBE$")},
    origin="feared: consumers that are let go by their controller, and not by the segment",
    of=MetadataParts,
)
class ScalableSegmentNotExclusive(Subscription):
    """A segment lets a second consumer into an exclusive subscription, since the controller assigns it to one."""

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        if kind is SubscriptionType.EXCLUSIVE:
            kind = SubscriptionType.SHARED
        super().attach(consumer, kind)
