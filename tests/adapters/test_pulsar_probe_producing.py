"""The Pulsar probe's producers: the numbers of their messages, receipts, and what follows when the broker closes them."""

from typing import Any

import pytest
from scripted_pulsar import ScriptedPulsar, nothing, receipt
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import EntryPosition, MessageId, ProducerHandle, TransactionId
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.batches import entries

TXN = TransactionId(0, 0)
TOPIC = "persistent://public/default/t"


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker that grants a new transaction."""
    broker = ScriptedPulsar()
    broker.on("NEW_TXN", lambda request: [pb.CommandNewTxnResponse(request_id=request.request_id, txnid_most_bits=0, txnid_least_bits=0)])
    return broker


def test_sequence_ids_go_on_from_what_the_broker_knows(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """An existing producer begins after its last message; a given sequence id is used unchanged."""
    broker.on(
        "PRODUCER", lambda request: [pb.CommandProducerSuccess(request_id=request.request_id, producer_name="me", last_sequence_id=4)]
    )
    producer = value_of(probe.producer(TOPIC, name="me"))

    value_of(probe.send(producer, "a"))
    value_of(probe.send(producer, "again", sequence_id=5))
    value_of(probe.send(producer, "b"))

    assert producer == ProducerHandle(TOPIC, 1, "me", 4)
    assert [frame.body.sequence_id for frame in broker.of("SEND")] == [5, 5, 6]


def test_a_duplicate_is_reported_by_a_receipt_without_a_place(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The wire has no signs there: -1 is the largest number."""
    broker.on("SEND", lambda request: [receipt(request, 2**64 - 1, 2**64 - 1)])

    stored = value_of(probe.send(value_of(probe.producer(TOPIC)), "a"))

    assert stored == MessageId(EntryPosition(-1, -1))
    assert not stored.was_stored


@pytest.mark.parametrize(
    ("error", "kind"), [(pb.NotAllowedError, Refused), (pb.TopicTerminatedError, Refused), (pb.PersistenceError, Unknown)]
)
def test_a_refused_message_is_refused_unless_it_may_be_stored(
    broker: ScriptedPulsar, probe: PulsarProbe, error: Any, kind: type[object]
) -> None:
    """SEND_ERROR, by its code; the message is never sent again."""
    broker.on(
        "SEND",
        lambda request: [pb.CommandSendError(producer_id=request.producer_id, sequence_id=request.sequence_id, error=error, message="no")],
    )

    outcome = probe.send(value_of(probe.producer(TOPIC)), "a", transaction=TXN)

    assert isinstance(outcome, kind)
    assert len(broker.of("SEND")) == 1


def test_a_message_is_sent_again_if_the_transaction_buffer_was_not_recovered(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """In a transaction too: the broker has refused it before it wrote anything."""
    refusals = iter([(pb.PersistenceError, "ManagedLedgerException: ServiceUnitNotReadyException: Transaction Buffer recover failed")])

    def answer(request: Any) -> list[Any]:
        for error, message in refusals:
            return [pb.CommandSendError(producer_id=request.producer_id, sequence_id=request.sequence_id, error=error, message=message)]
        return [receipt(request, 1, 0)]

    broker.on("SEND", answer)

    outcome = probe.send(value_of(probe.producer(TOPIC)), "a", transaction=TXN)

    assert outcome == Done(MessageId(EntryPosition(1, 0)))
    assert len(broker.of("SEND")) == 2


def test_receipts_find_their_messages_in_any_order(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Several messages are in flight; for two with one sequence id, the first receipt belongs to the first."""
    broker.on("SEND", nothing)
    producer = value_of(probe.producer(TOPIC))
    first, second, repeated = (
        value_of(probe.post(producer, text, sequence_id=number)) for text, number in (("a", 0), ("b", 1), ("b again", 1))
    )

    for sequence_id, entry in ((1, 11), (0, 10), (1, 12)):
        stored = pb.MessageIdData(ledger_id=1, entry_id=entry)
        broker.push(pb.CommandSendReceipt(producer_id=producer.number, sequence_id=sequence_id, message_id=stored))

    assert [value_of(probe.receipt(pending)).position.entry for pending in (first, second, repeated)] == [10, 11, 12]


def test_a_batch_is_one_entry_with_a_place_for_each_message(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Also if it has only one message."""
    ids = value_of(probe.send_batch(value_of(probe.producer(TOPIC)), ["a", "b"], transaction=TXN))

    sent = broker.of("SEND")[0]
    assert sent.payload is not None
    assert ids == (MessageId(EntryPosition(1, 0), 0, 2), MessageId(EntryPosition(1, 0), 1, 2))
    assert (sent.body.num_messages, sent.body.highest_sequence_id) == (2, 1)
    assert [entry.value for entry in entries(sent.payload)] == [b"a", b"b"]


def test_a_producer_that_the_broker_closed_is_opened_again_under_its_name(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """As clients do after an unload; its sequence ids continue."""
    producer = value_of(probe.producer(TOPIC))
    value_of(probe.send(producer, "a"))
    broker.push(pb.CommandCloseProducer(producer_id=producer.number, request_id=2**64 - 1))

    value_of(probe.send(producer, "b"))

    first, again = (frame.body for frame in broker.of("PRODUCER"))
    assert (first.user_provided_producer_name, again.producer_name, again.producer_id) == (False, "given", first.producer_id)
    assert [frame.body.sequence_id for frame in broker.of("SEND")] == [0, 1]


def test_a_message_on_its_way_when_the_producer_is_closed_is_unknown_at_once(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The broker will no longer answer it."""
    broker.on("SEND", nothing)
    producer = value_of(probe.producer(TOPIC))
    pending = value_of(probe.post(producer, "a"))
    broker.push(pb.CommandCloseProducer(producer_id=producer.number, request_id=2**64 - 1))
    before = broker.now

    outcome = probe.receipt(pending)

    assert outcome == Unknown("here:6650 closed the producer instead of answering SEND", lost=True)
    assert broker.now == before


def test_a_receipt_after_the_producer_was_opened_again_is_that_of_the_repetition(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A message that is sent again with its sequence id is not confused with the one that was lost."""
    broker.on("SEND", nothing, lambda request: [receipt(request, 1, 7)])
    producer = value_of(probe.producer(TOPIC, name="me"))
    lost = value_of(probe.post(producer, "a", sequence_id=3))
    broker.push(pb.CommandCloseProducer(producer_id=producer.number, request_id=2**64 - 1))

    repeated = value_of(probe.send(producer, "a", sequence_id=3))

    assert repeated == MessageId(EntryPosition(1, 7))
    assert isinstance(probe.receipt(lost), Unknown)


def test_a_producer_that_is_closed_instead_of_a_receipt_opens_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """What the broker answers then decides: a message outside of transactions is sent again; one in a transaction stays unknown."""

    def closes(request: Any) -> list[Any]:
        return [pb.CommandCloseProducer(producer_id=request.producer_id, request_id=2**64 - 1)]

    producer = value_of(probe.producer(TOPIC))
    broker.on("SEND", closes, closes, lambda request: [receipt(request, 1, 7)])

    assert isinstance(probe.send(producer, "a", transaction=TXN), Unknown)
    assert value_of(probe.send(producer, "b")) == MessageId(EntryPosition(1, 7))
    assert [frame.body.sequence_id for frame in broker.of("SEND")] == [0, 1, 1]


def test_opening_is_tried_again_while_storage_comes_back(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """After a crash; a name in use will be free soon too. A final error is reported at once."""

    def refused(error: int) -> Any:
        return lambda request: [pb.CommandError(request_id=request.request_id, error=error, message="no")]  # type: ignore[arg-type]

    broker.on("PRODUCER", refused(pb.PersistenceError), refused(pb.ProducerBusy), refused(pb.TopicTerminatedError))

    assert probe.producer(TOPIC) == Refused("TopicTerminatedError", 15, "no")
    assert len(broker.of("PRODUCER")) == 3


def test_a_closed_producer_is_gone(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """CLOSE_PRODUCER names it; nothing is sent if the broker had closed it already."""
    producer, other = value_of(probe.producer(TOPIC)), value_of(probe.producer(TOPIC))
    broker.push(pb.CommandCloseProducer(producer_id=other.number, request_id=2**64 - 1))

    assert probe.close_producer(producer) == Done(None)
    value_of(probe.new_transaction())
    assert probe.close_producer(other) == Done(None)

    assert [frame.body.producer_id for frame in broker.of("CLOSE_PRODUCER")] == [producer.number]
