"""What the sentences of PIP-31 stand on: topics, transactions and their ends, and what readers see.

A transaction is called A, B or C, a topic by its short name. Nobody is told of a decision by waiting a while: what was ended is awaited
at the coordinator, and what readers do not get is shown by a sentinel, or, where an open transaction holds up every reader, by the
position up to which anybody may read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from pytest_bdd import given, parsers, then, when

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.values import Action, MessageId, Producer, Status, TxnId, persistent
from fencepost.contract.evidence import Evidence, SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Session
from fencepost.steps.outcomes import achieved, observed, unanswered

from .setting import VALUES, values_of
from .world import PulsarWorld, Withheld

SENTINEL = "sentinel-"
_LET_GO_S = 5.0
"""How long is waited for the answer to an end that is held back no longer. Whether it is complete is asked afterwards."""


@dataclass
class World:
    """The topics of one scenario beside what all of PIP-31 knows."""

    pulsar: PulsarWorld
    topics: dict[str, str] = field(default_factory=dict)
    _producers: dict[str, Producer] = field(default_factory=dict)
    _looks: int = 0

    @property
    def session(self) -> Session:
        return self.pulsar.session

    @property
    def evidence(self) -> Evidence:
        return self.pulsar.evidence

    @property
    def probe(self) -> PulsarProbe:
        """The client that does everything of which it does not matter who does it."""
        return self.pulsar.client

    def id_of(self, name: str) -> TxnId:
        """The id of a transaction."""
        return self.pulsar.transactions[name].id

    def ask(self, answer: Outcome[object] | Withheld) -> None:
        """Keep what came of the When."""
        self.pulsar.answer = answer

    def create(self, name: str, namespace: str = "public/default") -> None:
        """A new topic that only this scenario uses."""
        self.topics[name] = persistent(self.session.unique(name), namespace)
        achieved(self.probe.create_topic(self.topics[name]), f"making the topic {name}")

    def producer(self, topic: str) -> Producer:
        """The producer of a topic."""
        if topic not in self._producers:
            self._producers[topic] = achieved(self.probe.producer(self.topics[topic]), f"opening a producer of {topic}")
        return self._producers[topic]

    def add(self, name: str, topic: str) -> TxnId:
        """Add a topic to a transaction."""
        achieved(self.probe.add_topics(self.id_of(name), [self.topics[topic]]), f"adding {topic} to {name}")
        return self.id_of(name)

    def send(self, topic: str, value: str, transaction: TxnId | None = None) -> Outcome[MessageId]:
        """Send a message, in a transaction or in none."""
        return self.probe.send(self.producer(topic), value, transaction=transaction)

    def sentinel(self, topic: str) -> str:
        """Send a message that is like no other."""
        self._looks += 1
        sentinel = f"{SENTINEL}{self._looks}"
        observed(self.send(topic, sentinel), f"sending a sentinel to {topic}")
        return sentinel

    def let_go(self, name: str) -> Outcome[None]:
        """Delete the topic that holds an end back, and wait for the answers to those who have asked for the end.

        A broker may look for long for what a deleted topic knows of a transaction, so it is not asked how that stands until then.
        """
        transaction = self.pulsar.transactions[name]
        assert transaction.holder is not None, f"the end of {name} is held back before it is let go"
        deleted = self.probe.delete_topic(self.topics[transaction.holder])
        transaction.holder = None
        for ender, pending in transaction.ends:
            ender.ended(pending, within_s=_LET_GO_S)
        return deleted

    def await_part(self, topic: str) -> None:
        """Wait until every end that was asked for has reached this topic, also one that something else holds back."""
        self.pulsar.await_ends()
        decided = [one.id for one in self.pulsar.transactions.values() if one.is_over and one.holder is not None]
        for _ in self.session.time.attempts() if decided else ():
            buffers = [self.probe.transaction_in_buffer(txn, self.topics[topic]) for txn in decided]
            if all(observed(buffer, f"looking at the buffer of {topic}").start is None for buffer in buffers):
                break

    def seen(self, topic: str) -> list[str]:
        """What a new subscription from the first message on is given, without sentinels."""
        self.await_part(topic)
        self._looks += 1
        subscribed = self.probe.subscribe(self.topics[topic], f"reader-{self._looks}")
        consumer = achieved(subscribed, f"subscribing to {topic}")
        sentinel = self.sentinel(topic)
        received = observed(self.probe.receive_visible(consumer, sentinel), f"reading {topic}")
        return [message.value for message in received if not message.value.startswith(SENTINEL)]


@pytest.fixture
def world(pulsar: PulsarWorld) -> Iterator[World]:
    """The state of this scenario. What it leaves open is aborted, and what it holds back is let go and awaited: the low watermark of a
    coordinator, which other scenarios look at, waits for its oldest transaction."""
    world = World(pulsar)
    yield world
    for name, transaction in pulsar.transactions.items():
        if transaction.holder is not None:
            world.let_go(name)
        if not transaction.is_over:
            pulsar.client.end(transaction.id, Action.ABORT, retry=False)


@given(parsers.re(r'the topics? "(?P<name>\w+)"(?: and "(?P<other>\w+)")?$'))
def topics(world: World, name: str, other: str | None) -> None:
    """Empty topics that only this scenario uses."""
    for one in filter(None, (name, other)):
        world.create(one)


@given(parsers.re(rf'the topic "(?P<name>\w+)" with (?P<values>{VALUES})$'))
def topic_with_values(world: World, name: str, values: str) -> None:
    """A new topic, with these messages outside of transactions."""
    world.create(name)
    for value in values_of(values):
        achieved(world.send(name, value), f"writing {value} to {name}")


@given(parsers.re(rf"(?P<name>[A-Z]) has written (?P<values>{VALUES}) to (?P<topic>\w+)$"))
def has_written(world: World, name: str, values: str, topic: str) -> None:
    """Each message was receipted; the transaction is open, and has the topic added."""
    transaction = world.add(name, topic)
    for value in values_of(values):
        achieved(world.send(topic, value, transaction), f"writing {value} to {topic}")


@given(parsers.re(rf"(?P<values>{VALUES}) (?:has|have) been written to (?P<topic>\w+)$"))
def has_been_written(world: World, values: str, topic: str) -> None:
    """Messages outside of all transactions."""
    for value in values_of(values):
        achieved(world.send(topic, value), f"writing {value} to {topic}")


@given(parsers.re(r"(?P<name>[A-Z]) has (?P<how>committed|aborted)$"))
def has_ended(world: World, name: str, how: str) -> None:
    """The transaction is over, also where it took part; or, where its end is held back, that is decided."""
    action = Action.COMMIT if how == "committed" else Action.ABORT
    if world.pulsar.transactions[name].holder is None:
        achieved(world.pulsar.end(name, action), f"ending {name}")
        world.pulsar.await_ends()
        return
    world.pulsar.begin_end(name, action)
    decided = Status.COMMITTING if action is Action.COMMIT else Status.ABORTING
    found = world.pulsar.await_status(name, decided)
    if found is not decided:
        raise SetUpFailed(f"the end of {name} is held back, and it should be {decided.name}; it is {found.name if found else 'gone'}")


@given(parsers.re(r'(?P<name>[A-Z]) has committed (?P<value>"[^"]+") to (?P<topic>\w+)$'))
def has_committed(world: World, name: str, value: str, topic: str) -> None:
    """A transaction with one message, which is over."""
    has_written(world, name, value, topic)
    has_ended(world, name, "committed")


@given("the system has crashed and come back")
@when("the system crashes and comes back")
def crashes(world: World) -> None:
    """A power cut, and a start with what was durable."""
    world.session.faults.crash()
    world.session.faults.restart()


@when(parsers.re(r"(?P<name>[A-Z]) (?P<how>commits|aborts)(?: again)?$"))
def ends(world: World, name: str, how: str) -> None:
    """The end is asked for, the first time or once more."""
    world.ask(world.pulsar.end_or_withhold(name, Action.COMMIT if how == "commits" else Action.ABORT))


@when(parsers.re(r"(?P<name>[A-Z]) is left open past its time-out$"))
def is_left_open(world: World, name: str) -> None:
    """Nobody ends it, and the coordinator is watched until it is over or patience ends."""
    world.pulsar.transactions[name].is_over = True
    world.pulsar.await_ends()


@when(parsers.re(r'(?P<name>[A-Z]) writes "(?P<value>[^"]+)" to (?P<topic>\w+)$'))
def writes(world: World, name: str, value: str, topic: str) -> None:
    """One message in the transaction, which has the topic added."""
    world.ask(world.send(topic, value, world.add(name, topic)))


@when(parsers.re(r'"(?P<value>[^"]+)" is written to (?P<topic>\w+)$'))
def is_written(world: World, value: str, topic: str) -> None:
    """A message outside of all transactions."""
    world.ask(world.send(topic, value))


@when(parsers.re(r'(?P<name>[A-Z]) writes "(?P<value>[^"]+)" to (?P<topic>\w+) and commits$'))
def writes_and_commits(world: World, name: str, value: str, topic: str) -> None:
    """A whole transaction with one message; it is ended also when the message was refused."""
    world.send(topic, value, world.add(name, topic))
    world.ask(world.pulsar.end(name, Action.COMMIT))


@then("it is done")
def it_is_done(world: World) -> None:
    """What the When asked was done, and said to be."""
    match world.pulsar.answer:
        case Unknown() as unknown:
            unanswered(unknown, "asking for what must be done")
        case answer:
            world.evidence.expect(isinstance(answer, Done), "what was asked is done", str(answer))


@then("it is refused")
def it_is_refused(world: World) -> None:
    """What the When asked was not done, and said not to be."""
    match world.pulsar.answer:
        case Unknown() as unknown:
            unanswered(unknown, "asking for what must be refused")
        case answer:
            world.evidence.expect(isinstance(answer, Refused), "a refusal", str(answer))


@then(parsers.re(rf"readers of (?P<topic>\w+) see (?:(?P<values>{VALUES})|nothing)$"))
def readers_see(world: World, topic: str, values: str | None) -> None:
    """A new subscription gets these values in this order, and no others, once every end that was asked for has reached the topic."""
    expected, found = values_of(values or ""), world.seen(topic)
    world.evidence.expect(found == expected, f"readers of {topic} see {expected or 'nothing'}", f"{found or 'nothing'}")
