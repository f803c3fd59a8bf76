"""What the clients of the core's acts know: which of their writes were acknowledged, how each transaction ended, the positions of the
group.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

INPUTS, INPUT = "inputs", ("i1", "i2")
"""A log that has these values from the beginning."""


@dataclass
class CoreTransaction:
    """A transaction as its writer knows it; `committed` is None while it is open."""

    begun_at: int
    writes: list[tuple[str, str]] = field(default_factory=list)
    """Logs and values, as they were acknowledged."""
    inputs: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """The input that it took, by group and log."""
    committed: bool | None = None
    decided_at: int = 0
    is_everywhere: bool = False
    """Whether its outcome was waited for."""


@dataclass
class CoreWriter:
    """A writer: its open transaction, the one that it ended last, and whether another client has ended one."""

    open: CoreTransaction | None = None
    last: CoreTransaction | None = None
    lost: bool = False
    has_tried: bool = False
    """Whether it has tried to commit the transaction that it lost."""
    knows_its_end: bool = True
    """Whether the end of `last` was answered; a writer that does not know goes on as a new instance."""
    is_new: bool = True


@dataclass(frozen=True)
class AcknowledgedWrite:
    """An acknowledged write; outside of all transactions where there is none."""

    value: str
    transaction: CoreTransaction | None
    written_at: int

    @property
    def in_force_at(self) -> int:
        """When it was certain that readers receive it."""
        return self.transaction.decided_at if self.transaction else self.written_at

    @property
    def is_settled(self) -> bool:
        """Whether readers received it before anything else was done: an end that is answered may reach them later."""
        return self.transaction is None or self.transaction.is_everywhere


@dataclass
class GroupPosition:
    """The position of a group in a log: what it has finished, and the open transaction that has taken more.

    `why` is the requirement that is violated where the position is another. Redelivered input may arrive in any order.
    """

    done: tuple[str, ...] = ()
    held_by: CoreTransaction | None = None
    held_last_by: CoreTransaction | None = None
    was_given_back: bool = False
    why: str = "CORE-21"


@dataclass
class Core:
    """All that clients know. Requirements are by their ids."""

    writers: dict[str, CoreWriter] = field(default_factory=lambda: {name: CoreWriter() for name in "ABC"})
    logs: dict[str, list[AcknowledgedWrite]] = field(
        default_factory=lambda: {"orders": [], "payments": [], INPUTS: [AcknowledgedWrite(value, None, 0) for value in INPUT]}
    )
    late: dict[str, list[str]] = field(default_factory=lambda: {"orders": [], "payments": [], INPUTS: []})
    """Values of writes that came too late, which no reader may ever see."""
    sealed: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    """Logs and groups whose state clients cannot know."""
    looks: int = 0
    """How often a reader looked at a log with an open transaction, or for the place of a group that one holds."""
    followed: set[str] = field(default_factory=set)
    places: dict[tuple[str, str], GroupPosition] = field(default_factory=dict)
    """By group and log, where a transaction has taken input."""
    _crash: tuple[int, str] = (0, "")
    _reloaded: int = 0
    _clock: int = 0
    _values: Counter[str] = field(default_factory=Counter)

    def new_value(self, whose: str) -> str:
        """A value that was not written yet."""
        self._values[whose] += 1
        return f"{whose.lower()}{self._values[whose]}"

    def late_value(self, log: str) -> str:
        """A value that no reader may see."""
        value = self.new_value("late")
        self.late[log].append(value)
        return value

    def used(self, log: str) -> bool:
        """Whether something was to be written there."""
        return bool(self.logs[log] or self.late[log])

    def is_open_in(self, log: str) -> bool:
        """Whether an open transaction has written there."""
        return any(entry.transaction and entry.transaction.committed is None for entry in self.logs[log])

    def has_written_to(self, name: str, log: str) -> bool:
        """Whether a writer's open transaction has written to that log."""
        current = self.writers[name].open
        return current is not None and any(where == log for where, _ in current.writes)

    def visible(self, log: str) -> tuple[str, ...]:
        """What readers of committed data get when nothing is open."""
        return tuple(one.value for one in self._in_force(log))

    def is_in_order(self, log: str) -> bool:
        """Whether the visible values were committed in the order in which they were written, and a transaction's writes before the next
        value was written, which is certain only where its end was waited for. The core defines no other order than that each transaction's
        own writes keep theirs.
        """
        visible = self._in_force(log)
        moments = [one.in_force_at for one in visible]
        is_certain = all(one.is_settled or one.transaction is after.transaction for one, after in pairwise(visible))
        return is_certain and moments == sorted(moments)

    def hidden(self, log: str) -> tuple[str, ...]:
        """What no reader of committed data may get now."""
        return (*(one.value for one in self.logs[log] if one.transaction and not one.transaction.committed), *self.late[log])

    def write(self, name: str, log: str, value: str) -> None:
        """A write was acknowledged."""
        current = self._begun(name)
        current.writes.append((log, value))
        self.logs[log].append(AcknowledgedWrite(value, current, self._tick()))

    def write_plain(self, log: str, value: str) -> None:
        """A write outside of transactions was acknowledged."""
        self.logs[log].append(AcknowledgedWrite(value, None, self._tick()))

    def end(self, name: str, *, commit: bool, answered: bool = True, everywhere: bool = False) -> None:
        """An end is decided; its writer knows that where it was `answered`, and its outcome where that was waited for `everywhere`."""
        writer = self.writers[name]
        writer.knows_its_end = answered
        if writer.open:
            writer.last, writer.open = writer.open, None
            self._decided(writer.last, commit, everywhere)

    def lose(self, name: str) -> None:
        """Another client has aborted the writer's transaction."""
        writer = self.writers[name]
        writer.lost = True
        if writer.open:
            self._decided(writer.open, committed=False, everywhere=True)
            writer.open = None

    def lose_sight(self, name: str) -> None:
        """A writer's transaction, or one that it begins, is ended, and the writer cannot go on from there."""
        writer = self.writers[name]
        writer.is_new, writer.knows_its_end = False, False
        writer.last, writer.open = writer.open, None

    def has_written_many(self, last: str) -> bool:
        """Whether the last of many values was ever written."""
        return any(entry.value == last for entries in self.logs.values() for entry in entries)

    def of_log(self, log: str) -> str:
        """The requirement that is violated where readers of a log see something unexpected."""
        return "CORE-43" if log in self.sealed else "CORE-07"

    def renew(self, name: str) -> None:
        """Another instance has the writer's name."""
        self.writers[name] = CoreWriter(is_new=False)

    def begin(self, name: str) -> None:
        """A writer has a transaction, in which nothing is written yet."""
        self._begun(name)

    def visible_while_open(self, log: str) -> tuple[str, ...] | None:
        """What readers of committed data get now; None where they may get more of it later, or did not wait for it."""
        entries = self.logs[log]
        first = next(at for at, one in enumerate(entries) if one.transaction and one.transaction.committed is None)
        in_force = self._in_force(log)
        is_certain = all(one.is_settled and one in entries[:first] for one in in_force)
        return tuple(one.value for one in in_force) if is_certain else None

    def may_take(self, group: str, log: str) -> bool:
        """Whether the group has input left there that no transaction holds, as was waited for, and nothing is open there."""
        places = [place for (one, _), place in self.places.items() if one == group]
        is_free = all(one.held_by is None and (one.held_last_by is None or one.held_last_by.is_everywhere) for one in places)
        return is_free and not self.is_open_in(log) and self.is_in_order(log) and bool(self.left(group, log))

    def left(self, group: str, log: str) -> tuple[str, ...]:
        """What a new member of the group receives, once nothing is open."""
        return tuple(value for value in self.visible(log) if value not in self._place(group, log).done)

    def take(self, name: str, group: str, log: str) -> tuple[str, ...]:
        """The values that a writer takes: the first, or all where input was redelivered."""
        current, place, left = self._begun(name), self._place(group, log), self.left(group, log)
        current.inputs[group, log] = left if place.was_given_back else left[:1]
        self.places[group, log] = replace(place, held_by=current)
        return current.inputs[group, log]

    def go_down(self, why: str = "") -> None:
        """The system has crashed and restarted; `why` is the requirement for a crash in the middle of an end."""
        self._crash = (self._tick(), why)

    def reload(self) -> None:
        """A log was served again from what is stored."""
        self._reloaded = self._tick()

    def has_gone_down_since(self, transaction: CoreTransaction) -> bool:
        """Whether the system has crashed, or a log was reloaded, while the transaction was open."""
        return max(self._crash[0], self._reloaded) > transaction.begun_at

    @property
    def has_begun(self) -> bool:
        """Whether anything was done that a crash might undo."""
        return any(map(self.used, ("orders", "payments"))) or bool(self.places)

    def why(self, transaction: CoreTransaction | None) -> str:
        """The requirement that is violated where the system refuses what a writer may do in that transaction, or in a new one."""
        begun = transaction.begun_at if transaction else self._clock
        if self._crash[0] > begun:
            return self._crash[1] if self._crash[1] == "CORE-27" else "CORE-24"
        if self._reloaded > begun:
            return "CORE-40"
        return "CORE-09" if sum(not one.is_new for one in self.writers.values()) > 1 else "CORE-42"

    def meaning_of(self, log: str, seen: Sequence[str]) -> str:
        """The requirement that is violated where readers see this when nothing is open."""
        due, owners = self.visible(log), {one.value: one.transaction for one in self.logs[log]}
        crashed, why = self._crash
        if log in self.sealed:
            return "CORE-43"
        if too_much := [value for value in seen if value not in due]:
            if too_much[0] in self.late[log]:
                return "CORE-17" if any(one.lost for one in self.writers.values()) else "CORE-31"
            return (why or "CORE-26") if crashed else "CORE-03"
        if len(set(seen)) < len(seen):
            return "CORE-38"
        if missing := [value for value in due if value not in seen]:
            if crashed:
                return why or "CORE-25"
            if self.late[log]:
                return "CORE-19" if any(one.lost for one in self.writers.values()) else "CORE-31"
            return "CORE-07" if owners[missing[0]] else "CORE-06"
        return "CORE-04"

    def _in_force(self, log: str) -> list[AcknowledgedWrite]:
        return [one for one in self.logs[log] if one.transaction is None or one.transaction.committed]

    def _begun(self, name: str) -> CoreTransaction:
        writer = self.writers[name]
        writer.is_new = False
        if writer.open is None:
            writer.open = CoreTransaction(self._tick())
        return writer.open

    def _decided(self, transaction: CoreTransaction, committed: bool, everywhere: bool) -> None:
        transaction.is_everywhere = everywhere
        transaction.committed, transaction.decided_at = committed, self._tick()
        for (group, log), taken in transaction.inputs.items():
            place = self.places[group, log]
            why = "CORE-20" if committed else "CORE-21"
            self.places[group, log] = replace(
                place,
                done=(*place.done, *taken) if committed else place.done,
                held_by=None,
                held_last_by=transaction,
                was_given_back=place.was_given_back or not committed,
                why="CORE-41" if self._crash[0] > transaction.begun_at else why,
            )

    def _place(self, group: str, log: str) -> GroupPosition:
        return self.places.get((group, log), GroupPosition())

    def _tick(self) -> int:
        self._clock += 1
        return self._clock
