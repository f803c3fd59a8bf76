"""The Pulsar probe and transaction keys: connects with a key, the connection that has it, administrators' calls, and histories."""

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import Message
from scripted_pulsar import ScriptedPulsar, nothing
from succeeded import value_of

from fencepost.adapters.pulsar.keyed import label_of
from fencepost.adapters.pulsar.levers import missing
from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.pulsar_values import KeyGrant, KeyMetrics, KeyState, OwnedKey, TransactionId, TxnAction
from fencepost.adapters.pulsar.transaction_keys import offers_keys, read_metrics
from fencepost.adapters.reference_pulsar import PulsarReferenceSystem
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer

KEY = "payments"
METRICS = b"""\
# TYPE pulsar_txn_transaction_key_count gauge
pulsar_txn_transaction_key_count 2.0
# TYPE pulsar_txn_transaction_key_epoch gauge
pulsar_txn_transaction_key_epoch{owner="",transaction_key="a\\\\b"} 3.0
pulsar_txn_transaction_key_epoch{owner="alice",transaction_key="c"} 0.0
# TYPE pulsar_txn_transaction_key_age summary
pulsar_txn_transaction_key_age_count{owner="alice",transaction_key="c"} 2.0
pulsar_txn_transaction_key_age_sum{owner="alice",transaction_key="c"} 300.0
"""


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker that assigns epochs from 0 on, at the coordinator that receives the connect."""
    broker = ScriptedPulsar()
    broker.admin_answers = [AdminAnswer(204)]
    broker.on("TC_CLIENT_CONNECT_REQUEST", granted(0), granted(1), granted(2))
    broker.on("NEW_TXN", lambda request: [pb.CommandNewTxnResponse(request_id=request.request_id, txnid_most_bits=0, txnid_least_bits=4)])
    broker.on("END_TXN", lambda request: [pb.CommandEndTxnResponse(request_id=request.request_id)])
    return broker


def granted(epoch: int, **fields: int) -> Callable[[Any], list[Message]]:
    """A connect is answered with an epoch."""
    return lambda request: [pb.CommandTcClientConnectResponse(request_id=request.request_id, transaction_key_epoch=epoch, **fields)]


def refused(error: "pb.ServerError.ValueType", **fields: int) -> Callable[[Any], list[Message]]:
    """A connect is answered with an error."""
    return lambda request: [pb.CommandTcClientConnectResponse(request_id=request.request_id, error=error, **fields)]


def test_the_key_and_the_epoch_are_in_the_request(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """-1 means that the client is new; the answer has the epoch of its connection."""
    assert probe.connect_with_key(KEY) == Done(KeyGrant(0, 0))

    (asked,) = [frame.body for frame in broker.of("TC_CLIENT_CONNECT_REQUEST")]
    assert (asked.transaction_key, asked.transaction_key_epoch, asked.tc_id) == (b"payments", -1, 0)


def test_a_client_without_a_key_names_none(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Neither field is present."""
    value_of(probe.connect_without_key())

    (asked,) = [frame.body for frame in broker.of("TC_CLIENT_CONNECT_REQUEST")]
    assert not asked.HasField("transaction_key")
    assert not asked.HasField("transaction_key_epoch")


def test_the_coordinator_of_the_key_is_followed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The first one names it; transactions begin there."""
    broker.on("TC_CLIENT_CONNECT_REQUEST", refused(pb.TransactionCoordinatorNotFound, transaction_key_tc_id=3), granted(7))

    assert probe.connect_with_key(KEY) == Done(KeyGrant(7, 3))

    value_of(probe.new_transaction())
    assert [frame.body.tc_id for frame in broker.of("TC_CLIENT_CONNECT_REQUEST")] == [0, 3]
    assert [frame.body.tc_id for frame in broker.of("NEW_TXN")] == [3]


def test_a_coordinator_that_was_named_is_not_left(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A client that names a coordinator needs that coordinator's own answer."""
    broker.on("TC_CLIENT_CONNECT_REQUEST", refused(pb.TransactionCoordinatorNotFound, transaction_key_tc_id=3))

    assert isinstance(probe.connect_with_key(KEY, coordinator=1), Refused)
    assert len(broker.of("TC_CLIENT_CONNECT_REQUEST")) == 1


def test_a_coordinator_that_is_being_loaded_is_asked_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It answers that it is not there, and not that another one has the key."""
    loading = refused(pb.TransactionCoordinatorNotFound, transaction_key_tc_id=0)
    broker.on("TC_CLIENT_CONNECT_REQUEST", loading, loading, granted(0))

    assert probe.connect_with_key(KEY) == Done(KeyGrant(0, 0))


def test_a_refused_connect_is_asked_once(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A failed append is the outcome, also if a retry would succeed."""
    broker.on("TC_CLIENT_CONNECT_REQUEST", refused(pb.ServiceNotReady), granted(0))

    assert isinstance(probe.connect_with_key(KEY), Refused)
    assert probe.key is None


def test_a_client_that_was_sent_away_does_not_come_back_without_a_word(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """On a new connection it would be a client without the key."""
    value_of(probe.connect_with_key(KEY))
    assert not probe.was_sent_away()

    broker.hang_up()

    assert probe.was_sent_away()
    answers: list[Outcome[object]] = [probe.new_transaction(), probe.end(TransactionId(0, 4), TxnAction.COMMIT), probe.ping_with_key()]
    assert all(isinstance(answer, Unknown) and answer.lost for answer in answers)
    assert "NEW_TXN" not in broker.names()


def test_a_client_that_forgets_its_key_is_one_like_others(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It reconnects, and names no key."""
    value_of(probe.connect_with_key(KEY))
    broker.hang_up()

    probe.forget_key()

    value_of(probe.end(TransactionId(0, 4), TxnAction.COMMIT))
    assert not broker.of("TC_CLIENT_CONNECT_REQUEST")[-1].body.HasField("transaction_key")


def test_a_client_that_reconnects_uses_a_new_connection(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The broker's actions on the old one do not affect the new one."""
    value_of(probe.connect_with_key(KEY))
    before = len(broker.connections)

    assert probe.connect_with_key(KEY, 0) == Done(KeyGrant(1, 0))

    assert len(broker.connections) == before + 1
    broker.connections[0].is_open = False
    assert not probe.was_sent_away()


def test_two_connects_are_in_flight_at_once(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """Both are sent before an answer is read."""
    first, second = session.client("first"), session.client("second")

    under_way = [value_of(one.begin_connect_with_key(KEY)) for one in (first, second)]

    assert len(broker.of("TC_CLIENT_CONNECT_REQUEST")) == 2
    assert [one.connected_with_key(pending) for one, pending in zip((first, second), under_way, strict=True)] == [
        Done(KeyGrant(0, 0)),
        Done(KeyGrant(1, 0)),
    ]


def test_an_answer_that_does_not_come_grants_nothing(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The outcome is unknown; the client has no key."""
    broker.on("TC_CLIENT_CONNECT_REQUEST", nothing)

    assert isinstance(probe.connect_with_key(KEY), Unknown)
    assert probe.key is None


def test_a_client_says_who_it_is(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """By basic authentication, without a password; other clients name no user."""
    value_of(session.client_of("named", "alice").connect())
    value_of(session.client("nobody").connect())

    named, nobody = [frame.body for frame in broker.of("CONNECT")]
    assert (named.auth_method_name, named.auth_data) == ("basic", b"alice:")
    assert not nobody.HasField("auth_data")


def test_a_key_is_asked_for_by_its_owner_and_in_its_own_letters(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """Characters with a meaning in a path are encoded."""
    probe = session.client("c")
    broker.admin_answers = [
        AdminAnswer(
            200,
            b'{"owner": "a&b", "key": "x/\xc3\xbc", "epoch": 4, "coordinator": 1, "transactions": [{"mostSigBits": 1, "leastSigBits": 2}]}',
        )
    ]

    assert probe.transaction_key("x/ü", "a&b") == Done(KeyState("a&b", "x/ü", 4, 1, (TransactionId(1, 2),)))

    asked = session.exchanges()[-1]
    assert (asked.name, asked.request["query"]) == ("GET /admin/v2/transactions/transaction-keys/x%2F%C3%BC", {"owner": "a&b"})


def test_keys_are_listed_and_deleted(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """204 is success, and 404 means that there is none."""
    broker.admin_answers = [AdminAnswer(200, b'[{"owner": "", "key": "a"}]'), AdminAnswer(204), AdminAnswer(404, b"{}")]

    assert probe.transaction_keys() == Done([OwnedKey("", "a")])
    assert probe.delete_transaction_key("a") == Done(None)
    assert probe.transaction_key("a") == Refused("Not Found", 404, "{}")


def test_metrics_are_read_by_key() -> None:
    """An age is the mean of the observations; labels are unescaped."""
    other, ours = OwnedKey("", "a\\b"), OwnedKey("alice", "c")

    assert read_metrics(METRICS) == KeyMetrics(2, {other: 3, ours: 0}, {ours: 150.0})


@pytest.mark.parametrize(("body", "why"), [(b"", "without pulsar_txn_transaction_key_count"), (b"{what", "Prometheus cannot read")])
def test_metrics_that_report_nothing_of_keys_are_malformed(body: bytes, why: str) -> None:
    """A broker with keys counts them."""
    with pytest.raises(Malformed, match=why):
        read_metrics(body)


def test_a_broker_that_passes_the_key_over_has_no_keys(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """The error names the fields that were expected."""
    broker.on("TC_CLIENT_CONNECT_REQUEST", lambda request: [pb.CommandTcClientConnectResponse(request_id=request.request_id)])

    reason = offers_keys(session.client("c"), KEY)

    assert reason is not None
    assert "without a transaction_key_epoch" in reason


def test_a_broker_that_gives_an_epoch_has_keys(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """The key that was used to find out is deleted again."""
    assert offers_keys(session.client("c"), KEY) is None
    assert [request.method for request in broker.administered] == ["DELETE"]


@pytest.mark.parametrize(("profile", "has_keys"), [("seed", True), ("pulsar-4.0", False)])
def test_the_reference_has_keys_with_the_profile_of_the_text(profile: str, has_keys: bool) -> None:
    """No release has them, and such a system reports that."""
    system = PulsarReferenceSystem(profile, patience_s=2.0)
    offered = "transaction-keys" in system.open().capabilities

    assert offered == has_keys
    assert ("transaction-keys" in missing(system.session("levers"))) != has_keys


def test_a_history_names_the_key_of_a_transaction(session: PulsarSession) -> None:
    """A connect is an `init_txn`; events of the transaction have the key and the epoch, whichever client makes them."""
    first, second = session.client_of("first", "alice"), session.client("second")
    value_of(first.connect_with_key(KEY))
    value_of(second.end(value_of(first.new_transaction()), TxnAction.COMMIT))

    events = {(event["f"], event["type"]): event for event in session.history("run")}

    label = label_of("alice", b"payments")
    assert events["init_txn", "ok"]["tx"] == {"tid": label, "pid": 0, "epoch": 0}
    assert events["commit", "ok"]["tx"] == {"tid": label, "pid": 0, "epoch": None}
    assert (events["commit", "ok"]["ctl"], events["commit", "ok"]["txn_id"]) == ({"key_epoch": 0}, "(0,4)")


def test_a_client_that_reconnects_fences_no_client_in_a_history(session: PulsarSession) -> None:
    """It may keep its transaction, as the profile decides."""
    probe = session.client("c")
    value_of(probe.connect_with_key(KEY))
    value_of(probe.connect_with_key(KEY, 0))

    assert [event["f"] for event in session.history("run") if "TC_CLIENT" in event["api"]] == ["init_txn"] * 2 + ["probe"] * 2


def test_owner_and_key_are_one_text_without_being_mistaken() -> None:
    """No other pair gives the same text."""
    assert label_of("a&b", b"c") != label_of("a", b"b&c")
    assert label_of(None, b"c") == label_of("", b"c")


def test_a_transaction_without_a_waiting_client_is_looked_up_where_the_key_is(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """On the connection with the key, at its coordinator, also if the broker does not answer."""
    broker.on("TC_CLIENT_CONNECT_REQUEST", granted(0, transaction_key_tc_id=3))
    broker.on("NEW_TXN", nothing)
    value_of(probe.connect_with_key(KEY))

    probe.ask_for_transaction(5_000)

    (asked,) = [frame.body for frame in broker.of("NEW_TXN")]
    assert (asked.tc_id, asked.txn_ttl_millis) == (3, 5_000)
