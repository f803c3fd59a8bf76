"""The reference of PIP-31: acknowledgements that wait for the end of their transaction."""

import pytest
from pulsar_reference_client import OTHER, TOPIC, World
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import AckKind, ConsumerHandle, Received, SubscriptionHandle, SubType, TransactionId, TxnAction
from fencepost.contract.outcomes import Refused

COMMIT, ABORT = TxnAction.COMMIT, TxnAction.ABORT
SUBSCRIPTION = SubscriptionHandle(TOPIC, "sub")


class Acks:
    """A topic with three messages, a consumer that has received them, and transactions that acknowledge."""

    def __init__(self, profile: str = "seed", kind: SubType = SubType.SHARED) -> None:
        self.world = World(profile)
        self.probe = self.world.probe()
        orders = self.world.producer()
        self.kind = kind
        self.consumer = self.world.consumer(kind=kind)
        for value in ("m0", "m1", "m2"):
            self.world.send(orders, value)
        self.messages = list(self.world.messages(self.consumer))

    def begin(self) -> TransactionId:
        txn = self.world.begin()
        value_of(self.probe.add_subscriptions(txn, [SUBSCRIPTION]))
        return txn

    def ack(self, txn: TransactionId | None, *numbers: int, cumulative: bool = False) -> int:
        """Acknowledge messages by their numbers; returns the error, or 0."""
        ids = [self.messages[number].id for number in numbers]
        kind = AckKind.CUMULATIVE if cumulative else AckKind.INDIVIDUAL
        outcome = self.probe.acknowledge(self.consumer, ids, kind=kind, transaction=txn)
        return outcome.code if isinstance(outcome, Refused) else 0 if value_of(outcome) is None else -1

    def again(self, consumer: ConsumerHandle | None = None) -> list[str]:
        """The messages that come after a request to redeliver everything."""
        value_of(self.probe.redeliver(consumer or self.consumer))
        return sorted(self.world.values(consumer or self.consumer))

    def another(self) -> ConsumerHandle:
        """The consumer leaves, and another one subscribes."""
        value_of(self.probe.close_consumer(self.consumer))
        self.consumer = self.world.consumer(kind=self.kind)
        return self.consumer


@pytest.fixture(params=["seed", "pulsar-4.0"])
def acks(request: pytest.FixtureRequest) -> Acks:
    return Acks(request.param)


def test_what_a_transaction_acknowledged_goes_to_no_consumer_while_it_is_open(acks: Acks) -> None:
    """Neither on request nor to another consumer."""
    assert acks.ack(acks.begin(), 0, 1) == 0

    assert acks.again() == ["m2"]
    assert acks.world.values(acks.another()) == ["m2"]


def test_a_commit_deletes_and_an_abort_gives_back(acks: Acks) -> None:
    """Exactly what the transaction had acknowledged, without a request."""
    kept, dropped = acks.begin(), acks.begin()
    acks.ack(kept, 0)
    acks.ack(dropped, 1)

    acks.world.end(kept, COMMIT)
    acks.world.end(dropped, ABORT)

    assert [(message.value, message.redelivery_count) for message in acks.world.messages(acks.consumer)] == [("m1", 1)]
    assert sorted(acks.world.values(acks.another())) == ["m1", "m2"]


def test_a_decision_that_a_newer_end_overtakes_keeps_what_it_acknowledged(acks: Acks) -> None:
    """The older commit is in flight, so the low watermark that comes with the newer one is below it."""
    older, newer = acks.begin(), acks.begin()
    acks.ack(older, 0)
    acks.ack(newer, 1)
    network = acks.world.broker.network
    network.hold(lambda end: end.txn.sequence == older.sequence)

    value_of(acks.probe.begin_end(older, COMMIT))
    acks.world.broker.advance(0)
    value_of(acks.world.probe("other").end(newer, COMMIT))
    acks.world.broker.advance(50)
    network.release()
    acks.world.broker.advance(500)

    assert acks.again() == ["m2"]


def test_one_message_belongs_to_one_transaction(acks: Acks) -> None:
    """Another transaction, and the same one again, get the conflict."""
    first, second = acks.begin(), acks.begin()

    assert [acks.ack(first, 0), acks.ack(second, 0), acks.ack(first, 0)] == [0, 23, 23]


def test_a_conflict_leaves_nothing_of_the_request(acks: Acks) -> None:
    """All messages of an acknowledgement, or none."""
    first, second = acks.begin(), acks.begin()
    acks.ack(first, 0)

    assert acks.ack(second, 1, 0) == 23
    assert acks.ack(first, 1) == 0


def test_what_is_deleted_cannot_be_acknowledged_in_a_transaction(acks: Acks) -> None:
    """Deleted plainly, or by a committed transaction."""
    committed = acks.begin()
    acks.ack(committed, 0)
    acks.world.end(committed, COMMIT)
    acks.ack(None, 1)

    later = acks.begin()

    assert [acks.ack(later, 0), acks.ack(later, 1), acks.ack(later, 2)] == [23, 23, 0]


@pytest.mark.parametrize(("profile", "back"), [("seed", ["m0"]), ("pulsar-4.0", [])])
def test_a_plain_acknowledgement_of_what_is_pending(profile: str, back: list[str]) -> None:
    """By the text it is dropped; as shipped it deletes, and the abort redelivers nothing."""
    acks = Acks(profile)
    txn = acks.begin()
    acks.ack(txn, 0)
    assert acks.ack(None, 0) == 0

    acks.world.end(txn, ABORT)

    assert acks.world.values(acks.consumer) == back


@pytest.mark.parametrize("request_of", ["redelivery", "another"])
def test_an_abort_gives_back_what_was_passed_over_meanwhile(request_of: str) -> None:
    """A consumer that came, or asked, while a cumulative acknowledgement was pending receives the messages that it covered."""
    acks = Acks(kind=SubType.EXCLUSIVE)
    txn = acks.begin()
    assert acks.ack(txn, 1, cumulative=True) == 0
    seen = acks.again() if request_of == "redelivery" else acks.world.values(acks.another())

    acks.world.end(txn, ABORT)

    assert (seen, sorted(acks.world.values(acks.consumer))) == (["m2"], ["m0", "m1"])


@pytest.mark.parametrize(("number", "cumulative", "left"), [(0, False, ["m0", "m1", "m2"]), (2, True, ["m0", "m1"])])
def test_a_plain_acknowledgement_passes_by_what_lies_under_a_cumulative_one(number: int, cumulative: bool, left: list[str]) -> None:
    """Whether it is of one message, or of everything up to a later one: the abort redelivers all that it covered."""
    acks = Acks(kind=SubType.EXCLUSIVE)
    txn = acks.begin()
    assert acks.ack(txn, 1, cumulative=True) == 0
    assert acks.ack(None, number, cumulative=cumulative) == 0

    acks.world.end(txn, ABORT)

    assert sorted(acks.world.values(acks.another())) == left


@pytest.mark.parametrize("fault", ["crash", "unload"])
def test_what_is_pending_survives(acks: Acks, fault: str) -> None:
    """No redelivery, the conflict is still raised, and the end is still in force."""
    txn = acks.begin()
    acks.ack(txn, 0)

    if fault == "crash":
        acks.world.broker.crash()
        acks.world.broker.restart()
    else:
        value_of(acks.probe.unload_topic(TOPIC))
    seen = sorted(acks.world.values(acks.consumer))
    conflict = acks.ack(acks.begin(), 0)
    acks.world.end(txn, COMMIT)

    assert (seen, conflict) == (["m1", "m2"], 23)
    assert sorted(acks.world.values(acks.another())) == ["m1", "m2"]


@pytest.mark.parametrize("restarts", [False, True])
def test_a_removed_subscription_leaves_nothing_to_one_of_its_name(acks: Acks, restarts: bool) -> None:
    """Neither deleted messages nor those pending in a transaction."""
    acks.ack(None, 0)
    acks.ack(acks.begin(), 1)
    value_of(acks.probe.unsubscribe(acks.consumer))
    if restarts:
        acks.world.broker.crash()
        acks.world.broker.restart()

    acks.consumer = acks.world.consumer(kind=acks.kind)

    assert sorted(acks.world.values(acks.consumer)) == ["m0", "m1", "m2"]
    assert acks.ack(acks.begin(), 1) == 0


def test_one_transaction_at_a_time_acknowledges_up_to_a_message(acks: Acks) -> None:
    """It may go further itself, and not back; a deleted position is a conflict too."""
    acks = Acks(acks.world.broker._profile.name, SubType.EXCLUSIVE)
    acks.ack(None, 0)
    first, second = acks.begin(), acks.begin()

    reported = [acks.ack(first, 0, cumulative=True), acks.ack(first, 1, cumulative=True), acks.ack(second, 2, cumulative=True)]
    reported += [acks.ack(first, 2, cumulative=True), acks.ack(first, 1, cumulative=True)]

    assert reported == [23, 0, 23, 0, 23]


@pytest.mark.parametrize(("profile", "reported", "back"), [("seed", 23, ["m0", "m1", "m2"]), ("pulsar-4.0", 0, ["m2"])])
def test_everything_up_to_a_message_over_one_that_is_pending(profile: str, reported: int, back: list[str]) -> None:
    """By this reading of the text it is a conflict; as shipped its commit deletes what the other transaction has."""
    acks = Acks(profile, SubType.EXCLUSIVE)
    first, second = acks.begin(), acks.begin()
    acks.ack(first, 0)

    answer = acks.ack(second, 1, cumulative=True)
    acks.world.end(second, COMMIT)
    acks.world.end(first, ABORT)

    assert answer == reported
    assert sorted(acks.world.values(acks.another())) == back


@pytest.mark.parametrize("action", [COMMIT, ABORT])
def test_a_cumulative_acknowledgement_ends_with_its_transaction(acks: Acks, action: TxnAction) -> None:
    """A commit deletes all up to there; after an abort all are redelivered."""
    acks = Acks(acks.world.broker._profile.name, SubType.EXCLUSIVE)
    txn = acks.begin()
    acks.ack(txn, 1, cumulative=True)

    acks.world.end(txn, action)

    assert sorted(acks.world.values(acks.another())) == (["m2"] if action is COMMIT else ["m0", "m1", "m2"])


def test_subscriptions_do_not_know_of_each_other(acks: Acks) -> None:
    """A message that is pending or deleted in one subscription is still delivered to the other."""
    txn = acks.begin()
    acks.ack(txn, 0)
    other = acks.world.consumer(subscription="other")
    before = acks.world.values(other)

    acks.world.end(txn, COMMIT)

    assert before == ["m0", "m1", "m2"]
    assert acks.again(other) == ["m0", "m1", "m2"]


def batch(profile: str) -> tuple[World, ConsumerHandle, list[Received]]:
    world = World(profile)
    consumer = world.consumer(OTHER)
    value_of(world.probe().send_batch(world.producer(OTHER), ["b0", "b1", "b2"]))
    return world, consumer, list(world.messages(consumer))


@pytest.mark.parametrize("profile", ["seed", "pulsar-4.0"])
def test_each_message_of_a_batch_has_a_state_of_its_own(profile: str) -> None:
    """Two transactions acknowledge different ones; the end of one does not affect those of the other."""
    world, consumer, messages = batch(profile)
    first, second, third = (world.begin() for _ in range(3))
    for txn in (first, second, third):
        value_of(world.probe().add_subscriptions(txn, [SubscriptionHandle(OTHER, "sub")]))
    value_of(world.probe().acknowledge(consumer, [messages[0].id], transaction=first))
    value_of(world.probe().acknowledge(consumer, [messages[1].id], transaction=second))

    world.end(first, COMMIT)
    world.end(second, ABORT)
    back = world.values(consumer)
    taken = world.probe().acknowledge(consumer, [messages[1].id], transaction=third)

    assert back == ["b1"]
    assert value_of(taken) is None
    value_of(world.probe().redeliver(consumer))
    assert world.values(consumer) == ["b2"]


def test_consume_transform_produce_moves_input_and_output_together(acks: Acks) -> None:
    """After an abort there is no output and the input is redelivered; after a commit both are in force."""
    world = acks.world
    out, results = world.producer(OTHER), world.consumer(OTHER)
    for action in (ABORT, COMMIT):
        txn = acks.begin()
        value_of(acks.probe.add_topics(txn, [OTHER]))
        world.send(out, action.name, txn)
        acks.ack(txn, 0)
        world.end(txn, action)

    assert world.values(results) == ["COMMIT"]
    assert sorted(world.values(acks.another())) == ["m1", "m2"]


@pytest.mark.parametrize("cumulative", [False, True])
@pytest.mark.parametrize(("action", "left"), [(COMMIT, ["m2"]), (ABORT, ["m0", "m1", "m2"])])
@pytest.mark.parametrize("point", ["before-acknowledgement-ended", "after-marker-written"])
def test_a_crash_in_the_end_on_a_subscription_loses_nothing_of_it(point: str, action: TxnAction, left: list[str], cumulative: bool) -> None:
    """The end continues where it was interrupted, and what was deleted already stays deleted."""
    acks = Acks(kind=SubType.EXCLUSIVE)
    txn = acks.begin()
    acks.ack(txn, *((1,) if cumulative else (0, 1)), cumulative=cumulative)
    acks.world.broker.crash_at(point)

    acks.probe.end(txn, action, retry=False)
    acks.world.broker.advance(500)
    assert not acks.world.broker.is_up
    acks.world.broker.restart()
    acks.world.broker.advance(500)

    assert value_of(acks.probe.pending_ack_stats(SUBSCRIPTION)).ongoing == 0
    assert sorted(acks.world.values(acks.world.consumer(kind=acks.kind))) == left


def test_one_consumer_is_served_where_there_may_be_only_one() -> None:
    """Exclusive refuses a second; failover lets it wait until the first is gone."""
    world = World()
    orders = world.producer()
    first = world.consumer(kind=SubType.FAILOVER)
    second = world.consumer(kind=SubType.FAILOVER, name="standby")
    world.send(orders, "m0")
    before = (world.values(first), world.values(second, "standby"))

    value_of(world.probe().close_consumer(first))
    after = world.values(second, "standby")
    world.consumer(subscription="exclusive", kind=SubType.EXCLUSIVE)
    busy = world.probe().subscribe(TOPIC, "exclusive", SubType.EXCLUSIVE, retry=False)

    assert before == (["m0"], [])
    assert after == ["m0"]
    assert isinstance(busy, Refused)
    assert busy.code == 5
