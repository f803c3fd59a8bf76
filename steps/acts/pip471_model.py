"""What the clients of PIP-471's acts know: as with PIP-31, and in addition the segments and which headers are collected."""

from dataclasses import dataclass, field

from .pip31_model import GONE, INPUTS, UNCLEAR, AcknowledgedMessage, Pip31, Pip31Subscription, Pip31Topic, Pip31Transaction
from .pip31_writing import DEDUPLICATED

CHILDREN = {"left": ("low", "high"), "right": ("lower", "higher"), "low": ("lowest", "inner")}
"""By segment, those that its split makes."""
MERGED = {("left", "right"): "whole", ("low", "high"): "again"}
"""By segments, the one that their merge makes."""
FIRST = ("left", "right")
SEGMENTS = (*FIRST, *dict.fromkeys(child for children in CHILDREN.values() for child in children), *MERGED.values())


@dataclass
class Pip471(Pip31):
    """All that clients know."""

    sealed: set[str] = field(default_factory=set)
    collected: set[str] = field(default_factory=set)
    """Transactions that ended longer ago than the retention."""
    loaded_at: int = 0
    """The time of the last reload: a participant may learn of an end only at its next request."""

    def __post_init__(self) -> None:
        self.topics |= {name: Pip31Topic() for name in FIRST}

    def go_down(self) -> None:
        super().go_down()
        self.loaded_at = self.crashed_at

    def go_back(self, one: Pip31Subscription) -> None:
        """An end that the segment has not applied yet deletes its messages after the seek, so it is not known whether they are there."""
        if self.may_be_behind:
            one.states |= {value: UNCLEAR for value, state in one.states.items() if state == GONE}
        super().go_back(one)

    def why_withheld(self, one: Pip31Topic) -> str:
        """Another one after a reload: a reloaded segment may have forgotten what is open."""
        is_reloaded = any(entry.is_open and entry.written_at < self.loaded_at for entry in one.entries)
        return "PIP471-60" if is_reloaded else super().why_withheld(one)

    def unload(self, topic: str) -> None:
        """Segments are unloaded with their whole namespace; the deduplicated topic has a separate one."""
        for name in (topic,) if topic == DEDUPLICATED else (other for other in (*self.topics, INPUTS) if other != DEDUPLICATED):
            super().unload(name)
        self.loaded_at = self.tick()

    def knows(self, *names: str) -> bool:
        """Whether all segments among these exist."""
        return all(name in self.topics for name in names if name in SEGMENTS)

    def seal(self, parents: tuple[str, ...], children: tuple[str, ...], why: str) -> None:
        """Segments were split or merged."""
        self.sealed.update(parents)
        for name in parents:
            self.topics[name].whys.append(why)
        self.topics |= {name: Pip31Topic(whys=["PIP471-52"]) for name in children}

    def is_loaded(self, name: str) -> bool:
        """Whether nothing was reloaded since the transaction began, so that participants learn of its end at once."""
        return self.loaded_at < self.transactions[name].begun_at

    def entries_of(self, name: str) -> list[AcknowledgedMessage]:
        """What a transaction has written."""
        return [entry for topic in self.topics.values() for entry in topic.entries if is_of(entry, self.transactions[name])]

    @property
    def may_be_behind(self) -> bool:
        """Whether a participant may follow an end later than it was answered."""
        return bool(self.loaded_at) or any(one.is_late for one in self.transactions.values())

    @property
    def has_waited(self) -> bool:
        """Whether so much time may have passed that the header of an ended transaction is collected."""
        return bool(self.loaded_at or self.done["timed out"] or self.done["retentions"] or self.done["store failed"])

    def has_operations(self, name: str) -> bool:
        """Whether the store has operation records of the transaction."""
        return bool(self.entries_of(name)) or any(one.holds(name) for one in self.subscriptions.values())

    def collect(self) -> None:
        """The retention of all ended transactions has passed."""
        self.collected.update(name for name, one in self.transactions.items() if not one.is_open)


def is_of(entry: AcknowledgedMessage, transaction: Pip31Transaction) -> bool:
    """Whether it was written in this transaction."""
    return entry.transaction is transaction


def stored(entries: list[AcknowledgedMessage]) -> int:
    """How many entries of a segment they take: those of a batch are one."""
    return len({(entry.written_at, "" if entry.is_in_batch else entry.value) for entry in entries})
