"""What the clients of KIP-890's acts know: which requests were acknowledged, how each transaction ended, and who owns an id."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

PARTITIONS = ("payments-0", "payments-1", "orders-0")
HERE, THERE = PARTITIONS[:2]
GROUPS = ('"shop"', '"bank"')
IDS = {"A": "transfer", "B": "refund", "C": "transfer", "H": "held", "T": "brief", "L": "last", "M": "marked", "J": "joins", "K": "kin"}
"""The transactional id with which a producer initialises; C takes over from A."""


@dataclass(eq=False)
class Kip890Transaction:
    """A transaction as its producer knows it; `committed` is None while it is open."""

    begun_at: int
    writes: list[tuple[str, str]] = field(default_factory=list)
    """Partitions and values, as they were acknowledged."""
    added: set[str] = field(default_factory=set)
    """The partitions that are in it, with records or without."""
    offsets: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """By group and partition, the offset that was sent last, and when."""
    groups: set[str] = field(default_factory=set)
    """The groups whose offsets are in it."""
    committed: bool | None = None

    @property
    def has_offsets(self) -> bool:
        """Whether offsets of a group are in it."""
        return bool(self.groups)

    def values_in(self, partition: str) -> list[str]:
        """The values that it has written there."""
        return [value for where, value in self.writes if where == partition]


@dataclass(eq=False)
class Kip890Producer:
    """An instance of a producer; `past` has how it was given each of its epochs, the latest last: by an end, or by InitProducerId."""

    name: str
    past: list[str] = field(default_factory=lambda: ["begun"])
    open: Kip890Transaction | None = None
    is_old: bool = False
    is_fenced: bool = False
    """Another instance has taken over."""
    is_timed_out: bool = False
    """The coordinator has aborted its transaction."""
    last_end: str | None = None
    """How the last transaction of an old client ended, which continues with the same epoch."""
    written: Counter[str] = field(default_factory=Counter)
    """How many records it has written to each partition under its present epoch."""
    written_before: set[str] = field(default_factory=set)
    """Partitions that it has written to under its last epoch."""
    is_exhausted: bool = False
    """It has the last usable epoch."""
    has_moved: bool = False
    """It has had another producer id."""

    @property
    def transactional_id(self) -> str:
        """The transactional id with which it initialises."""
        return IDS[self.name]

    @property
    def owns_its_id(self) -> bool:
        """Whether it is the present owner of its id."""
        return not self.is_fenced and not self.is_timed_out

    def has_next_epoch(self, how: str) -> None:
        """It was given another epoch."""
        self.past.append(how)
        self.written_before = set(self.written)
        self.written.clear()
        self.last_end = None


def last() -> Kip890Producer:
    """A producer that has the last usable epoch."""
    return Kip890Producer("L", ["begun", "initialised"], is_exhausted=True)


@dataclass(frozen=True)
class AcknowledgedRecord:
    """An acknowledged write; outside of all transactions where there is none."""

    value: str
    owner: str
    transaction: Kip890Transaction | None


@dataclass
class Kip890Clients:
    """All that clients know."""

    producers: dict[str, Kip890Producer] = field(
        default_factory=lambda: {name: Kip890Producer(name) for name in ("A", "B", "H", "T")} | {"L": last()}
    )
    logs: dict[str, list[AcknowledgedRecord]] = field(default_factory=lambda: {name: [] for name in PARTITIONS})
    offsets: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """By group and partition, the committed offset, and when it was sent."""
    dropped: dict[tuple[str, str], None] = field(default_factory=dict)
    """By group and partition, what was sent in a transaction that was aborted."""
    aborted: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: {name: [] for name in PARTITIONS})
    """By partition, the producers that have aborted a transaction there, and its first value."""
    under_way: set[str] = field(default_factory=set)
    """Producers whose end was answered, and whose markers were not waited for."""
    unread: set[str] = field(default_factory=set)
    """Partitions for which clients cannot know what readers see now."""
    cut: set[str] = field(default_factory=set)
    """Partitions whose first records were deleted."""
    gone: set[str] = field(default_factory=set)
    """Transactional ids that are not used any more."""
    shown: set[str] = field(default_factory=set)
    """What may happen only once in a sequence."""
    unclear_groups: set[str] = field(default_factory=set)
    """Groups whose offsets clients cannot know."""
    blocked: str = ""
    """What blocks completion of H's transactions, in the words of a sentence."""
    held_end: str | None = None
    """How the prepared and incomplete transaction of H ends."""
    held_up: str | None = None
    """The producer whose request is delayed until it arrives."""
    late_in: str = ""
    """The partition that a held-up write is for."""
    held_epoch: int = 0
    """How many epochs its producer had been given when it was sent."""
    has_early_snapshot: bool = False
    """Whether the snapshot of the next When was taken before an end that was in flight then."""
    has_crashed: bool = False
    marked: set[str] = field(default_factory=set)
    """Partitions that have a marker, of a transaction with records there or without."""
    is_compacted: bool = False
    """Whether a disturbance compacts the partitions, so that nothing may be left of what was aborted."""
    ledger: list[tuple[str, str, bool]] = field(default_factory=list)
    """What is in the compacted topic: keys, values, and whether each was committed."""
    _clock: int = 0
    _values: Counter[str] = field(default_factory=Counter)

    def new_value(self, whose: str) -> str:
        """A value that was not written yet."""
        self._values[whose] += 1
        return f"{whose.lower()}{self._values[whose]}"

    def new_suffix(self) -> str:
        """What distinguishes the names of an episode from those of earlier ones; nothing for the first."""
        self._values["episodes"] += 1
        return "" if self._values["episodes"] == 1 else chr(ord("a") + self._values["episodes"] - 1)

    def tick(self) -> int:
        """A later moment than all before."""
        self._clock += 1
        return self._clock

    @property
    def is_quiet(self) -> bool:
        """Whether no marker is in flight, and the snapshot is taken when the next When begins."""
        return not self.under_way and not self.has_early_snapshot

    def is_open_in(self, partition: str) -> bool:
        """Whether an open transaction has written there."""
        return any(entry.transaction and entry.transaction.committed is None for entry in self.logs[partition])

    def begun(self, name: str) -> Kip890Transaction:
        """The open transaction of a producer, or a new one."""
        producer = self.producers[name]
        producer.last_end = None
        if producer.open is None:
            producer.open = Kip890Transaction(self.tick())
        return producer.open

    def write(self, name: str, partition: str, value: str) -> None:
        """A write was acknowledged."""
        current = self.begun(name)
        current.writes.append((partition, value))
        current.added.add(partition)
        self.producers[name].written[partition] += 1
        self.logs[partition].append(AcknowledgedRecord(value, name, current))

    def write_outside(self, partition: str, value: str) -> None:
        """A write outside of transactions was acknowledged."""
        self.logs[partition].append(AcknowledgedRecord(value, "", None))

    def end(self, name: str, *, commit: bool, how: str, waited: bool) -> None:
        """The open transaction of a producer is decided, and the producer continues with an epoch that it was given, or with its own."""
        producer = self.producers[name]
        self.decide(producer, commit=commit)
        ends = "commits" if commit else "aborts"
        if producer.is_old:
            producer.last_end, producer.past[-1] = ends, "used"
        else:
            producer.has_next_epoch(how)
        if waited:
            self.under_way.discard(name)
        else:
            self.under_way.add(name)

    def decide(self, producer: Kip890Producer, *, commit: bool) -> None:
        """The open transaction of a producer is decided."""
        current, producer.open = producer.open, None
        if current is None:
            return
        current.committed = commit
        self.marked |= current.added
        if commit:
            for where, (offset, sent) in current.offsets.items():
                if where not in self.offsets or self.offsets[where][1] < sent:
                    self.offsets[where] = (offset, sent)
            return
        self.dropped |= dict.fromkeys(current.offsets)
        for partition in PARTITIONS:
            if values := current.values_in(partition):
                self.aborted[partition].append((producer.name, values[0]))

    def take_over(self, name: str, successor: str) -> None:
        """Another instance is the owner."""
        producer = self.producers[name]
        self.decide(producer, commit=False)
        producer.is_fenced = True
        self.under_way.discard(name)
        self.producers[successor] = Kip890Producer(successor, ["took over"])

    def leave(self, name: str) -> None:
        """No act uses this producer any more, for it cannot know its state."""
        producer = self.producers[name]
        producer.is_fenced, producer.open = True, None
        self.gone.add(producer.transactional_id)

    def visible(self, partition: str) -> tuple[str, ...]:
        """What readers of committed data get."""
        return tuple(
            one.value for one in self.logs[partition][: self._first_open(partition)] if one.transaction is None or one.transaction.committed
        )

    def stored(self, partition: str) -> tuple[str, ...]:
        """What readers of all data get."""
        return tuple(one.value for one in self.logs[partition])

    def hear(self, disturbance: str) -> None:
        """Note what a disturbance leaves."""
        self.is_compacted = self.is_compacted or disturbance == "compaction"

    def is_all_there(self, partition: str) -> bool:
        """Whether all that was stored there still is."""
        return not (self.is_compacted and self.aborted[partition])

    def first_undecided(self, partition: str) -> str | None:
        """The first value of an open transaction there."""
        at, entries = self._first_open(partition), self.logs[partition]
        return entries[at].value if at < len(entries) else None

    def pending(self, group: str, partition: str) -> bool:
        """Whether an open transaction has sent an offset there."""
        return any(one.open and (group, partition) in one.open.offsets for one in self.producers.values())

    def aborted_by_one(self, partition: str) -> tuple[str, list[str]] | None:
        """The producer of all that was aborted there, with the first values; None where there are several, or it has another id by now."""
        found = self.aborted[partition]
        names = {name for name, _ in found}
        if len(names) != 1 or any(self.producers[name].has_moved for name in names):
            return None
        return names.pop(), [value for _, value in found]

    def forget(self, group: str) -> None:
        """A group was deleted, with all that was committed and pending."""
        self.offsets = {where: found for where, found in self.offsets.items() if where[0] != group}
        self.dropped = {where: None for where in self.dropped if where[0] != group}
        for one in self.producers.values():
            if one.open is not None:
                one.open.offsets = {where: sent for where, sent in one.open.offsets.items() if where[0] != group}

    @property
    def may_go_down(self) -> bool:
        """Whether a crash is possible: what is blocked until then has to be prepared, since it is waited for."""
        return self.blocked != " until the next restart" or self.held_end is not None

    def go_down(self) -> None:
        """The system was down: what was blocked until then continues, and is complete."""
        self.has_crashed = True
        if self.blocked == " until the next restart":
            self.blocked, self.held_end = "", None
            held = self.producers["H"]
            if held.is_timed_out:
                held.is_timed_out, held.is_fenced = False, True

    def once(self, what: str) -> bool:
        """Whether that has not happened in this sequence."""
        return what not in self.shown

    def readable(self, partitions: Iterable[str]) -> list[str]:
        """Those for which clients know what readers see."""
        return [partition for partition in partitions if partition not in self.unread]

    def _first_open(self, partition: str) -> int:
        entries = self.logs[partition]
        found = (at for at, one in enumerate(entries) if one.transaction is not None and one.transaction.committed is None)
        return next(found, len(entries))
