"""Defects of Pulsar in where readers begin."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import BEFORE_ALL_PLACES, MessagePosition
from fencepost.reference.pulsar.cursor import Cursor


@defect(
    {"PIP31-141": seen('^"o1", "a1"$', expected='^"a1"$', what="^readers of orders behind o2$")},
    origin="textbook: an optional field that no code reads",
)
class ReadersBeginAnew(Cursor):
    """A reader that says where it was begins with the first message again, after each restart."""

    def begins_behind(self, start: MessagePosition) -> MessagePosition:  # noqa: ARG002 - it does not look where it should
        return BEFORE_ALL_PLACES
