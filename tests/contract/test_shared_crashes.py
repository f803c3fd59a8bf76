"""Crashes that several scenarios share: one for all, when the last of them has reached it, and right after what they did before it."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from fencepost.contract.fair_places import FairPlaces
from fencepost.contract.shared_crashes import SharedCrashes, gather


def together(*scenarios: Callable[[], None], crashes: SharedCrashes) -> None:
    """Run each in a separate thread, until all have ended."""

    def one(act: Callable[[], None]) -> None:
        crashes.come()
        try:
            act()
        finally:
            crashes.leave()

    threads = [threading.Thread(target=one, args=(act,)) for act in scenarios]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_one_crash_serves_all_that_come_to_it() -> None:
    """No scenario continues before it, and it happens once, whichever comes last."""
    crashes, seen = SharedCrashes(3, FairPlaces(8)), []

    def scenario(name: str) -> None:
        seen.append(f"{name} writes")
        crashes.together("crash", lambda: seen.append("crash"))
        crashes.together("restart", lambda: seen.append("restart"))
        seen.append(f"{name} reads")

    together(*(lambda name=name: scenario(name) for name in "abc"), crashes=crashes)  # type: ignore[misc]  # the name of its own turn

    assert [sorted(seen[:3]), seen[3:5], sorted(seen[5:])] == [
        ["a writes", "b writes", "c writes"],
        ["crash", "restart"],
        ["a reads", "b reads", "c reads"],
    ]
    assert (crashes.kills, crashes.broken) == (1, None)


def test_few_are_busy_at_a_time_however_many_share_a_crash() -> None:
    """A scenario that waits for the crash leaves its place to another, and takes it again when the broker is back. Those that act
    right before the crash, or while the broker starts, do so at the same moment.
    """
    crashes, busy, most = SharedCrashes(3, FairPlaces(1)), Counter[str](), Counter[str]()
    at_once = {"before": threading.Barrier(3), "while it starts": threading.Barrier(3)}

    def is_busy(when: str) -> None:
        busy[when] += 1
        most[when] = max(most[when], busy[when])
        if when in at_once:
            at_once[when].wait(60)
        busy[when] -= 1

    def scenario() -> None:
        is_busy("at the beginning")
        crashes.gather()
        is_busy("before")
        crashes.together("crash", lambda: None)
        crashes.together("start", lambda: None)
        is_busy("while it starts")
        crashes.together("restart", lambda: None)
        is_busy("at the end")

    together(scenario, scenario, scenario, crashes=crashes)

    assert most["at the beginning"] == most["at the end"] == 1


def test_what_a_crash_follows_at_once_waits_for_those_that_are_on_their_way() -> None:
    """The one that acts right before the crash does so when the other has reached the crash, and not before."""
    crashes, seen = SharedCrashes(2, FairPlaces(8)), []
    is_slow = threading.Event()

    def acts() -> None:
        is_slow.set()
        crashes.gather()
        seen.append("commit")
        crashes.together("crash", lambda: seen.append("crash"))

    def rests() -> None:
        assert is_slow.wait(60)
        seen.append("set up")
        crashes.together("crash", lambda: seen.append("crash"))

    together(acts, rests, crashes=crashes)

    assert seen == ["set up", "commit", "crash"]


def test_a_scenario_that_ends_before_the_crash_is_waited_for_no_more() -> None:
    """Such as one whose Given was refused."""
    crashes, seen = SharedCrashes(2, FairPlaces(8)), []

    together(lambda: None, lambda: crashes.together("stop", lambda: seen.append("stop")), crashes=crashes)

    assert (seen, crashes.kills) == (["stop"], 1)


def test_a_crash_of_one_alone_comes_when_the_others_are_over() -> None:
    """A scenario that crashes a second time disturbs no scenario that still runs."""
    crashes, seen = SharedCrashes(2, FairPlaces(8)), []

    def twice() -> None:
        for _ in range(2):
            crashes.together("crash", lambda: seen.append("crash"))

    def once() -> None:
        crashes.together("crash", lambda: seen.append("crash"))
        seen.append("read")

    together(twice, once, crashes=crashes)

    assert (seen, crashes.kills) == (["crash", "read", "crash"], 2)


def test_a_broker_that_does_not_restart_is_an_error_for_each_scenario() -> None:
    """Each of them gets the error, and so does a scenario that comes later."""
    crashes, heard = SharedCrashes(2, FairPlaces(8)), []

    def fails() -> None:
        raise RuntimeError("it does not serve")

    def scenario() -> None:
        with pytest.raises(RuntimeError):
            crashes.together("restart", fails)
        heard.append(True)

    together(scenario, scenario, crashes=crashes)

    assert (heard, str(crashes.broken)) == ([True, True], "it does not serve")


def test_a_session_that_shares_nothing_does_not_wait() -> None:
    """Also that of another package's system, which does not support sharing."""
    seen: Sequence[object] = [gather(object()), gather(None)]

    assert seen == [None, None]
