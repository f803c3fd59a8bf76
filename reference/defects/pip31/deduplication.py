"""Defects of Pulsar in messages that are sent again."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.deduplication import Deduplication
from fencepost.reference.pulsar.values import Message


class StoresEverything(Deduplication):
    """No message is known again."""

    def is_there(self, message: Message) -> bool:  # noqa: ARG002 - it does not look
        return False


class KnowsOnlyThisLife(Deduplication):
    """A topic that is loaded knows no message again."""

    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:  # noqa: ARG002 - what was stored before it was loaded
        return ()


REPEATED_IS_STORED = Defect(
    name="repeated-is-stored",
    breaks={"PIP31-48": Symptom(what="^readers of orders$", expected='^"a1"$', seen='^"a1", "a1"$')},
    story="A message that is sent again after a lost connection is stored once more.",
    origin="textbook: at least once",
    parts=Parts(deduplication=StoresEverything),
)

REPEATED_IS_STORED_AFTER_LOADING = Defect(
    name="repeated-is-stored-after-loading",
    breaks={"PIP31-48": Symptom(what="^readers of orders$", expected='^"a1"$', seen='^"a1", "a1"$')},
    story="The sequence ids are known in memory only, so that a topic that was loaded anew takes a repeated message.",
    origin="textbook: a state that recovery forgets",
    parts=Parts(deduplication=KnowsOnlyThisLife),
)


class _RemembersFirstIds(Deduplication):
    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:
        return (replace(message, highest_sequence_id=message.sequence_id) for message in stored)


REPEATED_BATCH_IS_STORED_AFTER_LOADING = Defect(
    name="repeated-batch-is-stored-after-loading",
    breaks={"PIP31-48": Symptom(what="^readers of orders$", expected='^"a1", "a2", "a3"$', seen='^"a1", "a2", "a3", "a1", "a2", "a3"$')},
    story="A topic that was loaded anew knows of each batch the first sequence id, and takes the batch once more.",
    origin="textbook: a batch has two sequence ids, of which recovery reads one",
    parts=Parts(deduplication=_RemembersFirstIds),
)


class _TellsNothing(Deduplication):
    def last(self, producer: str) -> int:  # noqa: ARG002 - it does not look
        return -1


PRODUCER_IS_TOLD_TO_BEGIN_ANEW = Defect(
    name="pulsar-producer-is-told-to-begin-anew",
    breaks={"PIP31-144": Symptom(what="^last sequence id of P$", seen="^-1$")},
    story="A producer that comes back is told that nothing of it is stored.",
    origin="textbook: an answer that is not filled in",
    parts=Parts(deduplication=_TellsNothing),
)
