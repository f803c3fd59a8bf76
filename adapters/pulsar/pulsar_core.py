"""Pulsar as a transactional log: a writer begins transactions at the coordinator, a group is a subscription.

A writer announces everything that a transaction will touch, as PIP-31's clients do. It loses its transaction to an
administrator. A log is reloaded by an unload of its topic, and sealed by a split of its segment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fencepost.adapters.common.shared_outcomes import without_value
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.transactional_log import Answer

from .consumer_calls import PERMITS
from .probe import PulsarProbe
from .pulsar_values import (
    ConsumerHandle,
    ProducerHandle,
    Received,
    ReportedStatus,
    SubscriptionHandle,
    TransactionId,
    TxnAction,
)
from .received_messages import NO_SENTINEL, SENTINEL, each_once, values_of, without_sentinels

_NAMESPACE = "public/default"


class PulsarLog:
    """A Pulsar system; `client` returns the probe of a named client, `unique` a name that only this session uses."""

    def __init__(self, client: Callable[[str], PulsarProbe], unique: Callable[[str], str]) -> None:
        self._client = client
        self._unique = unique
        self._observer = client("observer")
        self._looks = 0
        self._enders = 0
        self._writers: list[PulsarWriter] = []
        self._topics: dict[str, str] = {}
        self._sealed: set[str] = set()

    @property
    def settles_later(self) -> bool:
        return self._observer.settles_later

    def create(self, log: str, *, deduplicating: bool = False) -> Outcome[None]:
        namespace = _NAMESPACE
        if deduplicating:  # deduplication is a policy of namespaces
            namespace = f"public/{self._unique(log)}"
            for made in (self._observer.create_namespace(namespace), self._observer.set_deduplication(namespace, True)):
                if not isinstance(made, Done):
                    return made
        match self._observer.make_topic(self._unique(log), namespace):
            case Done(topic):
                self._topics[log] = topic
                return Done(None)
            case trouble:
                return trouble

    def use(self, log: str, topic: str) -> None:
        """Use an existing topic under the name of a log."""
        self._topics[log] = topic

    def writer(self, name: str, timeout_ms: int) -> Outcome[PulsarWriter]:
        self._writers.append(PulsarWriter(self, self._client(name), timeout_ms))
        return Done(self._writers[-1])

    def write(self, log: str, value: str) -> Outcome[None]:
        match self._observer.producer(self.topic(log)):
            case Done(producer):
                sent = self._observer.send(producer, value)
                self._observer.close_producer(producer)
                return without_value(sent)
            case trouble:
                return trouble

    def committed(self, log: str) -> Outcome[Sequence[str]]:
        return values_of(self._read(log, self._new_name("reader")))

    def follow(self, log: str) -> Outcome[PulsarFollower]:
        return self._observer.subscribe(self.topic(log), self._new_name("follower")).converted(
            lambda consumer: PulsarFollower(self, log, self._observer, consumer)
        )

    def left(self, group: str, log: str) -> Outcome[Sequence[str]]:
        return values_of(each_once(self._read(log, self._unique(group))))

    def has_leftovers(self, group: str, log: str) -> bool:
        subscription = SubscriptionHandle(self.topic(log), self._unique(group))
        open_there = sum(writer.open is not None and subscription in writer.announced for writer in self._writers)
        pending = self._observer.pending_ack_stats(subscription)
        return isinstance(pending, Done) and pending.value.ongoing > open_there

    def place(self, group: str, log: str) -> Outcome[Sequence[str]]:
        match self._observer.mark_delete(SubscriptionHandle(self.topic(log), self._unique(group))):
            case Done(place):
                pass
            case trouble:
                return trouble
        return self._read(log, self._new_name("reader")).converted(
            lambda messages: [message.value for message in messages if place is not None and message.id.position <= place]
        )

    def reload(self, log: str) -> Outcome[None]:
        return self._observer.unload_topic(self.topic(log))

    def seal(self, log: str) -> Outcome[None]:
        sealed = self._observer.seal_topic(self.topic(log))
        if isinstance(sealed, Done):
            self._sealed.add(log)
        return sealed

    def topic(self, log: str) -> str:
        return self._topics[log]

    def group(self, name: str) -> str:
        return self._unique(name)

    def connected_ender(self, transaction: TransactionId) -> Outcome[PulsarProbe]:
        """A separate client that is connected to the coordinator, so that its next request is in flight at once."""
        self._enders += 1
        probe = self._client(f"ender-{self._enders}")
        return probe.reach_coordinator(transaction.coordinator).converted(lambda _: probe)

    def visible(self, probe: PulsarProbe, log: str, consumer: ConsumerHandle) -> Outcome[Sequence[Received]]:
        """What a consumer receives up to a sentinel, or up to where an open transaction or the end of a sealed log stops every reader."""
        self._looks += 1
        if log in self._sealed:  # it accepts no sentinel, and may have earlier ones; a caller that expects more looks again
            return probe.receive_visible(consumer, SENTINEL).converted(without_sentinels)
        sentinel = f"{SENTINEL}{self._looks}"
        if not isinstance(written := self.write(log, sentinel), Done):
            return written
        is_open = any(writer.has_open(self.topic(log)) for writer in self._writers)
        match probe.receive_visible(consumer, sentinel) if is_open else probe.receive_decided(consumer, sentinel):
            case Done(messages) if is_open or not probe.settles_later or any(message.value == sentinel for message in messages):
                return Done(without_sentinels(messages))
            case Done(messages):
                return Done([*without_sentinels(messages), NO_SENTINEL])
            case nothing:
                return nothing

    def _read(self, log: str, subscription: str) -> Outcome[Sequence[Received]]:
        match self._observer.subscribe(self.topic(log), subscription):
            case Done(consumer):
                pass
            case trouble:
                return trouble
        try:
            return self.visible(self._observer, log, consumer)
        finally:
            self._observer.close_consumer(consumer)

    def _new_name(self, what: str) -> str:
        self._looks += 1
        return self._unique(f"{what}-{self._looks}")


@dataclass
class PulsarFollower:
    """A consumer that stays attached, and acknowledges what it receives."""

    log: PulsarLog
    name: str
    probe: PulsarProbe
    consumer: ConsumerHandle
    given: list[str] = field(default_factory=list)

    def seen(self) -> Outcome[Sequence[str]]:
        match self.log.visible(self.probe, self.name, self.consumer):
            case Done(messages):
                pass
            case trouble:
                return trouble
        self.given += [message.value for message in messages]
        stored = [message.id for message in messages if message.id.was_stored]
        if stored and not isinstance(done := self.probe.acknowledge(self.consumer, stored), Done):
            return done
        return Done(self.given)


@dataclass
class PulsarWriter:
    """A client and its open transaction."""

    log: PulsarLog
    probe: PulsarProbe
    timeout_ms: int
    open: TransactionId | None = None
    ended: TransactionId | None = None
    announced: set[str | SubscriptionHandle] = field(default_factory=set)
    producers: dict[str, ProducerHandle] = field(default_factory=dict)
    last: dict[str, tuple[str, TransactionId, int]] = field(default_factory=dict)
    """The last write to each log: the value, the transaction, and the sequence id."""
    over: set[TransactionId] = field(default_factory=set)
    """Transactions that are over, as far as this writer has learnt."""

    def has_open(self, topic: str) -> bool:
        """Whether the writer has a transaction open in which it has written to a topic."""
        return self.open is not None and self.open not in self.over and topic in self.announced

    def begin(self) -> Outcome[None]:
        return without_value(self._transaction())

    def write(self, log: str, value: str) -> Outcome[None]:
        return self.send(log, value)()

    def send(self, log: str, value: str) -> Answer:
        match self._joined(log):
            case Done((producer, transaction)):
                return self._posted(log, producer, value, transaction)
            case trouble:
                return lambda: trouble

    def write_late(self, log: str, value: str) -> Outcome[None]:
        ended = self.ended
        assert ended is not None, "a transaction was ended before something comes late to it"
        return self._producer(log).then(lambda producer: self._posted(log, producer, value, ended)())

    def write_again(self, log: str) -> Outcome[None]:
        value, transaction, sequence_id = self.last[log]
        return without_value(self.probe.send(self.producers[self.log.topic(log)], value, transaction=transaction, sequence_id=sequence_id))

    def take(self, group: str, log: str, count: int) -> Outcome[Sequence[str]]:
        def next_ones(consumer: ConsumerHandle) -> Outcome[Sequence[Received]]:
            received: list[Received] = []
            while len(received) < count:
                match self.probe.receive(consumer):
                    case Done(message) if not without_sentinels([message]) or message.id in {one.id for one in received}:
                        self.probe.flow(consumer, 1)
                    case Done(message):
                        received.append(message)
                    case trouble:
                        return trouble
            return Done(received)

        return self._taken(group, log, next_ones, permits=count)

    def take_what_is_free(self, group: str, log: str) -> Outcome[Sequence[str]]:
        return self._taken(group, log, lambda consumer: each_once(self.log.visible(self.probe, log, consumer)))

    def _taken(
        self, group: str, log: str, receive: Callable[[ConsumerHandle], Outcome[Sequence[Received]]], permits: int = PERMITS
    ) -> Outcome[Sequence[str]]:
        """What a new consumer of the group receives, acknowledged in the transaction."""
        subscription = SubscriptionHandle(self.log.topic(log), self.log.group(group))
        match self._transaction():
            case Done(transaction):
                pass
            case trouble:
                return trouble
        if subscription not in self.announced:
            if not isinstance(added := self.probe.add_subscriptions(transaction, [subscription]), Done):
                return added
            self.announced.add(subscription)
        match self.probe.subscribe(subscription.topic, subscription.name, permits=permits):
            case Done(consumer):
                pass
            case refusal:
                return refusal
        try:
            match receive(consumer):
                case Done(received) if received:
                    acknowledged = self.probe.acknowledge(consumer, [message.id for message in received], transaction=transaction)
                    return values_of(Done(received)) if isinstance(acknowledged, Done) else acknowledged
                case nothing:
                    return values_of(nothing)
        finally:
            self.probe.close_consumer(consumer)

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

    def send_end(self, commit: bool) -> Answer:
        match self._transaction():
            case Done(transaction):
                pass
            case trouble:
                return lambda: trouble
        match self.log.connected_ender(transaction):
            case Done(ender):
                sent = ender.begin_end(transaction, _action(commit))
            case unreached:
                return lambda: unreached
        self.ended = transaction

        def ended() -> Outcome[None]:
            match sent:
                case Done(pending):
                    outcome = ender.ended(pending)
                case trouble:
                    return trouble
            if isinstance(outcome, Done) and self.open == transaction:
                self.open, self.announced = None, set()
            return outcome

        return ended

    def end_again(self, commit: bool) -> Outcome[None]:
        assert self.ended is not None, "a transaction was ended before it is ended again"
        return self.probe.end(self.ended, _action(commit))

    def lose_transaction(self) -> Outcome[None]:
        return self._transaction().then(self.probe.abort_as_administrator)

    def is_over(self) -> Outcome[bool]:
        transaction = self.open or self.ended
        assert transaction is not None, "a transaction was begun before it is over"
        match self.probe.transaction(transaction, retry=False):
            case Done(metadata) if metadata.status not in (ReportedStatus.COMMITTED, ReportedStatus.ABORTED):
                return Done(False)
            case Done() | Refused(code=404):
                self.over.add(transaction)
                return Done(True)
            case trouble:
                return trouble

    def _joined(self, log: str) -> Outcome[tuple[ProducerHandle, TransactionId]]:
        """A producer of the log, which is announced in the transaction."""
        topic, producer = self.log.topic(log), self._producer(log)  # a busy broker loads a topic for longer than a short timeout
        match self._transaction():
            case Done(transaction):
                pass
            case trouble:
                return trouble
        if topic not in self.announced:
            if not isinstance(added := self.probe.add_topics(transaction, [topic]), Done):
                return added
            self.announced.add(topic)
        return producer.converted(lambda opened: (opened, transaction))

    def _producer(self, log: str) -> Outcome[ProducerHandle]:
        topic = self.log.topic(log)
        if topic not in self.producers:
            match self.probe.producer(topic):
                case Done(producer):
                    self.producers[topic] = producer
                case refusal:
                    return refusal
        return Done(self.producers[topic])

    def _posted(self, log: str, producer: ProducerHandle, value: str, transaction: TransactionId) -> Answer:
        match self.probe.post(producer, value, transaction=transaction):
            case Done(pending):
                self.last[log] = (value, transaction, pending.sequence_id)
                return lambda: without_value(self.probe.receipt(pending))
            case trouble:
                return lambda: trouble

    def _transaction(self) -> Outcome[TransactionId]:
        if self.open is not None:
            return Done(self.open)
        outcome = self.probe.new_transaction(self.timeout_ms)
        if isinstance(outcome, Done):
            self.open = outcome.value
        return outcome


def _action(commit: bool) -> TxnAction:
    return TxnAction.COMMIT if commit else TxnAction.ABORT
