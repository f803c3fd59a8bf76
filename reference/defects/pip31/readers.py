"""Defects of Pulsar in where readers begin."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import BEFORE_ALL_PLACES, Place
from fencepost.reference.pulsar.cursor import Cursor


class _BeginsWithAll(Cursor):
    def begins_behind(self, start: Place) -> Place:  # noqa: ARG002 - it does not look where it should
        return BEFORE_ALL_PLACES


READERS_BEGIN_ANEW = Defect(
    name="readers-begin-anew",
    breaks={"PIP31-141": Symptom(what="^readers of orders behind o2$", expected='^"a1"$', seen='^"o1", "a1"$')},
    story="A reader that says where it was begins with the first message again, after each restart.",
    origin="textbook: an optional field that nobody reads",
    parts=Parts(cursor=_BeginsWithAll),
)
