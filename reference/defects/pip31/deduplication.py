"""Defects of Pulsar in messages that are sent again."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.deduplication import Deduplication
from fencepost.reference.pulsar.values import Message


class _StoresEverything(Deduplication):
    def is_there(self, message: Message) -> bool:  # noqa: ARG002 - it does not look
        return False


class _KnowsOnlyThisLife(Deduplication):
    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:  # noqa: ARG002 - what was stored before it was loaded
        return ()


REPEATED_IS_STORED = Defect(
    name="repeated-is-stored",
    breaks={"PIP31-48": Symptom(what="^readers of orders$", expected='^"a1"$', seen='^"a1", "a1"$')},
    story="A message that is sent again after a lost connection is stored once more.",
    origin="textbook: at least once",
    parts=Parts(deduplication=_StoresEverything),
)

REPEATED_IS_STORED_AFTER_LOADING = Defect(
    name="repeated-is-stored-after-loading",
    breaks={"PIP31-48": Symptom(what="^readers of orders$", expected='^"a1"$', seen='^"a1", "a1"$')},
    story="The sequence ids are known in memory only, so that a topic that was loaded anew takes a repeated message.",
    origin="textbook: a state that recovery forgets",
    parts=Parts(deduplication=_KnowsOnlyThisLife),
)
