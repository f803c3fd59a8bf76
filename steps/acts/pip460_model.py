"""What the clients of PIP-460's acts know: the segments of one scalable topic, what is in them, who reads it, and who watches it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

TOPIC, FIRST = "orders", ("left", "right")
CHILDREN = {"left": ("low", "high"), "right": ("third", "fourth"), "low": ("first", "second"), "whole": ("upper", "lower")}
"""By segment, those that its split creates."""
MERGED = {("low", "high"): "whole", ("third", "fourth"): "rest"}
"""By segments of one split, the one that their merge creates."""
SEGMENTS = (*FIRST, *(child for children in CHILDREN.values() for child in children), *MERGED.values())
KEYS = {"m": ("left", "high", "whole", "lower"), "a": ("left", "low", "second", "whole", "upper")}
"""By key, the segments that have its hash."""
STREAM, AUDIT = '"workers"', '"auditors"'
_MOST_WAITS = 2
_ENDS_CONNECTIONS = frozenset({"crash", "clean-stop", "reconnect"})
"""Disturbances."""
GROUPS = {"ann": STREAM, "bob": STREAM, "carol": AUDIT}
"""The subscription of each stream consumer."""


@dataclass(eq=False)
class Pip460Transaction:
    """A transaction; `committed` is None while it is open."""

    committed: bool | None = None


@dataclass(eq=False)
class Pip460Segment:
    """A segment, and its messages in their order, each with its transaction, if it has one."""

    created_at: int = 0
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    sealed_at: int | None = None
    entries: list[tuple[str, Pip460Transaction | None]] = field(default_factory=list)
    is_exact: bool = True
    """Whether it has no messages but these."""
    has_sentinel: bool = False
    """A look has written a message that every subscription must consume."""
    has_outlived: bool = False
    """Its retention is over."""
    is_overdue: bool = False
    """Its retention is over, and no subscription needs it."""
    is_reloaded: bool = False
    """The producers that it had are gone."""

    @property
    def is_sealed(self) -> bool:
        return self.sealed_at is not None

    @property
    def may_be_gone(self) -> bool:
        """Whether it may be removed by now; not while a transaction is open there."""
        return self.is_overdue and not self.has_open

    @property
    def has_open(self) -> bool:
        """Whether an open transaction has written to it."""
        return any(one is not None and one.committed is None for _, one in self.entries)

    @property
    def values(self) -> list[str]:
        """What its readers receive."""
        found = []
        for value, one in self.entries:
            if one is not None and one.committed is None:
                break
            if one is None or one.committed:
                found.append(value)
        return found


@dataclass
class Pip460Subscription:
    """A subscription of the topic: by segment, what it has consumed; it has no other segments."""

    consumed: dict[str, set[str]] = field(default_factory=dict)
    received: list[str] = field(default_factory=list)
    """What its stream consumers have received, in the order in which it was written."""


@dataclass
class Pip460Member:
    """A stream consumer. `waited` is whether most of its grace period has passed."""

    is_connected: bool = True
    waited: bool = False


@dataclass
class Pip460Watch:
    """A client that watches: with two watches, or with one and another one that it has closed."""

    is_double: bool = False
    has_closed: bool = False


@dataclass
class Layouts:
    """All that clients know. `is_open_ended` is whether a change was requested that may have been made or not."""

    segments: dict[str, Pip460Segment] = field(default_factory=lambda: {name: Pip460Segment() for name in FIRST})
    epoch: int = 0
    changes: int = 0
    subscriptions: dict[str, Pip460Subscription] = field(default_factory=dict)
    members: dict[str, Pip460Member] = field(default_factory=dict)
    left_for_good: set[str] = field(default_factory=set)
    watches: dict[str, Pip460Watch] = field(default_factory=dict)
    transactions: dict[str, Pip460Transaction] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    """By value, the key of a message that was written to the whole topic."""
    taken: list[str] = field(default_factory=list)
    """What the checkpoint consumer has received, in this order."""
    used: set[str] = field(default_factory=set)
    """Names of segments that a deleted topic had, which no other one is given."""
    done: Counter[str] = field(default_factory=Counter)
    is_open_ended: bool = False
    has_waited: bool = False
    has_crashed: bool = False
    is_recreated: bool = False
    is_writer_behind: bool = False
    """The producer that writes by keys may have an old layout."""
    _values: int = 0

    def new_value(self) -> str:
        """A value that was not written yet."""
        self._values += 1
        return f"v{self._values}"

    @property
    def active(self) -> list[str]:
        return [name for name, one in self.segments.items() if not one.is_sealed]

    @property
    def sealed(self) -> list[str]:
        return [name for name, one in self.segments.items() if one.is_sealed and not one.may_be_gone]

    def is_active(self, *names: str) -> bool:
        """Whether all of these are there and accept messages."""
        return not self.is_open_ended and all(name in self.segments and not self.segments[name].is_sealed for name in names)

    def may_change(self, parents: tuple[str, ...], children: tuple[str, ...]) -> bool:
        """Whether a split or a merge is possible whose children have these names."""
        return self.is_active(*parents) and self.used.isdisjoint(children)

    def write(self, segment: str, value: str, transaction: Pip460Transaction | None = None) -> None:
        """A message was acknowledged."""
        self.segments[segment].entries.append((value, transaction))
        self.done[f"written to {segment}"] += 1

    def change(self, parents: tuple[str, ...], children: tuple[str, ...]) -> None:
        """A split or a merge was made."""
        self.epoch += 1
        self.changes += 1
        for name in parents:
            self.segments[name].sealed_at, self.segments[name].children = self.epoch, children
        for name in children:
            self.segments[name] = Pip460Segment(self.epoch, parents)
        for one in self.subscriptions.values():
            if any(name in one.consumed for name in parents):
                one.consumed |= {name: set() for name in children}

    def disturb(self, names: Iterable[str]) -> None:
        """Nobody knows any more which messages these segments have."""
        for name in names:
            self.segments[name].is_exact = False

    def show(self, name: str) -> None:
        """A look writes a sentinel, unless the segment is sealed."""
        one = self.segments[name]
        one.has_sentinel |= not one.is_sealed

    def register(self, name: str) -> None:
        """A subscription is on every active segment from the first message on."""
        self.subscriptions.setdefault(name, Pip460Subscription({segment: set() for segment in self.active}))

    def unread(self, name: str, segment: str) -> list[str]:
        """What a subscription has not consumed there."""
        consumed = self.subscriptions[name].consumed[segment]
        return [value for value in self.segments[segment].values if value not in consumed]

    def is_drained(self, name: str, segment: str) -> bool:
        """Whether a subscription has consumed a sealed segment."""
        one = self.segments[segment]
        clear = one.is_exact and not one.has_open and not one.has_sentinel
        return one.is_sealed and (segment not in self.subscriptions[name].consumed or (clear and not self.unread(name, segment)))

    def assigned(self, name: str) -> list[str]:
        """What the stream consumers of a subscription may read now."""
        finished, found = set[str](), []
        for segment, one in self.segments.items():
            if not finished.issuperset(one.parents):
                continue
            if one.is_sealed and self.is_drained(name, segment):
                finished.add(segment)
            else:
                found.append(segment)
        return found

    @property
    def is_plain_to_read(self) -> bool:
        """Whether a client that reads all segments now receives just their messages."""
        of = self.segments.values()
        return all(one.is_exact and not one.has_open and not one.may_be_gone and not one.has_sentinel for one in of)

    @property
    def has_all_brokers(self) -> bool:
        """Whether no broker is missing, and none has lost its session with the store."""
        return not self.done["controller"] and not self.done["session"]

    @property
    def is_spread(self) -> bool:
        """Whether nothing has happened that can move to one broker what several have."""
        has_moved = self.has_crashed or self.is_recreated or self.has_waited or bool(self.members) or not self.has_all_brokers
        return not has_moved and not any(self.done[what] for what in ("episode", "posts", "unheard", "jobs", "traffic"))

    def present(self, group: str) -> list[str]:
        """The stream consumers of a subscription, where all of them are connected."""
        of = [name for name in self.members if GROUPS[name] == group]
        return of if all(self.members[name].is_connected for name in of) else []

    @property
    def may_pass_time(self) -> bool:
        """Whether time may pass: transactions would time out in the end."""
        return not self.is_open_ended and self.done["waits"] < _MOST_WAITS

    def pass_time(self, *, most: bool = False) -> None:
        """Time passes in which stream consumers are given up, and consumed segments may be removed; or most of it."""
        self.has_waited = True
        self.done["waits"] += 1
        for one in self.segments.values():
            one.has_outlived |= one.is_sealed
        self.release()
        if most:
            for member in self.members.values():
                member.waited |= not member.is_connected
        else:
            self.left_for_good |= {name for name, one in self.members.items() if not one.is_connected}
            self.members = {name: one for name, one in self.members.items() if one.is_connected}

    def release(self) -> None:
        """No subscription needs what all of them have consumed, also where they did so after the retention."""
        for name, one in self.segments.items():
            one.is_overdue |= one.has_outlived and not any(self._holds(of, name) for of in self.subscriptions.values())

    def _holds(self, subscription: Pip460Subscription, segment: str) -> bool:
        """Whether retention must keep a segment for a subscription."""
        consumed = subscription.consumed.get(segment)
        return consumed is not None and any(value not in consumed for value in self.segments[segment].values)

    def go_down(self) -> None:
        """The system was down: all connections ended, and grace periods begin again."""
        self.has_crashed = True
        self.lose_watches()
        for member in self.members.values():
            member.is_connected = member.waited = False
        for one in self.segments.values():
            one.is_reloaded = True

    def lose_watches(self) -> None:
        """The connections ended by which clients learn of changes, also that of the producer that writes by keys."""
        self.watches.clear()
        self.is_writer_behind |= bool(self.keys)

    def hear(self, disturbance: str) -> None:
        """Note what a disturbance leaves: where connections end, the producer that writes by keys may learn of no later change."""
        self.is_writer_behind |= bool(self.keys) and disturbance in _ENDS_CONNECTIONS

    def recreate(self) -> None:
        """The topic was deleted, and created again under its name."""
        self.left_for_good |= set(self.members)
        self.done.update({f"watch {name}": 1 for name in self.watches})
        self.is_writer_behind |= bool(self.keys)
        for kept in (self.members, self.watches, self.subscriptions, self.transactions):
            kept.clear()
        self.used |= self.segments.keys() - {*FIRST}
        self.segments = {name: Pip460Segment() for name in FIRST}
        self.epoch, self.is_recreated = 0, True
        self.taken.clear()

    def families(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Parents and children of each change, as far as all of them are there for certain."""
        changes = dict.fromkeys((one.parents, self.segments[one.parents[0]].children) for one in self.segments.values() if one.parents)
        for parents, children in changes:
            if not any(self.segments[name].may_be_gone for name in (*parents, *children)):
                yield parents, children
