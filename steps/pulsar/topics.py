"""The topics of a scenario: their names in the system, their producers, and what readers see."""

from collections.abc import Callable
from dataclasses import dataclass, field

from fencepost.adapters.pulsar.pulsar_values import Annotations, MessageId, ProducerHandle, Received, SubType, TransactionId
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.named import NamedThings
from fencepost.steps.step_outcomes import achieved, observed

from .transactions import GONE, Transactions

_LOCAL_NAME = 4
"""Where the local name is in a topic's full name that is split at its slashes: after the domain, a tenant and a namespace."""
_SENTINEL = "sentinel-"
NO_SENTINEL = "not even the sentinel"
"""Stands for the expected message, where no consumer is attached to the topic."""
_LET_GO_S = 5.0
"""How long to wait for the answer to an end that was released. Whether it is complete is asked afterwards."""
_FIRST_EVENT_MS = 1_600_000_000_000


def is_sentinel(value: str) -> bool:
    """Whether a message was sent only to show that nothing else is in flight."""
    return value.startswith(_SENTINEL)


@dataclass
class ScenarioTopics:
    """The topics of one scenario."""

    transactions: Transactions
    by_name: dict[str, str] = field(default_factory=lambda: NamedThings("topic", 'Given the topic "orders"'))
    key_of: dict[str, Callable[[str], str]] = field(default_factory=dict)
    """Topics whose messages have keys, and the key of a payload; sentinels have none."""
    annotated: set[str] = field(default_factory=set)
    """Topics whose messages have properties and an event time; sentinels have none."""
    sealed: set[str] = field(default_factory=set)
    """Topics that accept no message any more, and so no sentinel: readers read them up to their end."""
    _producers: dict[str, ProducerHandle] = field(default_factory=dict)
    _looks: int = 0

    def __getitem__(self, name: str) -> str:
        return self.by_name[name]

    def create(self, name: str, namespace: str = "public/default", namesake: str | None = None, appended: str = "") -> None:
        """A new topic that only this scenario uses; with the local name of another topic of the scenario, in another namespace or with
        something appended to it."""
        local_name = self.transactions.session.unique(name) if namesake is None else self[namesake].split("/")[_LOCAL_NAME] + appended
        made = self.transactions.client.make_topic(local_name, namespace)
        self.by_name[name] = achieved(made, f"making the topic {name}")

    def producer(self, name: str) -> ProducerHandle:
        """The producer of a topic."""
        if name not in self._producers:
            self._producers[name] = achieved(self.transactions.client.producer(self[name]), f"opening a producer of {name}")
        return self._producers[name]

    def send(self, name: str, value: str, transaction: TransactionId | None = None) -> Outcome[MessageId]:
        """Send a message, in a transaction or in none."""
        key = self.key_of[name](value) if name in self.key_of and not is_sentinel(value) else None
        annotations = _annotations_of(value) if name in self.annotated and not is_sentinel(value) else Annotations()
        return self.transactions.client.send(self.producer(name), value, transaction=transaction, key=key, annotations=annotations)

    def sentinel(self, name: str) -> str:
        """Send a message that is like no other, outside of transactions; to a sealed topic, none."""
        self._looks += 1
        sentinel = f"{_SENTINEL}{self._looks}"
        if name not in self.sealed:
            observed(self.send(name, sentinel), f"sending a sentinel to {name}")
        return sentinel

    def holds_sentinels_back(self, name: str) -> bool:
        """Whether no consumer receives a sentinel there now: an open transaction blocks every reader, or the topic is sealed."""
        return name in self.sealed or self.transactions.has_undecided(name)

    def seen(self, name: str, *, compacted: bool = False) -> list[str]:
        """What a new subscription from the first message on receives, without sentinels; of the compacted topic where that is requested."""
        self._await_part(name)
        self._looks += 1
        client = self.transactions.client
        kind = SubType.EXCLUSIVE if compacted else SubType.SHARED  # a shared one may not read a compacted topic
        subscribed = client.subscribe(self[name], f"reader-{self._looks}", kind, read_compacted=compacted)
        consumer = achieved(subscribed, f"subscribing to {name}")
        sentinel = self.sentinel(name)
        if self.holds_sentinels_back(name):
            received = observed(client.receive_visible(consumer, sentinel), f"reading {name}")
            return [self._shown(name, message) for message in received if not is_sentinel(message.value)]
        received = observed(client.receive_decided(consumer, sentinel), f"reading {name}")
        found = [self._shown(name, message) for message in received if not is_sentinel(message.value)]
        has_come = not client.settles_later or any(message.value == sentinel for message in received)
        return found if has_come else [*found, NO_SENTINEL]

    def _shown(self, name: str, message: Received) -> str:
        """A message by its payload; one that does not have the annotations that it was sent with shows those that it has."""
        if name not in self.annotated or message.annotations == _annotations_of(message.value):
            return message.value
        found = [f"{key}={value}" for key, value in message.annotations.properties]
        return f"{message.value} with {', '.join(found) or 'no properties'} and event time {message.annotations.event_time}"

    def seen_behind(self, name: str, value: str) -> list[str]:
        """What a reader receives that begins after the first message with this value."""
        self._await_part(name)
        client = self.transactions.client
        everything = achieved(client.subscribe(self[name], f"everything-{self._looks}"), f"subscribing to {name}")
        received = observed(client.receive_visible(everything, self.sentinel(name)), f"reading {name}")
        start = next(message.id for message in received if message.value == value)
        subscribed = client.subscribe(self[name], f"behind-{self._looks}", SubType.EXCLUSIVE, durable=False, start=start)
        consumer = achieved(subscribed, f"beginning to read {name} after {value}")
        seen = observed(client.receive_visible(consumer, self.sentinel(name)), f"reading {name} after {value}")
        later = [one for one in seen if one.id.position != start.position or one.id.batch_index > start.batch_index]
        return [one.value for one in later if not is_sentinel(one.value)]

    def seen_up_to(self, name: str, value: str) -> list[str]:
        """What a new subscription from the first message on receives until it has this one, or patience ends."""
        self._await_part(name)
        self._looks += 1
        client = self.transactions.client
        consumer = achieved(client.subscribe(self[name], f"reader-{self._looks}"), f"subscribing to {name}")
        seen: list[str] = []
        for _ in self.transactions.session.time.attempts():
            seen += [message.value for message in observed(client.received(consumer), f"reading {name}")]
            if value in seen:
                break
        return seen

    def let_go(self, transaction: str) -> Outcome[None]:
        """Delete the topic that blocks the end of a transaction, and wait for the answers to those who have requested the end."""
        held = self.transactions[transaction]
        assert held.unavailable is not None, f"the end of {transaction} is held up before it is let go"
        deleted = self._deleted(held.unavailable)
        held.unavailable = None
        held.late_answers = [ender.ended(pending, within_s=_LET_GO_S) for ender, pending in held.pending_ends]
        return deleted

    def _deleted(self, name: str) -> Outcome[None]:
        """Delete a topic. After a crash, Pulsar 4.0.1 answers 500 to the deletion of a topic that it has not reloaded: then the topic is
        unloaded, and looked up, which loads it, in turn between the attempts, until patience ends. A topic that is not found has been
        deleted.
        """
        client = self.transactions.client
        deleted = client.delete_topic(self[name])
        for number, _ in enumerate(self.transactions.session.time.attempts()):
            if isinstance(deleted, Refused) and deleted.code == GONE:
                return Done(None)
            if not isinstance(deleted, Unknown):
                break
            if number % 2:
                client.log_stats(self[name], retry=False)
            else:
                client.unload_topic(self[name])
            deleted = client.delete_topic(self[name])
        return deleted

    def _await_part(self, name: str) -> None:
        """Wait until every requested end has reached this topic, also one that is incomplete."""
        transactions = self.transactions
        transactions.await_ends()
        decided = [one.id for one in transactions.by_name.values() if one.is_over and one.unavailable is not None]
        for _ in transactions.session.time.attempts() if decided else ():
            buffers = [transactions.client.transaction_in_buffer(txn, self[name]) for txn in decided]
            if any(isinstance(buffer, Refused) for buffer in buffers):  # a broker without these statistics
                break
            if all(observed(buffer, f"looking at the buffer of {name}").start is None for buffer in buffers):
                break


def _annotations_of(value: str) -> Annotations:
    """Two properties and an event time that differ by payload."""
    return Annotations((("of", value), ("kind", "annotated")), _FIRST_EVENT_MS + sum(value.encode()))
