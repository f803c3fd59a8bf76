"""Defects of brokers that serve segments."""

from collections.abc import Sequence
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.buffer import Readable
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.topics import Topics
from fencepost.reference.pulsar.values import SubscriptionType
from fencepost.reference.scalable.names import is_segment


class _TakesWhatOthersHave(Topics[Any]):
    def check(self, name: str) -> None:
        try:
            super().check(name)
        except Refused as refused:
            if refused.error is not Error.SERVICE_NOT_READY or not is_segment(name):
                raise


class _SharesSegmentsWithoutKeys(Subscription):
    def served_first(self, readable: Readable) -> Sequence[Consumer]:
        if self.kind is SubscriptionType.KEY_SHARED:
            return sorted(self.consumers, key=lambda consumer: -consumer.permits)
        return super().served_first(readable)


class _GivesKeysToWhoJoins(Subscription):
    def holder_of(self, key: bytes | None) -> Consumer | None:  # noqa: ARG002 - nobody is looked for
        return None


class _LetsKeysGoAtTheFirst(Subscription):
    def holder_of(self, key: bytes | None) -> Consumer | None:
        holder = super().holder_of(key)
        there = self._buffer.after(self.cursor.mark_delete)
        first = next((one for one in there if one.message.key == key and self._held.get(one.place)), None)
        return None if first is not None and self.is_acknowledged(first) else holder


class _LetsASecondOneIn(Subscription):
    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        if kind is SubscriptionType.EXCLUSIVE:
            kind = SubscriptionType.SHARED
        super().attach(consumer, kind)


SEGMENT_OF_TWO = Defect(
    name="scalable-segment-of-two",
    breaks={"PIP460-53": Symptom(what="^answer to (PRODUCER|SUBSCRIBE)$", expected="^a refusal$", seen="^success")},
    story="Any broker loads a segment that a client names, also while another one has it.",
    origin="feared: an owner that is looked at when a topic is looked up, and not when it is used",
    parts=MetadataParts(topics=_TakesWhatOthersHave),
)

KEYS_OF_SEGMENTS_NOT_LOOKED_AT = Defect(
    name="scalable-keys-not-looked-at",
    breaks={"PIP460-54": Symptom(what="^received by the two$", seen='^"p1", "p3" and "p2", "p4"$|^"p2", "p4" and "p1", "p3"$')},
    story="Segments give messages of one key to whoever of the consumers has most permits.",
    origin="PIP-460, goals: a dispatcher by key within a segment, which is to be made anew",
    parts=MetadataParts(subscription=_SharesSegmentsWithoutKeys),
)

SEGMENT_NOT_EXCLUSIVE = Defect(
    name="scalable-segment-not-exclusive",
    breaks={"PIP460-54": Symptom(what="^answer to SUBSCRIBE$", expected="ConsumerBusy", seen="^success")},
    story="A segment lets a second consumer into an exclusive subscription, since the controller assigns it to one.",
    origin="feared: consumers that are let go by their controller, and not by the segment",
    parts=MetadataParts(subscription=_LetsASecondOneIn),
)

KEYS_TO_WHO_JOINS = Defect(
    name="scalable-keys-to-who-joins",
    breaks={"PIP460-54": Symptom(what="^received by others$", expected="^nothing$", seen='^"q')},
    story="A consumer that joins is given keys of which another one has messages that it has not acknowledged.",
    origin="PIP-379: what key-shared subscriptions did before hashes were drained",
    parts=MetadataParts(subscription=_GivesKeysToWhoJoins),
)

KEYS_LET_GO_AT_THE_FIRST = Defect(
    name="scalable-keys-let-go-at-the-first",
    breaks={"PIP460-54": Symptom(what="^received by others$", expected="^nothing$", seen='^"r')},
    story="A key is free again when the first of its messages is acknowledged, also where its consumer has more of them.",
    origin="PIP-379: hashes that drain are counted message by message",
    parts=MetadataParts(subscription=_LetsKeysGoAtTheFirst),
)
