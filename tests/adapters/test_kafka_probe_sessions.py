"""Sessions: their time, their names, and the reference as a system."""

import time

import pytest

from fencepost.adapters import registry
from fencepost.adapters.common.time import WallTime
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.errors import WrongUsage
from fencepost.contract.outcomes import Done, Unknown
from fencepost.contract.registration import SpecifiedSystem


@pytest.fixture
def reference() -> ReferenceSystem:
    system = ReferenceSystem("kafka-4.3")
    system.open()
    return system


def test_there_is_always_one_attempt() -> None:
    """Without patience there is still one attempt."""
    assert list(WallTime(patience_s=10.0).attempts(patience=0)) == [1]


def test_attempts_end_with_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short it is, the pauses fit into it."""
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: clock.append(clock.pop() + seconds))

    assert len(list(WallTime(patience_s=0.02).attempts())) == 3
    assert clock[0] <= 0.02


def test_virtual_patience_takes_no_time_but_the_clocks(reference: ReferenceSystem) -> None:
    """Waiting for a minute moves the clock by a minute, at first in small steps, and records have its timestamps."""
    session = reference.session("waiting")
    probe = session.client("waiter")
    probe.init_producer_id(session.unique("writer"))

    tries = len(list(session.time.attempts(60)))
    probe.init_producer_id(session.unique("writer"))
    exchanges = session.exchanges()

    assert tries == 1 + 10 + 598
    assert exchanges[-1].at_ms - exchanges[-2].at_ms == 60_000


def test_the_reference_says_what_it_is(reference: ReferenceSystem) -> None:
    """With the profile of a release it has the deviations of that release, and the reason; the text has none."""
    imitating, text = reference.open(), ReferenceSystem("seed").open()

    assert imitating.judged_as == ("kafka", "4.3.1")
    assert imitating.deviations == "the bundled deviations of kafka 4.3.1 hold: the profile kafka-4.3 imitates that release"
    assert (text.judged_as, text.deviations) == (None, None)
    assert (imitating.profile, text.profile) == ("kafka-4.3", "seed")
    assert {"transactions-v2", "crash", "virtual-time"} <= imitating.capabilities
    assert text.version_is_exact


def test_sessions_of_the_reference_share_nothing(reference: ReferenceSystem) -> None:
    """Each has its own broker: a crash in one does not affect the other."""
    one, other = reference.session("one"), reference.session("other")

    one.faults.crash()
    crashed = one.client("writer").init_producer_id("writer")
    running = other.client("writer").init_producer_id("writer")
    one.faults.restart()
    restarted = one.client("writer").init_producer_id("writer")

    assert isinstance(crashed, Unknown)
    assert crashed.lost
    assert isinstance(running, Done)
    assert isinstance(restarted, Done)


def test_names_in_the_reference_are_the_same_in_every_run(reference: ReferenceSystem) -> None:
    """They come from the scenario's title, so that two runs can be compared."""
    assert reference.session("one").unique("payments") == reference.session("one").unique("payments")
    assert reference.session("one").unique("payments") != reference.session("other").unique("payments")


def test_what_the_reference_does_not_have_is_wrong_usage() -> None:
    """The error names the nearest known name."""
    with pytest.raises(WrongUsage, match=r"unknown profile 'kafka-3\.9'; did you mean kafka-4\.0\?"):
        registry.build("reference", SpecifiedSystem(profile="kafka-3.9"))
    with pytest.raises(WrongUsage, match="unknown defect 'none of ours'; known: "):
        registry.build("reference", SpecifiedSystem({"defect": "none of ours"}))
    with pytest.raises(WrongUsage, match=r"before open\(\)"):
        ReferenceSystem().session("too early")
