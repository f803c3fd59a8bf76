"""Layouts of scalable topics on a real Apache Pulsar 5.0.0-M1, seen by the probe: changes, watches, consumers, sealed segments, pruning.

The sealed segment that is to be pruned is made first, since that takes a minute; the rules are asked meanwhile.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from layout_laws import LAWS, Law, Scene, value

from fencepost.adapters.pulsar.pulsar_values import LayoutWatchHandle
from fencepost.adapters.pulsar.scalable_session import ScalableSession
from fencepost.adapters.pulsar.scalable_system import ScalableContainerSystem
from fencepost.contract.outcomes import Done, Unknown

IMAGE = "apachepulsar/pulsar:5.0.0-M1"
PRUNED_WITHIN_S = 100.0

pytestmark = pytest.mark.docker(IMAGE)


@dataclass
class ToBePruned:
    """A topic whose first segment was drained and sealed, and one whose first segment a subscription still needs."""

    drained: Scene
    needed: Scene
    watch: LayoutWatchHandle


@pytest.fixture(scope="module")
def session() -> Iterator[ScalableSession]:
    """One container for all of them."""
    system = ScalableContainerSystem(IMAGE)
    try:
        system.open()
        session = system.session("layouts")
        assert isinstance(session, ScalableSession)
        yield session
        session.close()
    finally:
        system.close()


@pytest.fixture(scope="module")
def to_be_pruned(session: ScalableSession) -> ToBePruned:
    """Made before the rules are asked."""
    drained, needed = Scene(session, "pruned"), Scene(session, "kept")
    watch = value(drained.probe.watch_layout(drained.topic))
    value(needed.probe.send(value(needed.probe.producer(needed.layout.active[0].topic)), "needed"))
    for scene in (drained, needed):
        value(scene.probe.split(scene.topic, 0))
    return ToBePruned(drained, needed, watch)


@pytest.mark.usefixtures("to_be_pruned")
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_law_of_layouts_holds(session: ScalableSession, law: Law) -> None:
    """On the real broker as on the reference."""
    law(session)


def test_a_sealed_segment_that_no_subscription_needs_is_pruned(to_be_pruned: ToBePruned) -> None:
    """Within a minute or so, which is pushed: the epoch is one more, and the children have no parent. A registered subscription's stays."""
    drained, needed = to_be_pruned.drained, to_be_pruned.needed

    pruned = drained.reported(to_be_pruned.watch, 2, PRUNED_WITHIN_S)

    assert [(one.number, one.parents) for one in pruned.segments] == [(1, ()), (2, ())]
    (sealed,) = needed.layout.sealed
    assert sealed.number == 0
    consumer = value(needed.probe.subscribe(sealed.topic, "s"))
    assert [message.value for message in value(needed.probe.receive_until(consumer, "needed"))] == ["needed"]


def test_the_history_reports_every_change(session: ScalableSession, to_be_pruned: ToBePruned) -> None:
    """The pruning with the segment that is gone."""
    reported = [event for event in session.history("run") if event["client"] == "controller" and event["type"] == "ok"]
    of_drained = [event for event in reported if event["ctl"]["topic"] == to_be_pruned.drained.topic]

    assert [event["f"] for event in of_drained] == ["create", "split", "prune"]
    assert {event["f"] for event in reported} == {"create", "split", "merge", "prune"}


def test_what_a_sealed_segment_is_sent_is_ignored_in_silence(session: ScalableSession) -> None:
    """Neither receipt nor error: as 5.0.0-M1 does it, the outcome is not known. A producer may be notified after the split."""
    scene = Scene(session, "silent")
    producer = value(scene.probe.producer(scene.layout.active[0].topic))
    assert isinstance(scene.probe.send(producer, "stored"), Done)
    value(scene.probe.split(scene.topic, 0))
    assert any(not scene.probe.open_producers(producer.topic) for _ in session.time.attempts())

    late = scene.probe.receipt(value(scene.probe.post(producer, "late", reopen=False)), within_s=1.0)

    assert isinstance(late, Unknown)
    assert not late.lost
