"""What the clients of the core's acts know: which of their writes were acknowledged, how each transaction was ended, where the group is."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

INPUT = ("i1", "i2")


@dataclass
class Transaction:
    """A transaction as its writer knows it; `committed` is None while it is open."""

    begun_at: int
    writes: list[tuple[str, str]] = field(default_factory=list)
    """Logs and values, as they were acknowledged."""
    inputs: tuple[str, ...] = ()
    committed: bool | None = None
    decided_at: int = 0


@dataclass
class Writer:
    """A writer: its open transaction, the one that it ended last, and whether somebody else has ended one."""

    open: Transaction | None = None
    last: Transaction | None = None
    lost: bool = False
    has_tried: bool = False
    """To commit what it lost."""
    knows_its_end: bool = True
    """Whether the end of `last` was answered; a writer that does not know goes on as a new instance."""
    is_new: bool = True


@dataclass(frozen=True)
class Entry:
    """An acknowledged write; outside of all transactions where there is none."""

    value: str
    transaction: Transaction | None
    written_at: int

    @property
    def in_force_at(self) -> int:
        """When it was clear that readers get it."""
        return self.transaction.decided_at if self.transaction else self.written_at


@dataclass
class Core:
    """All that clients know. Requirements are by their ids."""

    writers: dict[str, Writer] = field(default_factory=lambda: {name: Writer() for name in "ABC"})
    logs: dict[str, list[Entry]] = field(default_factory=lambda: {"orders": [], "payments": []})
    late: dict[str, list[str]] = field(default_factory=lambda: {"orders": [], "payments": []})
    """Values of writes that came too late, which nobody may ever see."""
    followed: set[str] = field(default_factory=set)
    left: tuple[str, ...] = INPUT
    taken: Transaction | None = None
    """The open transaction that has taken input."""
    of_input: str = "CORE-21"
    """What is violated where the group is not where it should be."""
    group_is_used: bool = False
    was_given_back: bool = False
    _crash: tuple[int, str] = (0, "")
    _reloaded: int = 0
    _clock: int = 0
    _values: Counter[str] = field(default_factory=Counter)

    def new_value(self, whose: str) -> str:
        """A value that nobody has written."""
        self._values[whose] += 1
        return f"{whose.lower()}{self._values[whose]}"

    def late_value(self, log: str) -> str:
        """A value that nobody may see."""
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
        """Whether what is visible came into force in the order in which it was written; of no other order does the core say anything
        but that each transaction's own writes keep theirs."""
        moments = [one.in_force_at for one in self._in_force(log)]
        return moments == sorted(moments)

    def hidden(self, log: str) -> tuple[str, ...]:
        """What no reader of committed data may get now."""
        return (*(one.value for one in self.logs[log] if one.transaction and not one.transaction.committed), *self.late[log])

    def write(self, name: str, log: str, value: str) -> None:
        """A write was acknowledged."""
        current = self._begun(name)
        current.writes.append((log, value))
        self.logs[log].append(Entry(value, current, self._tick()))

    def write_plain(self, log: str, value: str) -> None:
        """A write outside of transactions was acknowledged."""
        self.logs[log].append(Entry(value, None, self._tick()))

    def end(self, name: str, *, commit: bool, answered: bool = True) -> None:
        """An end is decided; its writer knows that where it was `answered`."""
        writer = self.writers[name]
        writer.knows_its_end = answered
        if writer.open:
            writer.last, writer.open = writer.open, None
            self._decided(writer.last, commit)

    def lose(self, name: str) -> None:
        """Somebody else has aborted the writer's transaction."""
        writer = self.writers[name]
        writer.lost = True
        if writer.open:
            self._decided(writer.open, committed=False)
            writer.open = None

    def renew(self, name: str) -> None:
        """Another instance has the writer's name."""
        self.writers[name] = Writer(is_new=False)

    @property
    def may_take(self) -> bool:
        """Whether the group has input left, and nobody holds it."""
        return self.taken is None and bool(self.left)

    def take(self, name: str) -> tuple[str, ...]:
        """The values that a writer takes: one of several, or all where input was given back, which may come in any order."""
        current, self.group_is_used = self._begun(name), True
        current.inputs = self.left if self.was_given_back else self.left[:1]
        self.taken = current
        return current.inputs

    def go_down(self, why: str = "") -> None:
        """The system has crashed and come back; `why` is what holds over a crash in the middle of an end."""
        self._crash = (self._tick(), why)

    def reload(self) -> None:
        """A log was served again from what is stored."""
        self._reloaded = self._tick()

    @property
    def has_begun(self) -> bool:
        """Whether anything was done that a crash might undo."""
        return any(map(self.used, self.logs)) or self.group_is_used

    def why(self, transaction: Transaction | None) -> str:
        """What is violated where the system refuses what a writer may do in that transaction, or in a new one."""
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

    def _in_force(self, log: str) -> list[Entry]:
        return [one for one in self.logs[log] if one.transaction is None or one.transaction.committed]

    def _begun(self, name: str) -> Transaction:
        writer = self.writers[name]
        writer.is_new = False
        if writer.open is None:
            writer.open = Transaction(self._tick())
        return writer.open

    def _decided(self, transaction: Transaction, committed: bool) -> None:
        transaction.committed, transaction.decided_at = committed, self._tick()
        if transaction is not self.taken:
            return
        self.taken = None
        self.of_input = "CORE-20" if committed else "CORE-21"
        if committed:
            self.left = tuple(value for value in self.left if value not in transaction.inputs)
        else:
            self.was_given_back = True
        if self._crash[0] > transaction.begun_at:
            self.of_input = "CORE-41"

    def _tick(self) -> int:
        self._clock += 1
        return self._clock
