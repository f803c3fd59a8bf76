"""What the clients of the transaction key's acts know: which task has which key, and the state of each transaction of a key."""

from collections import Counter
from dataclasses import dataclass, field

PAYMENTS, REFUNDS, ALICES, BOBS = 'key "payments"', 'key "refunds"', 'key "payments" of "alice"', 'key "payments" of "bob"'
KEYS = (PAYMENTS, REFUNDS, ALICES, BOBS)
TASKS = ("task one", "task two", "task three")


@dataclass
class KeyedTransaction:
    """A transaction that a task has begun; `committed` is None while it is open."""

    name: str
    task: str
    committed: bool | None = None
    holds: set[str] = field(default_factory=set)
    """Messages of the input that it has acknowledged."""
    has_acknowledged: bool = False
    is_late: bool = False
    """Whether it was ended for its task, and not by it."""
    is_fenced: bool = False
    """Whether that was because a task connected or began another."""

    @property
    def is_open(self) -> bool:
        return self.committed is None


@dataclass
class KeyedTask:
    """A process: the key for which it was given an epoch, and whether that epoch is the last one."""

    name: str
    key: str
    is_current: bool = True
    is_connected: bool = True
    has_left: bool = False
    is_notified: bool = True
    """Whether it knows its epoch."""
    transaction: KeyedTransaction | None = None

    @property
    def open(self) -> KeyedTransaction | None:
        return self.transaction if self.transaction and self.transaction.is_open else None


@dataclass
class KnownKeys:
    """All that clients know."""

    tasks: dict[str, KeyedTask] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)
    """By key, the task that was given its last epoch."""
    counts: Counter[str] = field(default_factory=Counter)
    """By key, how often a task was given an epoch of it."""
    deleted: set[str] = field(default_factory=set)
    entries: list[tuple[str, KeyedTransaction | None]] = field(default_factory=list)
    """The messages in orders that the broker has acknowledged, each with its transaction, None outside of all."""
    done: Counter[str] = field(default_factory=Counter)
    taken: set[str] = field(default_factory=set)
    """Messages of the input that a commit has acknowledged."""
    _letters: int = 0
    _values: int = 0

    def begin(self, task: str) -> KeyedTransaction:
        """A transaction that the task has begun just now; one that it had is aborted."""
        self.abort(task, fenced=True)
        one = KeyedTransaction(chr(ord("A") + self._letters), task)
        self._letters += 1
        self.tasks[task].transaction = one
        return one

    @property
    def has_letters(self) -> bool:
        """Whether there are names for more transactions."""
        return self._letters < 20

    def new_value(self) -> str:
        self._values += 1
        return f"m{self._values}"

    def abort(self, task: str, *, fenced: bool = False) -> KeyedTransaction | None:
        """Whatever the task has open is aborted for it."""
        one = self.tasks[task].open
        if one is not None:
            one.committed, one.is_late, one.is_fenced = False, True, fenced
            one.holds.clear()
        return one

    def connect(self, task: str, key: str) -> KeyedTransaction | None:
        """A task was given the next epoch of a key; returns what that has aborted."""
        before = self.tasks.get(self.last.get(key, ""))
        aborted = None
        if before is not None and before.key == key:  # it may have connected with another one since this was deleted
            aborted, before.is_current = self.abort(before.name, fenced=True), False
        self.tasks[task], self.last[key] = KeyedTask(task, key), task
        self.counts[key] += 1
        self.deleted.discard(key)
        return aborted

    def delete(self, key: str) -> KeyedTransaction | None:
        """An administrator has deleted a key; returns what that has aborted."""
        task = self.last[key]
        self.tasks[task].is_current = False
        self.deleted.add(key)
        return self.abort(task)

    def go_down(self) -> None:
        """The system has crashed: connections are gone, and open transactions stay."""
        for one in self.tasks.values():
            one.is_connected = False

    def current(self, key: str) -> KeyedTask | None:
        """The task that has the key now."""
        one = self.tasks.get(self.last.get(key, ""))
        return one if one is not None and one.key == key and one.is_current else None

    def visible(self) -> list[str]:
        return [value for value, owner in self.entries if owner is None or owner.committed]

    def commit(self, one: KeyedTransaction) -> None:
        """The end of a transaction was answered."""
        one.committed = True
        self.taken |= one.holds
        one.holds.clear()

    def holder(self, value: str) -> KeyedTransaction | None:
        """The open transaction that has acknowledged a message."""
        return next((one.open for one in self.tasks.values() if one.open and value in one.open.holds), None)
