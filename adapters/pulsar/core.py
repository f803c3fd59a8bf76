"""Pulsar as a transactional log: a writer begins transactions at the coordinator, a group is a subscription.

Everything that a transaction touches is announced before, as PIP-31's clients do. A writer loses its transaction to an administrator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fencepost.adapters.common.outcomes import without_value
from fencepost.contract.outcomes import Done, Outcome, Refused

from .probe import PulsarProbe
from .values import Action, Consumer, Producer, Received, Status, Subscription, TxnId

_TENANT = "persistent://public/default"
_SENTINEL = "sentinel-"


class PulsarLog:
    """A Pulsar system; `client` gives the probe of a named client, `unique` a name that only this session uses."""

    def __init__(self, client: Callable[[str], PulsarProbe], unique: Callable[[str], str]) -> None:
        self._client = client
        self._unique = unique
        self._observer = client("observer")
        self._looks = 0

    def create(self, log: str) -> Outcome[None]:
        return self._observer.create_topic(self.topic(log))

    def writer(self, name: str, timeout_ms: int) -> "Outcome[PulsarWriter]":
        return Done(PulsarWriter(self, self._client(name), timeout_ms))

    def write(self, log: str, value: str) -> Outcome[None]:
        match self._observer.producer(self.topic(log)):
            case Done(producer):
                sent = self._observer.send(producer, value)
                self._observer.close_producer(producer)
                return without_value(sent)
            case trouble:
                return trouble

    def committed(self, log: str) -> Outcome[Sequence[str]]:
        self._looks += 1
        return self._read(log, self._unique(f"reader-{self._looks}"))

    def left(self, group: str, log: str) -> Outcome[Sequence[str]]:
        return self._read(log, self._unique(group))

    def topic(self, log: str) -> str:
        return f"{_TENANT}/{self._unique(log)}"

    def group(self, name: str) -> str:
        return self._unique(name)

    def _read(self, log: str, subscription: str) -> Outcome[Sequence[str]]:
        """What a consumer gets up to a sentinel, or up to where an open transaction stops every reader."""
        self._looks += 1
        sentinel = f"{_SENTINEL}{self._looks}"
        topic = self.topic(log)
        match self._observer.subscribe(topic, subscription):
            case Done(consumer):
                pass
            case trouble:
                return trouble
        try:
            if not isinstance(written := self.write(log, sentinel), Done):
                return written
            match self._observer.receive_visible(consumer, sentinel):
                case Done(messages):
                    return Done([message.value for message in messages if not message.value.startswith(_SENTINEL)])
                case nothing:
                    return nothing
        finally:
            self._observer.close_consumer(consumer)


@dataclass
class PulsarWriter:
    """A client and the transaction that it has open."""

    log: PulsarLog
    probe: PulsarProbe
    timeout_ms: int
    open: TxnId | None = None
    ended: TxnId | None = None
    announced: set[str | Subscription] = field(default_factory=set)
    producers: dict[str, Producer] = field(default_factory=dict)

    def begin(self) -> Outcome[None]:
        return without_value(self._transaction())

    def write(self, log: str, value: str) -> Outcome[None]:
        topic = self.log.topic(log)
        match self._transaction():
            case Done(transaction):
                pass
            case trouble:
                return trouble
        if topic not in self.announced:
            if not isinstance(added := self.probe.add_topics(transaction, [topic]), Done):
                return added
            self.announced.add(topic)
        if topic not in self.producers:
            match self.probe.producer(topic):
                case Done(producer):
                    self.producers[topic] = producer
                case refusal:
                    return refusal
        return without_value(self.probe.send(self.producers[topic], value, transaction=transaction))

    def take(self, group: str, log: str, count: int) -> Outcome[Sequence[str]]:
        subscription = Subscription(self.log.topic(log), self.log.group(group))
        match self._transaction():
            case Done(transaction):
                pass
            case trouble:
                return trouble
        if subscription not in self.announced:
            if not isinstance(added := self.probe.add_subscriptions(transaction, [subscription]), Done):
                return added
            self.announced.add(subscription)
        match self.probe.subscribe(subscription.topic, subscription.name, permits=count):
            case Done(consumer):
                pass
            case refusal:
                return refusal
        try:
            return self._taken(consumer, transaction, count)
        finally:
            self.probe.close_consumer(consumer)

    def _taken(self, consumer: Consumer, transaction: TxnId, count: int) -> Outcome[Sequence[str]]:
        received: list[Received] = []
        while len(received) < count:
            match self.probe.receive(consumer):
                case Done(message):
                    received.append(message)
                case trouble:
                    return trouble
        match self.probe.acknowledge(consumer, [message.id for message in received], transaction=transaction):
            case Done():
                return Done([message.value for message in received])
            case trouble:
                return trouble

    def end(self, commit: bool) -> Outcome[None]:
        match self._transaction():
            case Done(transaction):
                pass
            case trouble:
                return trouble
        outcome = self.probe.end(transaction, _action(commit))
        self.ended = transaction
        if isinstance(outcome, Done):
            self.open, self.announced = None, set()
        return outcome

    def end_again(self, commit: bool) -> Outcome[None]:
        assert self.ended is not None, "a transaction was ended before it is ended again"
        return self.probe.end(self.ended, _action(commit))

    def lose_transaction(self) -> Outcome[None]:
        match self._transaction():
            case Done(transaction):
                return self.probe.abort_as_administrator(transaction)
            case trouble:
                return trouble

    def is_over(self) -> Outcome[bool]:
        transaction = self.open or self.ended
        assert transaction is not None, "a transaction was begun before it is over"
        match self.probe.transaction(transaction, retry=False):
            case Done(metadata):
                return Done(metadata.status in (Status.COMMITTED, Status.ABORTED))
            case Refused(code=404):
                return Done(True)
            case trouble:
                return trouble

    def _transaction(self) -> Outcome[TxnId]:
        if self.open is not None:
            return Done(self.open)
        outcome = self.probe.new_transaction(self.timeout_ms)
        if isinstance(outcome, Done):
            self.open = outcome.value
        return outcome


def _action(commit: bool) -> Action:
    return Action.COMMIT if commit else Action.ABORT
