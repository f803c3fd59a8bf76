"""A Pulsar broker that sends anything at all: the probe has an outcome or reports the error, and can be used again."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from pulsar_strategies import frames
from scripted_pulsar import ScriptedPulsar, session_with

from fencepost.adapters.pulsar.pulsar_values import TransactionId, TxnAction
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame

TOPIC = "persistent://public/default/t"


def reported(call: Callable[[], Outcome[object]]) -> Outcome[object] | Malformed:
    try:
        return call()
    except Malformed as error:
        return error


@given(st.lists(frames(), max_size=4))
@settings(max_examples=200, deadline=None)
def test_whatever_a_broker_says_the_probe_has_an_outcome(noise: list[Frame]) -> None:
    """Each frame leads to an outcome or to Malformed, never to another error; it can be shown, and is in the history."""
    broker = ScriptedPulsar()
    broker.on("NEW_TXN", lambda request: [pb.CommandNewTxnResponse(request_id=request.request_id, txnid_most_bits=0, txnid_least_bits=0)])
    broker.on("END_TXN", lambda request: [pb.CommandEndTxnResponse(request_id=request.request_id)])
    session = session_with(broker)
    probe = session.client("c")
    subscribed = probe.subscribe(TOPIC, "s")
    assert isinstance(subscribed, Done)
    for frame in noise:
        broker.push(frame.body, frame.payload)

    seen = [reported(probe.new_transaction), reported(lambda: probe.receive(subscribed.value, within_s=0.1))]
    again = [reported(probe.new_transaction), reported(lambda: probe.end(TransactionId(0, 0), TxnAction.COMMIT))]

    assert all(isinstance(outcome, Done | Refused | Unknown | Malformed) for outcome in seen)
    assert again[-1] == Done(None)
    assert len(session.exchanges()) * 2 == len(session.history("run"))


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_whatever_answers_a_request_the_probe_has_an_outcome(data: st.DataObject) -> None:
    """An answer with the right request id and any other content."""
    broker = ScriptedPulsar()

    def anything(request: pb.CommandEndTxn) -> list[pb.CommandEndTxnResponse]:
        answer = pb.CommandEndTxnResponse(request_id=request.request_id)
        if data.draw(st.booleans()):
            answer.error = data.draw(st.sampled_from(pb.ServerError.values()))
            answer.message = data.draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=9))
        return [answer]

    broker.on("END_TXN", anything)
    session = session_with(broker)

    outcome = session.client("c").end(TransactionId(0, 0), TxnAction.COMMIT, retry=False)

    ended = [event for event in session.history("run") if event["f"] == "commit"][1]
    assert (isinstance(outcome, Done), isinstance(outcome, Refused), isinstance(outcome, Unknown)) == (
        ended["type"] == "ok",
        ended["type"] == "fail",
        ended["type"] == "info",
    )
