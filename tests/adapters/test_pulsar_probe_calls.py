"""The Pulsar probe: what it sends, how it interprets the answers, and what it repeats."""

from typing import Any

import pytest
from scripted_pulsar import ScriptedPulsar, hangs_up, lookup, nothing, receipt, refuses, session_with

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.values import Action, AddTopics, End, MessageId, Position, Producer, Subscription, TxnId
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.batches import entries

TXN = TxnId(0, 0)
TOPIC = "persistent://public/default/t"


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker that grants every transaction."""
    broker = ScriptedPulsar()
    broker.on("NEW_TXN", lambda request: [pb.CommandNewTxnResponse(request_id=request.request_id, txnid_most_bits=0, txnid_least_bits=0)])
    for command in ("ADD_PARTITION_TO_TXN", "ADD_SUBSCRIPTION_TO_TXN", "END_TXN", "END_TXN_ON_PARTITION", "END_TXN_ON_SUBSCRIPTION"):
        broker.on(command, _granted)
    return broker


@pytest.fixture
def probe(broker: ScriptedPulsar) -> PulsarProbe:
    """A client of it."""
    return session_with(broker).client("c")


def _granted(request: Any) -> list[Any]:
    return [getattr(pb, type(request).__name__ + "Response")(request_id=request.request_id)]


def value(outcome: Outcome[Any]) -> Any:
    assert isinstance(outcome, Done), outcome
    return outcome.value


# --- transactions ---------------------------------------------------------------------------------------------------------------


def test_a_transaction_goes_to_the_coordinator_that_was_notified_of_the_client(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The client looks up the coordinator once, connects to it on that connection, and uses it from then on."""
    assert value(probe.new_transaction(5000)) == TXN
    value(probe.add_topics(TXN, [TOPIC]))
    value(probe.add_subscriptions(TXN, [Subscription(TOPIC, "s")]))
    value(probe.end(TXN, Action.ABORT))

    asked = [frame for frame in broker.asked if frame.name not in ("CONNECT", "PARTITIONED_METADATA")]
    assert [frame.name for frame in asked] == [
        "LOOKUP",
        "TC_CLIENT_CONNECT_REQUEST",
        "NEW_TXN",
        "ADD_PARTITION_TO_TXN",
        "ADD_SUBSCRIPTION_TO_TXN",
        "END_TXN",
    ]
    assert asked[0].body.topic == "persistent://pulsar/system/transaction_coordinator_assign-partition-0"
    assert asked[2].body.txn_ttl_millis == 5000
    assert list(asked[3].body.partitions) == [TOPIC]
    assert asked[4].body.subscription[0] == pb.Subscription(topic=TOPIC, subscription="s")
    assert asked[5].body.txn_action == pb.ABORT


def test_the_first_transaction_is_named_by_zeros_that_are_said(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """(0,0) is a transaction: its zeros are in the command and in the metadata, and a plain message has neither."""
    producer = value(probe.producer(TOPIC))

    value(probe.send(producer, "plain"))
    value(probe.send(producer, "in the transaction", transaction=TXN))

    plain, transactional = broker.of("SEND")
    assert plain.payload is not None
    assert transactional.payload is not None
    for message, is_said in ((plain, False), (transactional, True)):
        assert message.payload is not None
        for said in (message.body, message.payload.metadata):
            assert said.HasField("txnid_most_bits") is said.HasField("txnid_least_bits") is is_said


def test_what_a_participant_is_reported_has_a_low_watermark(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A broker closes the connection if it is left out; 0 is sent."""
    value(probe.end_on_topic(TxnId(0, 3), TOPIC, Action.COMMIT))
    value(probe.end_on_subscription(TxnId(0, 3), Subscription(TOPIC, "s"), Action.ABORT, low_watermark=2))

    on_topic, on_subscription = broker.of("END_TXN_ON_PARTITION")[0].body, broker.of("END_TXN_ON_SUBSCRIPTION")[0].body
    assert on_topic.HasField("txnid_least_bits_of_low_watermark")
    assert (on_topic.topic, on_topic.txn_action) == (TOPIC, pb.COMMIT)
    assert (on_subscription.txnid_least_bits_of_low_watermark, on_subscription.txn_action) == (2, pb.ABORT)


def test_a_coordinator_that_is_being_loaded_is_asked_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It exists, so it is missing only temporarily."""
    broker.on("END_TXN", refuses("TransactionCoordinatorNotFound"), refuses("ServiceNotReady"), _granted)

    assert probe.end(TXN, Action.COMMIT) == Done(None)


def test_a_coordinator_that_there_is_none_of_is_final(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The request is sent all the same, to the service address, and its refusal is the outcome."""
    broker.on("END_TXN", refuses("TransactionCoordinatorNotFound"))

    outcome = probe.end(TxnId(7, 1), Action.COMMIT)

    assert isinstance(outcome, Refused)
    assert (outcome.error, outcome.code, outcome.message) == ("TransactionCoordinatorNotFound", 20, "no: TransactionCoordinatorNotFound")
    assert len(broker.of("END_TXN")) == 1


def test_what_is_asked_at_once_is_sent_before_an_answer_is_read(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The answers come in the order opposite to that of the requests, and each is matched by the request id."""
    held: list[Any] = []

    def later(request: Any) -> list[Any]:
        held.append(pb.CommandAddPartitionToTxnResponse(request_id=request.request_id, error="TransactionNotFound", message="no"))
        return []

    broker.on("ADD_PARTITION_TO_TXN", later)
    broker.on("END_TXN", lambda request: [*_granted(request), *held])

    outcomes = probe.at_once([AddTopics(TxnId(0, 9), [TOPIC]), End(TXN, Action.COMMIT)])

    assert outcomes == [Refused("TransactionNotFound", 24, "no"), Done(None)]


@pytest.mark.parametrize("most", [3, 3 << 48])
def test_an_id_reports_its_coordinator_in_its_upper_half_or_in_the_16_highest_bits(most: int) -> None:
    """The first is what brokers do, the second what the proposal says."""
    assert TxnId(most, 1).coordinator == 3


@pytest.mark.parametrize(("error", "code"), [("TransactionNotFound", 24), ("InvalidTxnStatus", 21), ("TransactionConflict", 23)])
def test_a_definite_refusal_is_reported_as_it_is(broker: ScriptedPulsar, probe: PulsarProbe, error: str, code: int) -> None:
    """By the protocol's name and number, and it is not retried."""
    broker.on("ADD_PARTITION_TO_TXN", refuses(error))

    assert probe.add_topics(TXN, [TOPIC]) == Refused(error, code, f"no: {error}")
    assert len(broker.of("ADD_PARTITION_TO_TXN")) == 1


def test_an_error_that_leaves_it_open_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """UnknownError is number 0, and no refusal: the request may have been done."""
    broker.on("END_TXN", refuses("UnknownError"))

    outcome = probe.end(TXN, Action.COMMIT)

    assert isinstance(outcome, Unknown)
    assert "UnknownError (0): no: UnknownError, which leaves open" in outcome.reason


def test_an_answer_that_comes_late_is_found_when_it_is_asked_for_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """END_TXN may wait for a participant: until then the outcome is Unknown, and other requests are answered meanwhile."""
    broker.on("END_TXN", nothing)
    pending = value(probe.begin_end(TXN, Action.COMMIT))

    first = probe.ended(pending, within_s=1.0)
    assert value(probe.new_transaction()) == TXN
    assert not probe.is_answered(pending)
    broker.push(pb.CommandEndTxnResponse(request_id=pending.number))

    assert isinstance(first, Unknown)
    assert not first.lost
    assert probe.is_answered(pending)
    assert probe.ended(pending) == Done(None)


def test_a_coordinator_that_was_reached_is_not_looked_for_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Two ends can be in flight at the same time only if neither has to look up its coordinator first."""
    value(probe.reach_coordinator())
    asked = len(broker.names())

    value(probe.begin_end(TXN, Action.COMMIT))

    assert broker.names()[asked:] == ["END_TXN"]


# --- finding the broker ---------------------------------------------------------------------------------------------------------


def test_a_redirect_is_followed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """LOOKUP is sent again to the address in the redirect, with its authority."""
    redirect = pb.CommandLookupTopicResponse.Redirect
    served = pb.CommandLookupTopicResponse.Connect
    broker.on(
        "LOOKUP",
        lambda request: [lookup(request, "pulsar://here:6650", redirect)],
        lambda request: [lookup(request, "pulsar://here:6650", served)],
    )

    value(probe.producer(TOPIC))

    assert [frame.body.authoritative for frame in broker.of("LOOKUP")] == [False, True]


def test_a_redirect_to_nowhere_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The reason names the address without a listener."""
    broker.on("LOOKUP", lambda request: [lookup(request, "pulsar://nowhere:1", pb.CommandLookupTopicResponse.Redirect)])

    assert probe.producer(TOPIC) == Unknown("nowhere:1 cannot be connected to: nobody listens", lost=True)


def test_a_redirect_for_ever_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It must not hold the suite."""
    broker.on("LOOKUP", lambda request: [lookup(request, "pulsar://here:6650", pb.CommandLookupTopicResponse.Redirect)])

    with pytest.raises(Malformed, match="redirected for ever; the last redirect was to here:6650"):
        probe.producer(TOPIC)


@pytest.mark.parametrize("url", ["", "here:6650", "pulsar+ssl://here:6651", "pulsar://here:port"])
def test_a_lookup_that_names_no_address_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe, url: str) -> None:
    """The frame is valid, and its content is no address."""
    broker.on("LOOKUP", lambda request: [lookup(request, url, pb.CommandLookupTopicResponse.Connect)])

    with pytest.raises(Malformed, match="expected pulsar://HOST:PORT"):
        probe.producer(TOPIC)


# --- connections ----------------------------------------------------------------------------------------------------------------


def test_a_connection_that_ends_during_a_call_leaves_it_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A lost END_TXN is not repeated; the next call reconnects, and connects to the coordinator again."""
    broker.on("END_TXN", hangs_up, _granted)

    lost = probe.end(TXN, Action.COMMIT)
    again = probe.end(TXN, Action.COMMIT)

    assert isinstance(lost, Unknown)
    assert lost.lost
    assert again == Done(None)
    assert len(broker.of("TC_CLIENT_CONNECT_REQUEST")) == 2


def test_a_ping_is_answered(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Each time the client reads its connection."""
    value(probe.producer(TOPIC))
    broker.push(pb.CommandPing())

    value(probe.new_transaction())

    assert len(broker.of("PONG")) == 1


def test_an_answer_of_another_kind_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The request id alone does not make it the answer."""
    broker.on("END_TXN", lambda request: [pb.CommandSuccess(request_id=request.request_id)])

    with pytest.raises(Malformed, match="END_TXN was answered with SUCCESS, expected END_TXN_RESPONSE or ERROR"):
        probe.end(TXN, Action.COMMIT)


def test_an_answer_to_nothing_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """An answer to a request that was never made, or that another client made."""
    value(probe.producer(TOPIC))
    broker.push(pb.CommandEndTxnResponse(request_id=99))

    with pytest.raises(Malformed, match="END_TXN_RESPONSE answers nothing that was asked: request_id: 99"):
        probe.new_transaction()


def test_a_broker_that_is_down_is_asked_until_it_is_back(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Looking for the coordinator changes nothing, so it is repeated."""
    broker.is_up = False
    broker.later.append((3000.0, lambda: setattr(broker, "is_up", True)))

    assert probe.new_transaction() == Done(TXN)
    assert broker.now >= 3000


# --- producers ------------------------------------------------------------------------------------------------------------------


def test_sequence_ids_go_on_from_what_the_broker_knows(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """An existing producer begins after its last message; a given sequence id is used unchanged."""
    broker.on(
        "PRODUCER", lambda request: [pb.CommandProducerSuccess(request_id=request.request_id, producer_name="me", last_sequence_id=4)]
    )
    producer = value(probe.producer(TOPIC, name="me"))

    value(probe.send(producer, "a"))
    value(probe.send(producer, "again", sequence_id=5))
    value(probe.send(producer, "b"))

    assert producer == Producer(TOPIC, 1, "me", 4)
    assert [frame.body.sequence_id for frame in broker.of("SEND")] == [5, 5, 6]


def test_a_duplicate_is_reported_by_a_receipt_without_a_place(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The wire has no signs there: -1 is the largest number."""
    broker.on("SEND", lambda request: [receipt(request, 2**64 - 1, 2**64 - 1)])

    stored = value(probe.send(value(probe.producer(TOPIC)), "a"))

    assert stored == MessageId(Position(-1, -1))
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

    outcome = probe.send(value(probe.producer(TOPIC)), "a", transaction=TXN)

    assert isinstance(outcome, kind)
    assert len(broker.of("SEND")) == 1


def test_receipts_find_their_messages_in_any_order(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Several messages are in flight; for two with one sequence id, the first receipt belongs to the first."""
    broker.on("SEND", nothing)
    producer = value(probe.producer(TOPIC))
    first, second, repeated = (
        value(probe.post(producer, text, sequence_id=number)) for text, number in (("a", 0), ("b", 1), ("b again", 1))
    )

    for sequence_id, entry in ((1, 11), (0, 10), (1, 12)):
        stored = pb.MessageIdData(ledger_id=1, entry_id=entry)
        broker.push(pb.CommandSendReceipt(producer_id=producer.number, sequence_id=sequence_id, message_id=stored))

    assert [value(probe.receipt(pending)).position.entry for pending in (first, second, repeated)] == [10, 11, 12]


def test_a_batch_is_one_entry_with_a_place_for_each_message(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Also if it has only one message."""
    ids = value(probe.send_batch(value(probe.producer(TOPIC)), ["a", "b"], transaction=TXN))

    sent = broker.of("SEND")[0]
    assert sent.payload is not None
    assert ids == (MessageId(Position(1, 0), 0, 2), MessageId(Position(1, 0), 1, 2))
    assert (sent.body.num_messages, sent.body.highest_sequence_id) == (2, 1)
    assert [entry.value for entry in entries(sent.payload)] == [b"a", b"b"]


def test_a_producer_that_the_broker_closed_is_opened_again_under_its_name(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """As clients do after an unload; its sequence ids continue."""
    producer = value(probe.producer(TOPIC))
    value(probe.send(producer, "a"))
    broker.push(pb.CommandCloseProducer(producer_id=producer.number, request_id=2**64 - 1))

    value(probe.send(producer, "b"))

    first, again = (frame.body for frame in broker.of("PRODUCER"))
    assert (first.user_provided_producer_name, again.producer_name, again.producer_id) == (False, "given", first.producer_id)
    assert [frame.body.sequence_id for frame in broker.of("SEND")] == [0, 1]


def test_a_message_on_its_way_when_the_producer_is_closed_is_unknown_at_once(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The broker will no longer answer it."""
    broker.on("SEND", nothing)
    producer = value(probe.producer(TOPIC))
    pending = value(probe.post(producer, "a"))
    broker.push(pb.CommandCloseProducer(producer_id=producer.number, request_id=2**64 - 1))
    before = broker.now

    outcome = probe.receipt(pending)

    assert outcome == Unknown("here:6650 closed the producer instead of answering SEND", lost=True)
    assert broker.now == before


def test_a_receipt_after_the_producer_was_opened_again_is_that_of_the_repetition(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A message that is sent again under its number is not taken for the one that was lost."""
    broker.on("SEND", nothing, lambda request: [receipt(request, 1, 7)])
    producer = value(probe.producer(TOPIC, name="me"))
    lost = value(probe.post(producer, "a", sequence_id=3))
    broker.push(pb.CommandCloseProducer(producer_id=producer.number, request_id=2**64 - 1))

    repeated = value(probe.send(producer, "a", sequence_id=3))

    assert repeated == MessageId(Position(1, 7))
    assert isinstance(probe.receipt(lost), Unknown)


def test_opening_is_tried_again_while_storage_comes_back(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """After a crash; a name in use will be free soon too. A final error is reported at once."""

    def refused(error: int) -> Any:
        return lambda request: [pb.CommandError(request_id=request.request_id, error=error, message="no")]  # type: ignore[arg-type]

    broker.on("PRODUCER", refused(pb.PersistenceError), refused(pb.ProducerBusy), refused(pb.TopicTerminatedError))

    assert probe.producer(TOPIC) == Refused("TopicTerminatedError", 15, "no")
    assert len(broker.of("PRODUCER")) == 3


def test_a_closed_producer_is_gone(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """CLOSE_PRODUCER names it; nothing is sent if the broker had closed it already."""
    producer, other = value(probe.producer(TOPIC)), value(probe.producer(TOPIC))
    broker.push(pb.CommandCloseProducer(producer_id=other.number, request_id=2**64 - 1))

    assert probe.close_producer(producer) == Done(None)
    value(probe.new_transaction())
    assert probe.close_producer(other) == Done(None)

    assert [frame.body.producer_id for frame in broker.of("CLOSE_PRODUCER")] == [producer.number]
