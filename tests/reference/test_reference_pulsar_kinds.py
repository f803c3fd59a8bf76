"""The ports of the Pulsar reference carry another kind of transactions in addition to PIP-31's, in one broker."""

from typing import Any

import pytest
from pulsar_reference_client import TOPIC, World
from succeeded import value_of
from tiny_transactions import TinyTransactions

from fencepost.adapters.pulsar.pulsar_values import TransactionId, TxnAction
from fencepost.contract.outcomes import Refused
from fencepost.wire.pulsar import messages_pb2 as pb

SEGMENT = "segment://public/default/events/0000-ffff-0"
FIRST = TransactionId(0, 0)


@pytest.fixture
def world() -> World:
    """A broker of both kinds, with one segment."""
    world = World(kinds=[TinyTransactions()])
    world.administer("PUT", "/admin/v2/scalable/public/default/events")
    return world


def begin(world: World) -> TransactionId:
    begun = world.ask(pb.CommandNewTxn(request_id=1, tc_id=0, scalable=True))
    assert not begun.HasField("error")
    return TransactionId(begun.txnid_most_bits, begun.txnid_least_bits)


def end(world: World, txn: TransactionId, action: TxnAction) -> Any:
    asked = pb.CommandEndTxn(request_id=2, txnid_most_bits=0, txnid_least_bits=txn.sequence, txn_action=action.value, scalable=True)
    answer = world.ask(asked)
    world.broker.advance(200)
    return answer


def test_both_kinds_number_from_0_and_the_request_says_which_is_meant(world: World) -> None:
    """Two transactions have the id (0,0), and the end of one is not the end of the other."""
    classic, tiny = world.begin(), begin(world)

    end(world, tiny, TxnAction.ABORT)

    assert (classic, tiny) == (FIRST, FIRST)
    world.end(classic, TxnAction.COMMIT)
    assert isinstance(world.probe().end(classic, TxnAction.ABORT), Refused)


def test_a_topic_takes_part_in_the_kind_of_its_domain(world: World) -> None:
    """For two transactions with one id, each is visible in topics of its kind, by its own outcome."""
    classic, tiny = world.begin(TOPIC), begin(world)
    persistent, segment = world.producer(TOPIC), world.producer(SEGMENT)
    readers = [world.consumer(topic) for topic in (TOPIC, SEGMENT)]
    world.send(persistent, "p", classic)
    world.send(segment, "s", tiny)

    end(world, tiny, TxnAction.COMMIT)
    before = [world.values(reader) for reader in readers]
    world.end(classic, TxnAction.COMMIT)

    assert before == [[], ["s"]]
    assert [world.values(reader) for reader in readers] == [["p"], []]


@pytest.mark.parametrize(("action", "back"), [(TxnAction.COMMIT, []), (TxnAction.ABORT, ["a"])])
def test_pending_acknowledgements_come_back_from_the_store_of_the_domain(world: World, action: TxnAction, back: list[str]) -> None:
    """The rules of conflict hold over a crash on either store, since a replay restores positions."""
    tiny = begin(world)
    segment, reader = world.producer(SEGMENT), world.consumer(SEGMENT)
    world.send(segment, "a")
    world.send(segment, "b")
    (first, _) = world.messages(reader)
    value_of(world.probe().acknowledge(reader, [first.id], transaction=tiny))

    world.broker.crash()
    world.broker.restart()
    again = world.consumer(SEGMENT, name="again")
    conflict = world.probe("again").acknowledge(again, [first.id], transaction=TransactionId(0, 7))
    withheld = world.values(again, "again")
    end(world, tiny, action)

    assert isinstance(conflict, Refused)
    assert withheld == ["b"]
    assert world.values(again, "again") == back


def test_a_broker_of_one_kind_does_not_look_at_the_flag() -> None:
    """As in releases without it: the request is one of PIP-31's."""
    world = World()

    assert (begin(world), world.begin()) == (FIRST, TransactionId(0, 1))


def test_a_domain_that_no_kind_takes_is_no_topic(world: World) -> None:
    """Neither with one kind nor with two."""
    assert isinstance(World().probe().producer(SEGMENT), Refused)
    assert isinstance(world.probe().producer("topic://public/default/orders"), Refused)
