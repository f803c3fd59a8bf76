"""The containers that exist at each time, whatever scenarios need. The brokers are simulated; their threads are real."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_brokers import NEEDS, PaperBroker, PaperSession, PaperSystem, needs_for

from fencepost.adapters.common.line_up import MOST_CONTAINERS, Kind, LineUp
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.ports import Exchange

CONFIGURATIONS = st.sampled_from(["plain", *NEEDS])
ORDERS = st.lists(CONFIGURATIONS, max_size=25)


@pytest.fixture
def system() -> Iterator[PaperSystem]:
    """A system of simulated brokers."""
    system = PaperSystem()
    yield system
    system.close()


def opened(system: PaperSystem, planned: Sequence[str]) -> PaperSystem:
    """The system, open for scenarios on these configurations."""
    system.prepare()
    system.prepare(needs_for(planned))
    system.open()
    return system


@settings(deadline=None)
@given(planned=ORDERS, asked=ORDERS, follows_the_plan=st.booleans())
def test_there_are_never_more_than_five_containers_and_each_is_given_back(
    planned: list[str], asked: list[str], follows_the_plan: bool
) -> None:
    """In any order of scenarios, planned or not, each gets a serving broker with its configuration, and none waits for another."""
    system = opened(PaperSystem(), planned)

    configurations = []
    for configuration in planned if follows_the_plan else asked:
        session = system.session(configuration)
        configurations.append(session.broker.configuration)
        session.close()
    system.close()

    assert configurations == (planned if follows_the_plan else asked)
    assert 0 < system.host.most <= MOST_CONTAINERS
    assert system.host.now == 0


@settings(deadline=None)
@given(planned=st.lists(CONFIGURATIONS, min_size=1, max_size=25))
def test_who_follows_the_plan_has_each_broker_started_once(planned: list[str]) -> None:
    """In the order that the system prefers; a fresh broker once for each scenario."""
    system = opened(PaperSystem(), ordered := sorted(planned, key=lambda name: PaperSystem().turn(needs_for([name])[0])))

    for configuration in ordered:
        system.session(configuration).close()
    left = system.host.now
    system.close()

    started = [broker.configuration for broker in system.made if broker.was_started]
    assert sorted(started) == sorted([*({"plain", *planned} - {"fresh"}), *(["fresh"] * planned.count("fresh"))])
    assert left == 0


def test_a_broker_that_no_later_scenario_needs_goes_with_its_last_session(system: PaperSystem) -> None:
    """Not before: other sessions may share it, and later ones use it again."""
    opened(system, ["plain", "plain", "b"])

    one, other = system.session("plain"), system.session("plain")
    one.close()
    is_closed = [one.broker.is_closed]
    other.close()
    is_closed.append(one.broker.is_closed)

    assert one.broker is other.broker
    assert is_closed == [False, True]


def test_a_scenario_that_comes_later_than_was_planned_finds_its_broker(system: PaperSystem) -> None:
    """Scenarios run concurrently, so one that was planned before another may come after it."""
    opened(system, ["plain", "b", "b", "c"])
    system.session("plain").close()
    system.session("b").close()
    system.session("c").close()
    system.session("b").close()

    assert [broker.configuration for broker in system.made] == ["plain", "b", "c"]
    assert all(broker.is_closed for broker in system.made)


def test_each_scenario_on_a_fresh_configuration_gets_its_own_broker(system: PaperSystem) -> None:
    """It is released with the session; other brokers stay."""
    opened(system, ["plain", "fresh", "plain", "fresh", "plain"])

    sessions: list[PaperSession] = []
    for configuration in ("plain", "fresh", "plain", "fresh"):
        sessions.append(system.session(configuration))
        sessions[-1].close()

    assert [session.broker.sessions for session in sessions] == [2, 1, 2, 1]
    assert [session.broker.is_closed for session in sessions] == [False, True, False, True]


def test_scenarios_that_share_a_crash_share_a_fresh_broker(system: PaperSystem) -> None:
    """In any order, also if one ends before the next begins; the broker is released when all are over."""
    opened(system, ["plain", *["fresh"] * 5])
    brokers = {}

    with system.share("ab", NEEDS["fresh"]), system.share("cde", NEEDS["fresh"]):
        for title in "acdb":
            session = system.session("fresh", title)
            session.close()
            brokers[title] = session.broker
        are_there = [not brokers[title].is_closed for title in "ac"]

    assert (brokers["a"] is brokers["b"], brokers["c"] is brokers["d"], brokers["a"] is brokers["c"]) == (True, True, False)
    assert (are_there, [brokers[title].is_closed for title in "ac"]) == ([True, True], [True, True])


def test_scenarios_that_share_a_broker_have_no_other_started_ahead(system: PaperSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many they are; the next to start is for a scenario after them."""
    system.may_serve.clear()
    system.prepare(needs_for(["plain", *["fresh"] * 5, "b"]))
    make, made, is_ahead = system.make, list[str](), threading.Event()

    def noted(configuration: str, to_come: int, why: str) -> PaperBroker:
        made.append(configuration)
        system.may_serve.set()
        if len(made) == 2:
            is_ahead.set()
        return make(configuration, to_come, why)

    monkeypatch.setattr(system, "make", noted)

    with system.share("abcde", NEEDS["fresh"]):
        assert is_ahead.wait(20)

    assert made == ["fresh", "b"]


def test_a_broker_that_scenarios_share_stays_until_they_are_over(system: PaperSystem) -> None:
    """Also if it is not fresh, and no other scenario will come; without any session, it is released at once."""
    opened(system, ["plain"])

    with system.share("ab", NEEDS["b"]):
        first = system.session("b", "a")
        first.close()
        last = system.session("b", "b")
        last.close()
        is_there = not last.broker.is_closed
    with system.share("c", NEEDS["c"]):
        pass

    assert last.broker is first.broker
    assert (is_there, [broker.is_closed for broker in system.made]) == (True, [False, True, True])


def test_what_scenarios_share_begins_when_their_broker_serves(system: PaperSystem) -> None:
    """So no scenario's time includes the start."""
    opened(system, ["plain"])
    system.may_serve.clear()
    system.host.began.clear()
    began = threading.Event()

    def share() -> None:
        with system.share("ab", NEEDS["b"]):
            began.set()

    sharing = threading.Thread(target=share)
    sharing.start()
    assert system.host.began.wait(20)
    had_begun = began.is_set()

    system.may_serve.set()
    sharing.join(20)

    assert (had_begun, began.is_set()) == (False, True)


def test_an_idle_broker_that_is_needed_later_makes_room(system: PaperSystem) -> None:
    """The one that is needed latest goes; it starts again when it is needed."""
    opened(system, ["plain", "b", "c", "d", "e"] * 2)
    first = [system.session(name) for name in ("plain", "b", "c", "d", "e")]
    for session in first:
        session.close()

    asked_for_unplanned = system.session("two")
    asked_for_unplanned.close()
    again = system.session("e")
    again.close()

    assert [session.broker.is_closed for session in first] == [False, False, False, True, True]  # "e" was started again
    assert again.broker is not first[4].broker
    assert system.host.most == MOST_CONTAINERS


def test_sessions_that_are_open_keep_their_brokers(system: PaperSystem) -> None:
    """A session that needs a sixth container gets an error and does not wait for ever; afterwards there is room again."""
    opened(system, [])
    sessions = [system.session(name) for name in ("plain", "b", "c", "d", "e")]

    with pytest.raises(WrongUsage, match="5 containers of paper are in use by sessions that are open"):
        system.session("two")
    for session in sessions[:2]:
        session.close()
    system.session("two").close()

    assert [session.broker.is_closed for session in sessions] == [True, True, False, False, False]


def test_a_session_that_could_not_be_opened_gives_its_place_back(system: PaperSystem) -> None:
    """Otherwise scenarios that have ended would use up the places."""
    opened(system, [])

    def fail(_: object) -> PaperSession:
        raise ValueError("as it happens")

    for _ in range(MOST_CONTAINERS + 1):
        with pytest.raises(ValueError, match="as it happens"):
            system._session_on("", NEEDS["fresh"], fail)

    assert all(broker.is_closed for broker in system.made if broker.configuration == "fresh")


def test_closing_gives_back_what_is_still_starting(system: PaperSystem) -> None:
    """Also if it will never serve; a second close changes nothing, and afterwards no session can be opened."""
    system.may_serve.clear()
    system.prepare(needs_for(["plain", "b"]))
    assert system.host.began.wait(20)
    system.may_serve.set()

    system.close()
    system.close()

    assert system.host.now == 0
    with pytest.raises(WrongUsage, match="before open\\(\\), or after close"):
        system.session("plain")


def test_a_session_before_the_system_is_open_is_wrong_usage(system: PaperSystem) -> None:
    """It would wait for a broker that never starts."""
    with pytest.raises(WrongUsage, match="before open"):
        system.session("plain")


def test_what_is_being_started_is_reported_with_its_reason(system: PaperSystem) -> None:
    """The image, the configuration, the number of scenarios, and what it waits for; afterwards none is listed."""
    system.may_serve.clear()
    system.prepare(needs_for(["b", "b", "plain"]))
    assert system.host.began.wait(20)
    (reported,) = system.doing()
    system.may_serve.set()
    system.open()
    system.session("b").close()

    assert reported.what == "starting paper, configuration plain"
    assert reported.why == "1 scenario"
    assert reported.waits_for in ("paper", "its broker to serve transactions")
    assert [one.what for one in system.doing() if "plain" in one.what] == []


def test_what_comes_next_is_started_ahead() -> None:
    """In the order of need; one that does not fit waits, and none after it overtakes it."""
    line = LineUp({"a": Kind(), "b": Kind(), "c": Kind(), "two": Kind(containers=2), "d": Kind()})
    line.plan(["a", "b", "c", "two", "two", "d"])

    there: list[Standing] = []
    while (configuration := line.next_to_start(there)) is not None:
        there.append(Standing(configuration))

    assert [member.configuration for member in there] == ["a", "b", "c", "two"]
    assert line.held(there) == 5


class Standing:
    """A broker that exists and is not in use."""

    is_spent, is_idle = False, True

    def __init__(self, configuration: str) -> None:
        self.configuration = configuration


@pytest.mark.parametrize("configuration", ["plain", "b", "fresh"])
def test_a_broker_that_does_not_serve_again_is_replaced(system: PaperSystem, configuration: str) -> None:
    """Its containers go with its last session, the scenarios after it get another one, and after the fourth death none does."""
    opened(system, [configuration] * 7)

    first, with_it = system.session(configuration), system.session(configuration)
    first.broker.die()
    others = [system.session(configuration)]
    first.close()
    with_it.close()
    is_gone = first.broker.is_closed
    for _ in range(3):
        others[-1].broker.die()
        others[-1].close()
        with suppress(SetUpFailed):
            others.append(system.session(configuration))

    assert is_gone
    assert len({one.broker for one in (first, *others)}) == 4
    with pytest.raises(SetUpFailed, match=rf"^4 brokers of paper, configuration {configuration}, did not serve again .*ended before"):
        system.session(configuration)
    system.close()
    assert system.host.now == 0


def test_a_scenario_for_which_a_broker_does_not_come_back_gets_another_one(system: PaperSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """It did not bring it down: an earlier one left it so."""
    opened(system, ["plain", "plain"])
    left_down = system.session("plain")
    left_down.broker.containers.is_broken = True
    left_down.broker.sessions = 0
    session_of = PaperBroker.session

    def restarted(broker: PaperBroker) -> PaperSession:
        if not broker.containers.is_running():
            broker.restart()
        return session_of(broker)

    monkeypatch.setattr(PaperBroker, "session", restarted)

    assert system.session("plain").broker is not left_down.broker
    left_down.close()


def test_scenarios_whose_shared_broker_died_get_another_one(system: PaperSystem) -> None:
    """Also while the block lasts in which they were to share it."""
    opened(system, ["plain", *["b"] * 3])

    with system.share("ac", NEEDS["b"]):
        first = system.session("b", "a")
        first.broker.die()
        first.close()
        second = system.session("b", "c")
        second.close()

    assert second.broker is not first.broker
    assert first.broker.is_closed


def _talks(system: PaperSystem, *answered: bool) -> list[PaperBroker]:
    """The brokers of sessions, one after the other, whose last request was answered or not."""
    brokers = []
    for is_answered in answered:
        session = system.session("plain")
        session.said = [Exchange("A", "node", "Send", {}, {} if is_answered else None, None, 0, 0)]
        session.close()
        brokers.append(session.broker)
    return brokers


def test_a_broker_that_answers_none_of_several_scenarios_is_replaced(system: PaperSystem) -> None:
    """The next scenario gets another one; one answer in between keeps it."""
    opened(system, ["plain"] * 12)

    *kept, last = _talks(system, *[False] * 3, True, *[False] * 4)
    other = _talks(system, True)[0]

    assert {one is last for one in kept} == {True}
    assert other is not last
    assert last.is_closed
    assert "did not answer the last request of 4 scenarios" in str(last.died)
