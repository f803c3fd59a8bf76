"""The reference of PIP-31: acknowledgements that wait for the end of their transaction."""

import pytest
from pulsar_reference_client import TOPIC, World
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import AckKind, ConsumerHandle, SubscriptionHandle, SubType, TransactionId, TxnAction
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


@pytest.mark.parametrize(("profile", "back"), [("seed", ["m0"]), ("pulsar-4.0", [])])
def test_a_plain_acknowledgement_of_what_is_pending(profile: str, back: list[str]) -> None:
    """By the text it is dropped; as shipped it deletes, and the abort redelivers nothing."""
    acks = Acks(profile)
    txn = acks.begin()
    acks.ack(txn, 0)
    assert acks.ack(None, 0) == 0

    acks.world.end(txn, ABORT)

    assert acks.world.values(acks.consumer) == back


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
