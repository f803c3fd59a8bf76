"""Defects of scalable topics that refuse what is lawful."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.values import TxnId


class _TakesOnlyThoseItKnows(MetadataBuffer):
    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        if txn not in self._open:
            raise Refused(Error.NOT_ALLOWED, f"TxnConflict: transaction {txn} has no operation records of this segment")


FIRST_WRITE_REFUSED = Defect(
    name="core-scalable-first-write-refused",
    breaks={"CORE-42": Symptom(what="^answer$", expected="^success$", seen="NotAllowed")},
    story="A segment takes messages of transactions only whose operation records it has, so no transaction ever has its first there.",
    origin="textbook: a table of states that lacks the first one",
    parts=MetadataParts(metadata_buffer=_TakesOnlyThoseItKnows),
)
