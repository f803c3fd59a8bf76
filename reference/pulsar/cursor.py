"""How far a subscription has come: everything up to a place is acknowledged, and single messages after it.

A durable subscription's cursor is journalled with each acknowledgement. Batches are counted message by message.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .buffer import BEFORE_ALL_PLACES, MessagePosition, ReadView
from .pending_ack_store import Units
from .pulsar_types import SubscriptionName


@dataclass(frozen=True)
class Moved:
    """Everything up to `up_to` is acknowledged, and `beyond` it these messages; what was before is gone."""

    up_to: MessagePosition
    beyond: Mapping[MessagePosition, Units] = field(default_factory=dict)


class Cursor:
    """The cursor of one subscription."""

    def __init__(self, disk: Disk | None, name: SubscriptionName, start: MessagePosition) -> None:
        self._journal: Journal[Moved] = disk.journal(self.journal_name(name)) if disk else Journal()
        *_, last = (Moved(self.begins_behind(start)), *self._journal)
        self.mark_delete = last.up_to
        self._beyond: dict[MessagePosition, Units] = dict(last.beyond)
        self.save()

    def begins_behind(self, start: MessagePosition) -> MessagePosition:
        """Decision: where a new subscription begins: at the start that was asked for."""
        rule("PIP31-141")
        return start

    def journal_name(self, name: SubscriptionName) -> str:
        """Decision: where the cursor is kept: each subscription of each topic has a separate journal."""
        return f"cursor {name.topic} {name.name}"

    def acknowledged(self, place: MessagePosition, units: Units) -> Units:
        """Which of these messages at that place are acknowledged."""
        return units if place <= self.mark_delete else units & self._beyond.get(place, frozenset())

    def acknowledge(self, wanted: Mapping[MessagePosition, Units], buffer: ReadView) -> None:
        """Decision: single messages are acknowledged, a batch in parts too, and the cursor moves on over what is complete."""
        for place, units in wanted.items():
            if place > self.mark_delete:
                self._beyond[place] = self._beyond.get(place, frozenset()) | units
        for readable in buffer.after(self.mark_delete):
            if len(self._beyond.get(readable.place, ())) < readable.message.units:
                break
            self.mark_delete = readable.place
            del self._beyond[readable.place]
        self.save()

    def acknowledge_up_to(self, place: MessagePosition, buffer: ReadView) -> None:
        """Decision: everything up to that place is acknowledged, also what readers do not see now: it may have been shown before."""
        if place > self.mark_delete:
            self.mark_delete = place
            self._beyond = {beyond: units for beyond, units in self._beyond.items() if beyond > place}
        self.acknowledge({}, buffer)

    def seek(self, place: MessagePosition) -> None:
        """Begin again after that place."""
        self.mark_delete, self._beyond = place, {}
        self.save()

    def erase(self) -> None:
        """Delete it for good."""
        self._journal.replace(())

    def save(self) -> None:
        """Decision: each change is durable at once."""
        self._journal.append(Moved(self.mark_delete, dict(self._beyond)))


EARLIEST = BEFORE_ALL_PLACES
"""Where a cursor starts that is to see everything."""
