"""Defects of the Pulsar reference in requests that come late or twice."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31 import deduplication
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.values import Action, TxnId

from . import fencing


class _TakesARepeatedEndForTheNext(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        later = [one.txn for one in self.transactions() if one.txn > txn and not one.status.is_decided]
        super().end(later[0] if later and self.describe(txn).status.is_complete else txn, action, reply)


REPEATED_END_ENDS_THE_NEXT = Defect(
    name="core-pulsar-repeated-end-ends-the-next",
    breaks={"CORE-30": Symptom(what="readers of orders", expected='^"a1"$', seen='^"a1", "a2"$')},
    story="An end that comes again is taken for one of the next transaction that is open.",
    origin="textbook: the current transaction held for the one that is meant",
    parts=Parts(coordinator=_TakesARepeatedEndForTheNext),
)

LATE_TO_ITS_COMMIT_SHOWN = Defect(
    name="core-pulsar-late-to-its-commit-shown",
    breaks={"CORE-31": Symptom(seen='"late"')},
    story=fencing.LATE_WRITE_SHOWN.story,
    origin=fencing.LATE_WRITE_SHOWN.origin,
    parts=fencing.LATE_WRITE_SHOWN.parts,
)

LATE_TO_ITS_COMMIT_HANGS = Defect(
    name="core-pulsar-late-to-its-commit-hangs",
    breaks={"CORE-31": Symptom(expected='^"a1", "plain"$', seen='^"a1"$')},
    story=fencing.LATE_WRITE_OPENS_AGAIN.story,
    origin=fencing.LATE_WRITE_OPENS_AGAIN.origin,
    parts=fencing.LATE_WRITE_OPENS_AGAIN.parts,
)

REPEATED_WRITE_IS_STORED = Defect(
    name="core-pulsar-repeated-write-is-stored",
    breaks={"CORE-38": Symptom(expected='^"a1", "a2"$', seen='^"a1", "a2", "a2"$')},
    story=deduplication.REPEATED_IS_STORED.story,
    origin=deduplication.REPEATED_IS_STORED.origin,
    parts=deduplication.REPEATED_IS_STORED.parts,
)

REPEATED_WRITE_IS_STORED_AFTER_RELOAD = Defect(
    name="core-pulsar-repeated-write-is-stored-after-reload",
    breaks={"CORE-38": Symptom(expected='^"a1", "a2"$', seen='^"a1", "a2", "a2"$')},
    story=deduplication.REPEATED_IS_STORED_AFTER_LOADING.story,
    origin=deduplication.REPEATED_IS_STORED_AFTER_LOADING.origin,
    parts=deduplication.REPEATED_IS_STORED_AFTER_LOADING.parts,
)
