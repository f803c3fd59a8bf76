"""Concurrent scenarios: which may run together, what they share, and what is reported of one that is red in company."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager

import pytest

from fencepost.adapters.common.time import WallTime
from fencepost.contract import register
from fencepost.contract.brokers import Where
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.played import Played
from fencepost.contract.shared_crashes import SharedCrashes
from fencepost.contract.waiting import LASTS_S, Lasting
from fencepost.run.concurrency import Company, Concurrency, Wave, script, waves
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.options import RunOptions
from fencepost.run.plays import Play, plays_of
from fencepost.run.selection import Selection
from fencepost.steps.player import player_of
from fencepost.steps.sentence import takes_minutes

ONE = Where("one")
RED = ValueError("red")


def plays(*requirements: str, protocol: str = "kafka") -> list[Play]:
    """The plays of these requirements under a protocol."""
    rows = register.bundled()
    options = RunOptions(selection=Selection(only=requirements)).about_system(rows)
    found = plays_of(rows, options.selection, JudgedSystems(options, rows).protocols)
    return [play for play in found if play.protocol == protocol]


ORDINARY = plays("KIP890-060", "KIP890-061")
CRASHING = [play for play in plays("KIP890-163", "CORE-24") if play.needs == {"crash"}]
PAUSING = [play for play in plays("KIP890-340") if play.needs == {"two-nodes", "clean-stop"}]


def names(found: list[Wave]) -> list[tuple[int, bool]]:
    return [(len(wave.plays), wave.shares) for wave in found]


def test_scenarios_that_crash_in_the_same_way_share_it_and_ordinary_ones_come_side_by_side() -> None:
    """However many there are; what pauses a node is asked alone."""
    assert len(CRASHING) > 2
    assert PAUSING

    found = list(waves([*ORDINARY, *PAUSING[:1], *CRASHING[:3]], ONE))

    assert [(wave.plays, wave.shares) for wave in found] == [
        ((PAUSING[0],), True),
        (tuple(CRASHING[:3]), True),
        (tuple(ORDINARY), False),
    ]


def test_one_stop_shares_the_first_of_two() -> None:
    """A scenario with one stop is over when the second comes; where the second is a crash, it is not shared with another stop."""
    once, twice = plays("KIP890-268"), plays("KIP890-216")
    assert [script(play, ONE) for play in twice] == [("stop", "stop")] * 2 + [("stop", "crash")]

    found = [wave.plays for wave in waves([*once, *twice], ONE)]

    assert found == [(*twice[:2], *once), (twice[2],)]


def test_what_lets_minutes_pass_shares_no_crash_with_what_would_time_out_meanwhile() -> None:
    """It shares its own with others of its kind."""
    quick, slow = (
        [play for play in plays(row, protocol="pulsar-scalable") if play.needs == {"crash"}] for row in ("PIP460-39", "PIP460-38")
    )
    assert {script(play, ONE) for play in quick} == {("crash",)}
    assert {script(play, ONE) for play in slow} == {("minutes", "crash")}

    found = [wave.plays for wave in waves([*quick, *slow, *slow], ONE)]

    assert found == [tuple(quick), (*slow, *slow)]


def test_what_unloads_all_that_a_broker_has_is_asked_alone() -> None:
    """Where one log can be unloaded alone, no other scenario notices."""
    unloading = plays("PIP471-25", protocol="pulsar-scalable")[:2]

    each, together = (list(waves(unloading, where)) for where in (Where(unloads_all=True), ONE))

    assert names(each) == [(1, True), (1, True)]
    assert names(together) == [(2, False)]


def played(
    some: list[Play],
    act: Callable[[Play, SharedCrashes | None], Played],
    is_red: Callable[[Play, Played], bool] = lambda _, found: found.error is not None,
) -> tuple[list[Company], Concurrency]:
    concurrency = Concurrency(some, lambda _: ONE, 2, act, is_red)
    found = [concurrency.of(play) for play in some]
    concurrency.close()
    return found, concurrency


def test_as_many_as_allowed_are_in_flight_at_once() -> None:
    """Each of two waits until the other has begun, which it would do for ever if they came one after the other."""
    met = threading.Barrier(2)

    found, _ = played(ORDINARY[:2], lambda *_: (met.wait(60), Played())[1])

    assert [one.scenarios for one in found] == [2, 2]


def long_and_short() -> tuple[Play, GherkinStep, Play]:
    """A scenario with the step in which it lets minutes pass, and an ordinary one."""
    player = player_of("pip460")
    slow, passes = next(
        (play, step)
        for play in plays("PIP460-37", protocol="pulsar-scalable")
        for step in play.steps
        if player.is_marked(step, takes_minutes)
    )
    return slow, passes, plays("PIP460-01", protocol="pulsar-scalable")[0]


def test_a_scenario_that_lets_minutes_pass_leaves_its_place_meanwhile() -> None:
    """With one place, another scenario begins and ends in between."""
    slow, passes, quick = long_and_short()
    ended, order = threading.Event(), []

    def act(play: Play, _: SharedCrashes | None, __: float | None = None) -> Played:
        if play is slow:
            concurrency.at(play, passes)
            assert ended.wait(60)
            concurrency.at(play, play.steps[0])
        order.append(play)
        ended.set()
        return Played()

    made = threading.Event()
    concurrency = Concurrency([slow, quick], lambda _: ONE, 1, lambda *of: (made.wait(60), act(*of))[1], lambda *_: False)
    made.set()

    assert [concurrency.of(play).scenarios for play in (slow, quick)] == [1, 1]
    assert order == [quick, slow]


def test_a_scenario_goes_on_at_once_after_minutes() -> None:
    """Also where the only place is that of another one, which may wait until this one is over."""
    slow, passes, quick = long_and_short()
    began, is_over, waited = threading.Event(), threading.Event(), []

    def act(play: Play, _: SharedCrashes | None, __: float | None = None) -> Played:
        if play is slow:
            concurrency.at(play, passes)
            assert began.wait(60)
            concurrency.at(play, play.steps[0])
            is_over.set()
        else:
            began.set()
            waited.append(is_over.wait(20))
        return Played()

    made = threading.Event()
    concurrency = Concurrency([slow, quick], lambda _: ONE, 1, lambda *of: (made.wait(60), act(*of))[1], lambda *_: False)
    made.set()

    assert [concurrency.of(play).scenarios for play in (slow, quick)] == [1, 1]
    assert waited == [True]


def test_two_brokers_are_asked_at_the_same_time() -> None:
    """Each of two scenarios waits until the other has begun, on a separate broker; what crashes one broker is not shared with another."""
    met, killed = threading.Barrier(2), []

    def act(play: Play, crashes: SharedCrashes | None, __: float | None = None) -> Played:
        assert crashes is not None
        met.wait(60)
        crashes.together("crash", lambda: killed.append(play))
        return Played()

    concurrency = Concurrency(CRASHING[:2], lambda play: Where(play.run), 2, act, lambda *_: False)
    found = [concurrency.of(play) for play in CRASHING[:2]]

    assert [one.scenarios for one in found] == [1, 1]
    assert sorted(killed, key=lambda play: play.run) == CRASHING[:2]


def test_one_kill_serves_all_that_share_it() -> None:
    """And it is counted once."""
    killed = []

    def act(_: Play, crashes: SharedCrashes | None, __: float | None = None) -> Played:
        assert crashes is not None
        crashes.together("crash", lambda: killed.append(True))
        return Played()

    _, concurrency = played(CRASHING[:2], act)

    assert (killed, concurrency.kills) == ([True], 1)


def test_a_scenario_that_is_red_in_company_is_played_once_more_alone() -> None:
    """What it shows when played alone is reported next to what it showed before; one that is green is not played again."""
    first = ORDINARY[0]
    counts: dict[str, int] = {}

    def act(play: Play, _: SharedCrashes | None, __: float | None = None) -> Played:
        counts[play.run] = counts.get(play.run, 0) + 1
        return Played(error=RED if play is first and counts[play.run] == 1 else None)

    (red, green), _ = played(ORDINARY[:2], act)

    assert (red.played.error, red.alone) == (RED, Played(error=None, evidence=red.alone.evidence if red.alone else red.played.evidence))
    assert green.alone is None
    assert counts == {first.run: 2, ORDINARY[1].run: 1}


def test_who_waits_for_a_scenario_that_is_played_alone_holds_no_place() -> None:
    """Another broker's scenario, which comes meanwhile, gets one."""
    red, *waiting, elsewhere = ORDINARY
    is_alone, is_over, met = threading.Event(), threading.Event(), list[bool]()

    def act(play: Play, *_: object) -> Played:
        if play is elsewhere:
            is_over.set()
        if play is red and red in begun:
            is_alone.set()
            met.append(is_over.wait(20))
        begun.append(play)
        return Played(error=RED if play is red else None)

    @contextmanager
    def shares(some: Sequence[Play]) -> Iterator[None]:
        if elsewhere in some:
            is_alone.wait(60)
        yield

    begun = list[Play]()
    concurrency = Concurrency(
        [red, *waiting, elsewhere],
        lambda play: Where("two") if play is elsewhere else ONE,
        2,
        act,
        lambda play, _: play is red,
        shares,
    )
    concurrency.of(red, 60)
    concurrency.close()

    assert met == [True]


def test_scenarios_whose_common_crash_broke_the_broker_are_judged_by_themselves() -> None:
    """One of them may have left it unusable for the others, so what they showed together says nothing."""

    def act(_: Play, crashes: SharedCrashes | None, __: float | None = None) -> Played:
        if crashes is None:
            return Played()
        try:
            crashes.together("restart", lambda: (_ for _ in ()).throw(RED))  # type: ignore[attr-defined]  # it raises
        except ValueError as error:
            return Played(error=error)
        return Played()

    found, _ = played(CRASHING[:2], act)

    assert [(one.played.error, one.alone, one.broke_up) for one in found] == [(None, None, "red")] * 2


@pytest.mark.parametrize(("two", "company"), [(ORDINARY[:2], 1), (CRASHING[:2], 2)], ids=["side by side", "sharing a crash"])
def test_nothing_is_begun_after_a_stop(two: list[Play], company: int) -> None:
    """Running scenarios are waited for, and the others are reported as not played."""
    seen: list[Play] = []
    made, begun = threading.Event(), threading.Event()

    def act(play: Play, _: SharedCrashes | None, __: float | None = None) -> Played:
        made.wait(60)
        concurrency.stop()
        seen.append(play)
        begun.set()
        return Played()

    concurrency = Concurrency(two, lambda _: ONE, 1, act, lambda *_: False)
    made.set()
    assert begun.wait(60)
    concurrency.close()

    assert len(seen) == 1
    assert concurrency.of(seen[0]).scenarios == company
    with pytest.raises(CancelledError):
        concurrency.of(next(play for play in two if play is not seen[0]))


@pytest.mark.parametrize("two", [ORDINARY[:2], CRASHING[:2]], ids=["side by side", "sharing a crash"])
def test_nothing_is_played_again_after_a_stop(two: list[Play]) -> None:
    """A system that has gone away keeps each scenario waiting, so its reds are not looked at once more."""
    seen: list[Play] = []
    made, met = threading.Event(), threading.Barrier(2)

    def act(play: Play, _: SharedCrashes | None, __: float | None = None) -> Played:
        made.wait(60)
        met.wait(60)
        concurrency.stop()
        seen.append(play)
        return Played(error=RED)

    concurrency = Concurrency(two, lambda _: ONE, 2, act, lambda *_: True)
    made.set()

    assert [concurrency.of(play).alone for play in two] == [None, None]
    assert len(seen) == 2


def played_in_vain(seconds: float) -> Played:
    """A red scenario in which a wait of so many seconds was in vain."""
    time = WallTime(seconds)
    time.waited.note(seconds, in_vain=True)
    session = type("Session", (), {"time": time})()
    return Played(error=RED, session=session)  # type: ignore[arg-type]  # all that is asked of it is its time


def test_a_scenario_that_waits_for_long_has_no_place_meanwhile() -> None:
    """With one place, another scenario is played to its end while the first one waits, and is played again alone during that wait."""
    waits, other = ORDINARY[:2]
    order: list[str] = []
    others_are_over = threading.Event()

    def act(play: Play, _: SharedCrashes | None, __: float | None = None) -> Played:
        order.append("waits" if play is waits else "other")
        if play is waits:
            lasting = Lasting()
            lasting.after(LASTS_S)
            assert others_are_over.wait(60)
            lasting.end()
            return Played()
        if order.count("other") == 2:
            others_are_over.set()
        return Played(error=RED)

    concurrency = Concurrency([waits, other, *ORDINARY[2:3]], lambda _: ONE, 2, act, lambda play, _: play is other)

    assert [concurrency.of(play).alone is not None for play in (waits, other)] == [False, True]
    assert order[:3].count("other") >= 1


def test_a_wait_in_vain_is_shorter_when_the_scenario_is_played_again() -> None:
    """It ends a little after the longest wait of the run that was not in vain; one without such a wait has the run's patience."""
    first, second = ORDINARY[:2]
    patiences: dict[str, list[float | None]] = {}

    def act(play: Play, _: SharedCrashes | None, patience_s: float | None = None) -> Played:
        patiences.setdefault(play.run, []).append(patience_s)
        return played_in_vain(20.0) if play is first else Played(error=RED)

    found, _ = played([first, second], act)

    assert patiences == {first.run: [None, 2.0], second.run: [None, None]}
    assert [one.patience_s for one in found] == [2.0, None]
