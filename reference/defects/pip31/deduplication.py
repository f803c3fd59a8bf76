"""Defects of Pulsar in messages that are sent again."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.deduplication import Deduplication
from fencepost.reference.pulsar.pulsar_types import Message


@defect({"PIP31-48": seen('^"a1", "a1"$', expected='^"a1"$', what="^readers of orders$")}, origin="textbook: at least once")
class RepeatedIsStored(Deduplication):
    """A message that is sent again after a lost connection is stored once more."""

    def is_there(self, message: Message) -> bool:  # noqa: ARG002 - it does not look
        return False


@defect({"PIP31-48": seen('^"a1", "a1"$', expected='^"a1"$', what="^readers of orders$")}, origin="textbook: a state that recovery forgets")
class RepeatedIsStoredAfterLoading(Deduplication):
    """The sequence ids are known in memory only, so that a reloaded topic accepts a repeated message."""

    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:  # noqa: ARG002 - what was stored before it was loaded
        return ()


@defect(
    {"PIP31-48": seen('^"a1", "a2", "a3", "a1", "a2", "a3"$', expected='^"a1", "a2", "a3"$', what="^readers of orders$")},
    origin="textbook: a batch has two sequence ids, of which recovery reads one",
)
class RepeatedBatchIsStoredAfterLoading(Deduplication):
    """A reloaded topic knows only the first sequence id of each batch, and accepts the batch once more."""

    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:
        return (replace(message, highest_sequence_id=message.sequence_id) for message in stored)


@defect({"PIP31-144": seen("^-1$", what="^last sequence id of P$")}, origin="textbook: an answer that is not filled in")
class PulsarProducerIsToldToBeginAnew(Deduplication):
    """A producer that reconnects is notified that none of its messages is stored."""

    def last(self, producer: str) -> int:  # noqa: ARG002 - it does not look
        return -1
