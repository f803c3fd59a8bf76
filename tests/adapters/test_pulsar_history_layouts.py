"""Layouts in the history of a Pulsar session: each change once, with its segments and the times that are known of it."""

from typing import Any

import pytest
from layouts_reported import FLAGS, MERGED, SPLIT, TOPIC, WHOLE, Told, assigned, described, reported, segment
from scripted_pulsar import ScriptedPulsar, nothing
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer

CHILDREN = f"{segment(1)}:0000-7fff,{segment(2)}:8000-ffff"
CREATED = ("create", {"topic": TOPIC, "children": f"{segment(0)}:0000-ffff", "epoch": "0"})
DIVIDED = ("split", {"topic": TOPIC, "segs": segment(0), "children": CHILDREN, "epoch": "1"})
UNITED = ("merge", {"topic": TOPIC, "segs": f"{segment(1)},{segment(2)}", "children": f"{segment(3)}:0000-ffff", "epoch": "2"})
PRUNED = [one._replace(parents=()) if one.number != 3 else one for one in MERGED[1:]]


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker with scalable topics."""
    broker = ScriptedPulsar()
    broker.on("CONNECT", lambda _: [pb.CommandConnected(server_version="Pulsar Server5.0.0-M1", feature_flags=FLAGS)])
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, 0, WHOLE)])
    broker.on("SCALABLE_TOPIC_CLOSE", nothing)
    broker.admin_answers = [AdminAnswer(204)]
    return broker


def controlled(session: PulsarSession) -> list[tuple[str, dict[str, Any]]]:
    """The controller's calls, in order."""
    events = session.history("run")
    return [(event["f"], event["ctl"]) for event in events if event["client"] == "controller" and event["type"] == "ok"]


def looks(broker: ScriptedPulsar, probe: PulsarProbe, *answers: AdminAnswer) -> None:
    """The admin interface describes the topic in these ways, one after another."""
    broker.admin_answers = [*answers, AdminAnswer(204)]
    for _ in answers:
        value_of(probe.layout(TOPIC))


def test_changes_are_known_from_the_layouts_that_show_them(broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe) -> None:
    """Each once, whichever client saw it, and however often."""
    watch = value_of(probe.watch_layout(TOPIC))
    broker.push(reported(watch.number, 0, WHOLE))
    broker.push(reported(watch.number, 1, *SPLIT))
    looks(broker, probe, described(1, *SPLIT), described(2, *MERGED), described(3, *PRUNED))
    broker.push(reported(watch.number, 2, *MERGED))
    probe.layouts_reported(watch)

    assert controlled(session) == [CREATED, DIVIDED, UNITED, ("prune", {"topic": TOPIC, "segs": segment(0), "epoch": "3"})]


def test_a_first_look_shows_all_that_was_before(broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe) -> None:
    """From the first segments on."""
    looks(broker, probe, described(2, *MERGED))

    assert controlled(session) == [CREATED, DIVIDED, UNITED]


UNKNOWN = {
    "a sibling is gone": (MERGED[0], MERGED[2], MERGED[3]._replace(parents=(2,))),
    "a parent of a merge is gone": (MERGED[2]._replace(parents=()), MERGED[3]._replace(parents=(2,))),
    "what was active is gone": (MERGED[3]._replace(parents=()),),
}


@pytest.mark.parametrize("segments", UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_known_is_not_in_the_history(
    broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe, segments: tuple[Told, ...]
) -> None:
    """No change follows from a layout that lacks segments which one would need, nor from a later one."""
    looks(broker, probe, described(0, WHOLE), described(3, *segments), described(4, *PRUNED))

    assert controlled(session) == [CREATED]


@pytest.mark.parametrize("segments", [UNKNOWN["a sibling is gone"], UNKNOWN["a parent of a merge is gone"]])
def test_a_first_look_that_lacks_segments_reports_nothing(
    broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe, segments: tuple[Told, ...]
) -> None:
    """The segments that are there do not show how they came about."""
    looks(broker, probe, described(3, *segments))

    assert controlled(session) == []


def test_a_change_lasts_from_when_it_was_asked_for_until_it_was_answered(
    broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe
) -> None:
    """Also if the answer was lost: then until the first layout that shows it. A refused one is no beginning."""
    value_of(probe.looked_up(TOPIC))
    broker.admin_answers = [AdminAnswer(409), AdminAnswer(204), described(1, *SPLIT), None, described(2, *MERGED)]
    probe.split(TOPIC, 0), probe.split(TOPIC, 0), probe.layout(TOPIC)
    probe.merge(TOPIC, 1, 2), probe.layout(TOPIC)

    events = session.history("run")
    ends = {(event["api"], event["type"]): event["idx"] for event in events}
    begun = [event["idx"] for event in events if event["api"].endswith("split/0") and event["type"] == "invoke"]
    of = {event["f"]: (event["op_id"], event["idx"]) for event in events if event["client"] == "controller" and event["type"] == "ok"}

    assert of["split"][0] == begun[1] + 1
    assert of["split"][1] == ends["POST /admin/v2/scalable/public/default/events/split/0", "ok"] + 1
    assert of["merge"][0] == ends["POST /admin/v2/scalable/public/default/events/merge/1/2", "invoke"] + 1
    assert of["merge"][1] == ends["GET /admin/v2/scalable/public/default/events", "ok"] + 1


def test_a_change_that_no_client_requested_is_as_old_as_the_last_look_without_it(
    broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe
) -> None:
    """It may have begun then."""
    looks(broker, probe, described(0, WHOLE), described(0, WHOLE), described(1, *SPLIT))

    events = session.history("run")
    looked = [event["idx"] for event in events if event["api"].startswith("GET") and event["type"] == "invoke"]
    (split,) = [event["op_id"] for event in events if event["f"] == "split" and event["type"] == "ok"]

    assert looked[1] < split < looked[2]


def test_a_layout_that_is_none_is_reported_as_it_is(broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe) -> None:
    """The scenario is red, and the checker sees why."""
    broker.admin_answers = [described(0, WHOLE), described(1, *SPLIT[:2]), AdminAnswer(204)]
    value_of(probe.layout(TOPIC))
    with pytest.raises(Exception, match="no layout"):
        probe.layout(TOPIC)

    assert controlled(session)[1] == ("split", {**DIVIDED[1], "children": f"{segment(1)}:0000-7fff"})


def test_a_deleted_topic_is_followed_no_longer(broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe) -> None:
    """A later topic of the same name is another one."""
    looks(broker, probe, described(0, WHOLE))
    broker.admin_answers = [AdminAnswer(204)]
    value_of(probe.delete_scalable_topic(TOPIC))
    looks(broker, probe, described(1, *SPLIT))

    assert controlled(session) == [CREATED]


def test_a_segment_that_is_terminated_by_hand_is_a_log_that_is_sealed(session: PulsarSession, probe: PulsarProbe) -> None:
    """By its name as a topic."""
    value_of(probe.terminate_segment(segment(1)))

    assert [event["ctl"]["segs"] for event in session.history("run") if event["f"] == "terminate"] == [segment(1)] * 2


def test_assignments_name_the_segments_that_a_consumer_has(broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe) -> None:
    """The first one with the answer to its registration, later ones as they are pushed; they are no positions."""
    broker.on(
        "SCALABLE_TOPIC_SUBSCRIBE",
        lambda request: [pb.CommandScalableTopicSubscribeResponse(request_id=request.request_id, assignment=assigned(1, 1, 2))],
    )
    consumer = value_of(probe.join_stream(TOPIC, "s", "a"))
    broker.push(pb.CommandScalableTopicAssignmentUpdate(consumer_id=consumer.number, assignment=assigned(2, 3)))
    probe.assignments_reported(consumer)

    found = [event for event in session.history("run") if event["f"] == "assign" and event["type"] == "ok"]

    assert [event["ctl"] for event in found] == [
        {"topic": TOPIC, "segs": f"{segment(1)},{segment(2)}"},
        {"topic": TOPIC, "segs": segment(3)},
    ]
    assert [event["grp"] for event in found] == [{"id": "s", "gen": epoch, "member": "a"} for epoch in (1, 2)]
    assert [event["mops"] for event in found] == [[], []]


def test_a_subscription_that_is_registered_is_one_and_moves_when_it_is_removed(
    broker: ScriptedPulsar, session: PulsarSession, probe: PulsarProbe
) -> None:
    """It is about the whole topic, without a consumer."""
    broker.admin_answers = [AdminAnswer(204), AdminAnswer(204)]
    value_of(probe.register_subscription(TOPIC, "s"))
    value_of(probe.unregister_subscription(TOPIC, "s"))

    ends = [event for event in session.history("run") if event["type"] == "ok" and event["f"] in ("subscribe", "seek")]

    assert [(event["f"], event["grp"], event["ctl"]) for event in ends] == [
        ("subscribe", {"id": "s"}, {"topic": TOPIC}),
        ("seek", {"id": "s"}, {"topic": TOPIC}),
    ]
