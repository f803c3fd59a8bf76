"""The Pulsar probe: what it sends, how it interprets the answers, and what it repeats."""

from typing import Any

import pytest
from scripted_pulsar import ScriptedPulsar, hangs_up, lookup, nothing, refuses
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import AddTopics, End, SubscriptionHandle, TransactionId, TxnAction
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb

TXN = TransactionId(0, 0)
TOPIC = "persistent://public/default/t"


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker that grants every transaction."""
    broker = ScriptedPulsar()
    broker.on("NEW_TXN", lambda request: [pb.CommandNewTxnResponse(request_id=request.request_id, txnid_most_bits=0, txnid_least_bits=0)])
    for command in ("ADD_PARTITION_TO_TXN", "ADD_SUBSCRIPTION_TO_TXN", "END_TXN", "END_TXN_ON_PARTITION", "END_TXN_ON_SUBSCRIPTION"):
        broker.on(command, _granted)
    return broker


def _granted(request: Any) -> list[Any]:
    return [getattr(pb, type(request).__name__ + "Response")(request_id=request.request_id)]


# --- transactions ---------------------------------------------------------------------------------------------------------------


def test_a_transaction_goes_to_the_coordinator_that_was_notified_of_the_client(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The client looks up the coordinator once, connects to it on that connection, and uses it from then on."""
    assert value_of(probe.new_transaction(5000)) == TXN
    value_of(probe.add_topics(TXN, [TOPIC]))
    value_of(probe.add_subscriptions(TXN, [SubscriptionHandle(TOPIC, "s")]))
    value_of(probe.end(TXN, TxnAction.ABORT))

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
    producer = value_of(probe.producer(TOPIC))

    value_of(probe.send(producer, "plain"))
    value_of(probe.send(producer, "in the transaction", transaction=TXN))

    plain, transactional = broker.of("SEND")
    assert plain.payload is not None
    assert transactional.payload is not None
    for message, is_said in ((plain, False), (transactional, True)):
        assert message.payload is not None
        for said in (message.body, message.payload.metadata):
            assert said.HasField("txnid_most_bits") is said.HasField("txnid_least_bits") is is_said


def test_what_a_participant_is_reported_has_a_low_watermark(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A broker closes the connection if it is left out; 0 is sent."""
    value_of(probe.end_on_topic(TransactionId(0, 3), TOPIC, TxnAction.COMMIT))
    value_of(probe.end_on_subscription(TransactionId(0, 3), SubscriptionHandle(TOPIC, "s"), TxnAction.ABORT))

    on_topic, on_subscription = broker.of("END_TXN_ON_PARTITION")[0].body, broker.of("END_TXN_ON_SUBSCRIPTION")[0].body
    assert on_topic.HasField("txnid_least_bits_of_low_watermark")
    assert (on_topic.topic, on_topic.txn_action) == (TOPIC, pb.COMMIT)
    assert on_subscription.HasField("txnid_least_bits_of_low_watermark")
    assert on_subscription.txn_action == pb.ABORT


def test_a_coordinator_that_is_being_loaded_is_asked_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It exists, so it is missing only temporarily."""
    broker.on("END_TXN", refuses("TransactionCoordinatorNotFound"), refuses("ServiceNotReady"), _granted)

    assert probe.end(TXN, TxnAction.COMMIT) == Done(None)


def test_a_coordinator_that_there_is_none_of_is_final(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The request is sent all the same, to the service address, and its refusal is the outcome."""
    broker.on("END_TXN", refuses("TransactionCoordinatorNotFound"))

    outcome = probe.end(TransactionId(7, 1), TxnAction.COMMIT)

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

    outcomes = probe.at_once([AddTopics(TransactionId(0, 9), [TOPIC]), End(TXN, TxnAction.COMMIT)])

    assert outcomes == [Refused("TransactionNotFound", 24, "no"), Done(None)]


@pytest.mark.parametrize("most", [3, 3 << 48])
def test_an_id_reports_its_coordinator_in_its_upper_half_or_in_the_16_highest_bits(most: int) -> None:
    """The first is what brokers do, the second what the proposal says."""
    assert TransactionId(most, 1).coordinator == 3


@pytest.mark.parametrize(("error", "code"), [("TransactionNotFound", 24), ("InvalidTxnStatus", 21), ("TransactionConflict", 23)])
def test_a_definite_refusal_is_reported_as_it_is(broker: ScriptedPulsar, probe: PulsarProbe, error: str, code: int) -> None:
    """By the protocol's name and number, and it is not retried."""
    broker.on("ADD_PARTITION_TO_TXN", refuses(error))

    assert probe.add_topics(TXN, [TOPIC]) == Refused(error, code, f"no: {error}")
    assert len(broker.of("ADD_PARTITION_TO_TXN")) == 1


def test_an_error_that_leaves_it_open_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """UnknownError is number 0, and no refusal: the request may have been done."""
    broker.on("END_TXN", refuses("UnknownError"))

    outcome = probe.end(TXN, TxnAction.COMMIT)

    assert isinstance(outcome, Unknown)
    assert "UnknownError (0): no: UnknownError, which leaves open" in outcome.reason


def test_an_answer_that_comes_late_is_found_when_it_is_asked_for_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """END_TXN may wait for a participant: until then the outcome is Unknown, and other requests are answered meanwhile."""
    broker.on("END_TXN", nothing)
    pending = value_of(probe.begin_end(TXN, TxnAction.COMMIT))

    first = probe.ended(pending, within_s=1.0)
    assert value_of(probe.new_transaction()) == TXN
    assert not probe.is_answered(pending)
    broker.push(pb.CommandEndTxnResponse(request_id=pending.number))

    assert isinstance(first, Unknown)
    assert not first.lost
    assert probe.is_answered(pending)
    assert probe.ended(pending) == Done(None)


def test_a_coordinator_that_was_reached_is_not_looked_for_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Two ends can be in flight at the same time only if neither has to look up its coordinator first."""
    value_of(probe.reach_coordinator())
    asked = len(broker.names())

    value_of(probe.begin_end(TXN, TxnAction.COMMIT))

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

    value_of(probe.producer(TOPIC))

    assert [frame.body.authoritative for frame in broker.of("LOOKUP")] == [False, True]


def test_a_redirect_to_nowhere_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The reason names the address without a listener."""
    broker.on("LOOKUP", lambda request: [lookup(request, "pulsar://nowhere:1", pb.CommandLookupTopicResponse.Redirect)])

    assert probe.producer(TOPIC) == Unknown("nowhere:1 cannot be connected to: connection refused", lost=True)


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

    lost = probe.end(TXN, TxnAction.COMMIT)
    again = probe.end(TXN, TxnAction.COMMIT)

    assert isinstance(lost, Unknown)
    assert lost.lost
    assert again == Done(None)
    assert len(broker.of("TC_CLIENT_CONNECT_REQUEST")) == 2


def test_a_ping_is_answered(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Each time the client reads its connection."""
    value_of(probe.producer(TOPIC))
    broker.push(pb.CommandPing())

    value_of(probe.new_transaction())

    assert len(broker.of("PONG")) == 1


def test_an_answer_of_another_kind_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The request id alone does not make it the answer."""
    broker.on("END_TXN", lambda request: [pb.CommandSuccess(request_id=request.request_id)])

    with pytest.raises(Malformed, match="END_TXN was answered with SUCCESS, expected END_TXN_RESPONSE or ERROR"):
        probe.end(TXN, TxnAction.COMMIT)


def test_an_answer_to_nothing_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """An answer to a request that was never made, or that another client made."""
    value_of(probe.producer(TOPIC))
    broker.push(pb.CommandEndTxnResponse(request_id=99))

    with pytest.raises(Malformed, match="END_TXN_RESPONSE answers nothing that was asked: request_id: 99"):
        probe.new_transaction()


def test_a_broker_that_is_down_is_asked_until_it_is_back(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Looking for the coordinator changes nothing, so it is repeated."""
    broker.is_up = False
    broker.later.append((3000.0, lambda: setattr(broker, "is_up", True)))

    assert probe.new_transaction() == Done(TXN)
    assert broker.now >= 3000
