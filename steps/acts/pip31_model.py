"""What the clients of PIP-31's acts know: which messages were acknowledged, how each transaction ended, which one holds a message."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

FREE, GONE, TAKEN, UNCLEAR = "free", "gone", "taken", "unclear"
"""The state of a message on a subscription where no transaction holds it: to be delivered, acknowledged by a commit, or by a plain
acknowledgement, which a crash may undo, or unknown to clients.
"""

INPUTS = "inputs"
INPUT: tuple[str, ...] = ("i1", "i2")
BATCH: tuple[str, ...] = ("b1", "b2")
"""A topic with two messages and a batch of two."""
MESSAGES = (*INPUT, *BATCH)
KINDS = {"workers": "shared", "auditors": "exclusive", "packers": "key-shared", "heirs": "failover"}
"""The subscriptions that have received all of the input from the beginning, by their kinds."""

_NARROW = ("PIP31-57", "PIP31-64", "PIP31-85", "PIP31-83", "PIP31-60", "PIP31-89", "PIP31-50", "PIP31-51", "PIP31-110", "PIP31-90")
"""Requirements about rare requests, whose violation spoils what follows."""


def narrowest(whys: Sequence[str]) -> str:
    """The one to name of the requirements that may be violated after earlier acts: that of a rare act, or of the last one."""
    return next((why for why in _NARROW if why in whys), whys[-1])


def rare(whys: Sequence[str], otherwise: str) -> str:
    """The requirement about a rare act, if there was one."""
    return next((why for why in _NARROW if why in whys), otherwise)


@dataclass
class Pip31Transaction:
    """A transaction as clients know it; `committed` is None while it is open, or where it is not known which of two ends won."""

    name: str
    begun_at: int
    topics: set[str] = field(default_factory=set)
    subscriptions: set[str] = field(default_factory=set)
    committed: bool | None = None
    is_open: bool = True
    decided_at: int = 0
    is_held_up: bool = False
    """Whether a participant does not answer, so that its end is decided and incomplete."""
    is_answer_lost: bool = False
    """Whether its end was blocked, or was requested again: then the first answer to it is not what is remembered."""
    is_late: bool = False
    """Whether topics may have learned of its end later than it was decided."""
    timed_out: bool = False

    @property
    def has_part(self) -> bool:
        """Whether it has participants."""
        return bool(self.topics or self.subscriptions)


@dataclass(frozen=True)
class AcknowledgedMessage:
    """A message that was acknowledged by the broker; outside of all transactions where there is none."""

    value: str
    transaction: Pip31Transaction | None
    written_at: int
    is_in_batch: bool = False
    """Whether its entry holds others too. In a committed transaction such a message has no separate id on the wire."""

    @property
    def is_in_force(self) -> bool:
        return self.transaction is None or self.transaction.committed is True

    @property
    def is_open(self) -> bool:
        return self.transaction is not None and self.transaction.is_open

    @property
    def in_force_at(self) -> int:
        """When it was certain that readers receive it."""
        return self.transaction.decided_at if self.transaction else self.written_at


@dataclass
class Pip31Topic:
    """A topic: what was written to it, and the events that determine a narrower requirement."""

    entries: list[AcknowledgedMessage] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)
    """Requirements that would be violated where the topic serves clients badly from then on, the narrowest last."""
    strays_at: int = 0
    """When a message was sent in a transaction that had not added the topic."""
    is_contested: bool = False
    """Whether a transaction wrote here whose outcome is not known."""
    is_terminated: bool = False
    has_sentinels: bool = False
    """Whether a reader looked: a look writes a message that does not belong to the scenario."""
    is_compacted: bool = False

    @property
    def is_used(self) -> bool:
        """Whether something was to be written there."""
        return bool(self.entries or self.whys or self.strays_at or self.is_contested)

    @property
    def in_force(self) -> list[AcknowledgedMessage]:
        return [one for one in self.entries if one.is_in_force]

    @property
    def has_open(self) -> bool:
        return any(one.is_open for one in self.entries)

    @property
    def is_plain_to_read(self) -> bool:
        """Whether it is known exactly what readers receive."""
        return not (self.is_contested or self.strays_at or self.is_terminated)

    @property
    def is_in_order(self) -> bool:
        """Whether the messages that readers receive were committed in the order in which they were written; otherwise a topic may have
        either order.
        """
        owners = [one.transaction for one in self.in_force]
        if any(one is not None and one.is_late for one in owners) and any(one is not owners[0] for one in owners):
            return False
        moments = [one.in_force_at for one in self.in_force]
        return moments == sorted(moments)

    @property
    def is_clear_while_open(self) -> bool:
        """Whether no committed transaction has written after an open one: such a message may be withheld until that ends."""
        first = next((at for at, one in enumerate(self.entries) if one.is_open), len(self.entries))
        return all(one.transaction is None or not one.is_in_force for one in self.entries[first:])

    @property
    def has_more_behind(self) -> bool:
        """Whether readers may receive something that was written after the first message of an open transaction."""
        first = next((at for at, one in enumerate(self.entries) if one.is_open), len(self.entries))
        return any(one.is_in_force for one in self.entries[first:])

    def values(self) -> tuple[str, ...]:
        """What readers receive."""
        return tuple(one.value for one in self.in_force)

    def last_of_each_key(self) -> tuple[str, ...]:
        """What compaction leaves, where the key of a value is its first letter."""
        last = {one.value[0]: one.value for one in self.in_force}
        return tuple(value for value in self.values() if last[value[0]] == value)


@dataclass
class Pip31Subscription:
    """A subscription: the state of each message, and what its consumer must have received since the last look."""

    name: str
    kind: str
    topic: str
    received: tuple[str, ...] = ()
    """The messages whose ids its consumer knows, in their order."""
    states: dict[str, str] = field(default_factory=dict)
    """By message: FREE, GONE, UNCLEAR, or the transaction that holds it."""
    firsts_of_batches: tuple[str, ...] = ()
    """Messages with others after them in their entry: a cumulative acknowledgement up to one of them may take the whole entry, or leave it.
    """
    cumulative: dict[str, int] = field(default_factory=dict)
    """By transaction, up to which of the received messages it has acknowledged."""
    covered: set[str] = field(default_factory=set)
    """Messages that had a cumulative acknowledgement when its transaction ended."""
    given_back: set[str] = field(default_factory=set)
    tried: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By open transaction, what it has tried to acknowledge cumulatively over messages that others hold."""
    owed: list[str] = field(default_factory=list)
    is_attached: bool = True
    """Whether its consumer is certainly attached, and does not reconnect only at its next request."""
    is_exact: bool = True
    """Whether the consumer must be given what it is owed, and nothing else."""
    asked_again: bool = False
    """Whether redelivery was requested since the last acknowledgement, so that returned messages may or may not be delivered once more."""
    is_odd: bool = False
    """Whether it was changed in a way that the answers to ends of transactions do not show."""
    is_removed: bool = False
    is_used: bool = False
    is_reader: bool = False
    whys: list[str] = field(default_factory=list)
    banned: set[str] = field(default_factory=set)
    """Transactions that participated before it was removed, or tried to, and messages that were acknowledged late: no act uses them any
    more.
    """

    @property
    def is_shared(self) -> bool:
        return self.kind in ("shared", "key-shared")

    @property
    def free(self) -> list[str]:
        return [value for value, state in self.states.items() if state == FREE]

    @property
    def is_clear(self) -> bool:
        return UNCLEAR not in self.states.values()

    def holds(self, transaction: str) -> list[str]:
        """What a transaction has acknowledged."""
        return [value for value, state in self.states.items() if state == transaction]

    def up_to(self, index: int) -> tuple[str, ...]:
        return self.received[: index + 1]

    def hold(self, transaction: str, values: Iterable[str]) -> None:
        """A transaction has acknowledged these."""
        for value in values:
            if self.states[value] == FREE:
                self.take(value, transaction)
        self.asked_again = False

    def take(self, value: str, state: str) -> None:
        """A message need not be delivered to the consumer any more."""
        self.states[value] = state
        if value in self.owed:
            self.owed.remove(value)
            self.is_exact = False

    def ended(self, transaction: str, committed: bool | None) -> None:
        """The end of a transaction has reached it."""
        self.tried.pop(transaction, None)
        up_to = self.cumulative.pop(transaction, None)
        was_cumulative = up_to is not None
        cut = self.received[up_to] if up_to is not None and self.received[up_to] in self.firsts_of_batches else None
        self.is_odd |= cut is not None
        self.covered.update(self.up_to(up_to) if up_to is not None else ())
        for value in self.holds(transaction):
            is_disputed = any(value in values for values in self.tried.values())
            if committed is None or (committed and value == cut) or (is_disputed and not committed):
                self.states[value] = UNCLEAR
                self.is_exact = False
            elif committed:
                self.states[value] = GONE
            else:
                self.states[value] = FREE
                self.given_back.add(value)
                if self.kind == "shared" and not was_cumulative:
                    self.owed.append(value)
                    self.is_exact = self.is_exact and not self.asked_again
                else:
                    self.is_exact = False

    def begin_anew(self, *, is_new_consumer: bool) -> None:
        """The consumer receives again all that is not taken; a consumer that stays may have received some of it already."""
        is_whole = not any(self.received[index] in self.firsts_of_batches for index in self.cumulative.values())
        is_known = self.is_clear and self.banned.isdisjoint(self.states) and is_whole
        self.is_exact = (is_new_consumer or (self.is_exact and not self.owed)) and is_known
        self.owed = [value for value in self.free if value not in self.banned]
        self.asked_again = True

    def load(self) -> None:
        """The broker begins with what is stored. A plain acknowledgement may be lost, for it is not promised to be durable."""
        self.states |= {value: UNCLEAR for value, state in self.states.items() if state == TAKEN}
        self.begin_anew(is_new_consumer=False)
        self.is_attached = False


@dataclass
class Pip31Producer:
    """A producer with a name: its last message, in which transaction, and whether it is open."""

    topic: str
    transaction: str
    values: tuple[str, ...]
    used_in: set[str]
    """The transactions in which it has used its last sequence id."""
    is_closed: bool = False
    is_connected: bool = True
    has_repeated: bool = False


@dataclass
class Pip31:
    """All that clients know."""

    transactions: dict[str, Pip31Transaction] = field(default_factory=dict)
    topics: dict[str, Pip31Topic] = field(default_factory=lambda: {name: Pip31Topic() for name in ("orders", "payments", "states")})
    subscriptions: dict[str, Pip31Subscription] = field(
        default_factory=lambda: {
            name: Pip31Subscription(name, kind, INPUTS, MESSAGES, dict.fromkeys(MESSAGES, FREE), BATCH[:1]) for name, kind in KINDS.items()
        }
    )
    producers: dict[str, Pip31Producer] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    """How often an act was used that a sequence may use only so often."""
    clock: int = 0
    crashed_at: int = 0
    unloaded: set[str] = field(default_factory=set)
    """The topics that were unloaded."""
    has_met_trouble: bool = False
    """Whether an unknown transaction was used."""
    _values: Counter[str] = field(default_factory=Counter)

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def new_value(self, whose: str) -> str:
        """A value that was not written yet."""
        self._values[whose] += 1
        return f"{whose.lower()}{self._values[whose]}"

    def is_open(self, name: str) -> bool:
        """Whether a transaction can be used: a new one is begun then."""
        return name not in self.transactions or self.transactions[name].is_open

    def is_over(self, name: str) -> bool:
        """Whether the end of a transaction is known and has reached all participants."""
        one = self.transactions.get(name)
        return one is not None and not one.is_open and not one.is_held_up and one.committed is not None

    def begin(self, name: str) -> Pip31Transaction:
        """A transaction that was begun just now."""
        self.transactions[name] = Pip31Transaction(name, self.tick())
        return self.transactions[name]

    def has_crashed_in(self, name: str) -> bool:
        """Whether the system has crashed while the transaction was open."""
        return self.crashed_at > self.transactions[name].begun_at

    def write(self, topic: str, values: Iterable[str], transaction: Pip31Transaction | None = None, *, in_batch: bool = False) -> None:
        """Messages were acknowledged by the broker."""
        at = self.tick()
        for value in values:
            self.topics[topic].entries.append(AcknowledgedMessage(value, transaction, at, in_batch))
            if transaction is None:
                self._give(topic, value)

    def decide(self, name: str, committed: bool | None, *, held: bool = False) -> None:
        """An end was decided: it has reached all participants, unless it is blocked; None where it is not known which of two."""
        one = self.transactions[name]
        one.is_open, one.committed, one.decided_at, one.is_held_up = False, committed, self.tick(), held
        one.is_answer_lost |= held
        one.is_late = held
        for topic in self.topics.values():
            topic.is_contested |= committed is None and any(entry.transaction is one for entry in topic.entries)
        for topic_name in one.topics if committed else ():
            for entry in self.topics[topic_name].entries:
                if entry.transaction is one:
                    self._give(topic_name, entry.value)
        if not held:
            self._notify(one)

    def go_back(self, one: Pip31Subscription) -> None:
        """Its consumer has sought back to the first message: what was deleted is there again."""
        one.states |= {value: FREE for value, state in one.states.items() if state in (GONE, TAKEN)}
        one.begin_anew(is_new_consumer=True)

    def let_go(self, name: str) -> None:
        """The end of a transaction is released."""
        self.transactions[name].is_held_up = False
        self._notify(self.transactions[name])

    def go_down(self) -> None:
        """The system has crashed and restarted."""
        self.crashed_at = self.tick()
        for one in self.subscriptions.values():
            self._load(one)
        for producer in self.producers.values():
            producer.is_connected = False

    def why_withheld(self, one: Pip31Topic) -> str:
        """The requirement by which a topic withholds what is open."""
        return "PIP31-08" if one.has_more_behind else "PIP31-05"

    def unload(self, topic: str) -> None:
        """A topic was reloaded."""
        for one in self.subscriptions.values():
            if one.topic == topic:
                self._load(one)
        for producer in self.producers.values():
            if producer.topic == topic:
                producer.is_connected = False

    def _load(self, one: Pip31Subscription) -> None:
        if one.is_removed:
            return
        one.load()
        if one.cumulative:
            one.whys.append("PIP31-60")
        if one.is_reader:
            one.is_exact = False
            one.owed = []

    def _notify(self, one: Pip31Transaction) -> None:
        for name in one.subscriptions:
            self.subscriptions[name].ended(one.name, one.committed)

    def _give(self, topic: str, value: str) -> None:
        for one in self.subscriptions.values():
            if one.topic == topic and not one.is_removed:
                one.states[value] = FREE
                one.owed.append(value)
