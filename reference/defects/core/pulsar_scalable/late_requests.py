"""Defects of scalable topics in requests that come late or twice."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31.deduplication import KnowsOnlyThisLife, StoresEverything
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.values import Action, TxnId

from . import fencing


class _TakesARepeatedEndForTheNext(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        later = [one.txn for one in self.transactions() if one.txn > txn and not one.status.is_decided]
        super().end(later[0] if later and self.is_over(txn) else txn, action, reply)


REPEATED_END_ENDS_THE_NEXT = Defect(
    name="core-scalable-repeated-end-ends-the-next",
    breaks={"CORE-30": Symptom(what="readers of orders", expected='^"a1"$', seen='^"a1", "a2"$')},
    story="An end that comes again is taken for one of the next transaction that is open.",
    origin="textbook: the current transaction held for the one that is meant",
    parts=MetadataParts(metadata_coordinator=_TakesARepeatedEndForTheNext),
)

LATE_TO_ITS_COMMIT_SHOWN = Defect(
    name="core-scalable-late-to-its-commit-shown",
    breaks={"CORE-31": Symptom(seen='"late"')},
    story=fencing.LATE_WRITE_SHOWN.story,
    origin=fencing.LATE_WRITE_SHOWN.origin,
    parts=fencing.LATE_WRITE_SHOWN.parts,
)

LATE_TO_ITS_COMMIT_HANGS = Defect(
    name="core-scalable-late-to-its-commit-hangs",
    breaks={"CORE-31": Symptom(expected='^"a1"(, "plain")?$', seen='^"a1", "not even what was written last"$')},
    story=fencing.LATE_WRITE_OPENS_AGAIN.story,
    origin=fencing.LATE_WRITE_OPENS_AGAIN.origin,
    parts=fencing.LATE_WRITE_OPENS_AGAIN.parts,
)

REPEATED_WRITE_IS_STORED = Defect(
    name="core-scalable-repeated-write-is-stored",
    breaks={"CORE-38": Symptom(expected='^"a1", "a2"$', seen='^"a1", "a2", "a2"$')},
    story="A message of a transaction that is sent again after a lost connection is stored in its segment once more.",
    origin="textbook: at least once",
    parts=MetadataParts(deduplication=StoresEverything),
)

REPEATED_WRITE_IS_STORED_AFTER_RELOAD = Defect(
    name="core-scalable-repeated-write-is-stored-after-reload",
    breaks={"CORE-38": Symptom(expected='^"a1", "a2"$', seen='^"a1", "a2", "a2"$')},
    story="The sequence ids are known in memory only, so that a segment that was loaded anew takes a repeated message of a transaction.",
    origin="textbook: a state that recovery forgets",
    parts=MetadataParts(deduplication=KnowsOnlyThisLife),
)
