"""A system in containers that fencepost runs: few at once, started while scenarios are judged, removed however the run ends.

A thread starts brokers one after another, in the order of `LineUp`: the one for scenarios without special needs first, so that others start
while that one is judged. A broker that no later scenario needs is released when its last session closes, and makes room for the next one. A
scenario waits for its broker; if there is no room for the broker, idle ones that are needed later are released first, and start again when
they are needed. The scenario's own thread never waits for room.
"""

import atexit
import contextlib
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from fencepost.contract.brokers import BROKERS_AT_ONCE, MOST_AT_ONCE, Brokers, ScheduledScenario, Started, Where
from fencepost.contract.errors import NotOffered, SystemUnreachable, WrongUsage
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.ports import Exchange, Image
from fencepost.contract.progress import Activity, Board

from .broker_place import B, BrokerPlace
from .configurations import BrokerConfiguration, BrokerSettings
from .costs import costs
from .dealing import deal
from .genuine import ImageName
from .line_up import MOST_BESIDE_OTHERS, MOST_CONTAINERS, Kind, LineUp
from .node_logs import Closing
from .rehearsal import rehearse

HANDSHAKE = "the handshake"
"""Why the default broker is started if no scenario needs it."""
_CLOSED_WITHIN_S = 60.0
_MOST_DEATHS = 4
"""After so many brokers with one configuration that did not serve again after they had been down, no other is started. A scenario that such
a broker does not survive costs three: in a batch with others, by itself, and once more to see whether it is red alone.
"""
_MOST_IN_VAIN = 4
"""A broker is given up after so many scenarios, one after the other, whose last request it did not answer. Its threads may be in a
deadlock, and every scenario would wait for all of its patience.
"""


class LoggedSession(Closing, Protocol):
    """A session, with the log of its broker."""

    broker_log: Callable[[], str] | None

    def exchanges(self) -> Sequence[Exchange]:
        """All exchanges so far."""
        ...


S = TypeVar("S", bound=LoggedSession)


class ContainerSystem(ABC, Generic[B]):
    """Brokers of an image, each with a configuration of `fixtures/brokers.yaml`."""

    protocol: str
    most_at_once = MOST_AT_ONCE

    def __init__(self, image: str, patience_s: float, settings: BrokerSettings[Any]) -> None:
        self._image = image
        self._reported = f"the container of {image}"
        self._patience_s = patience_s
        self._settings = settings
        self._board = Board()
        self._line = self._new_line()
        self._why: dict[str, str] = {}
        self._places: list[BrokerPlace[B]] = []
        """The brokers that hold containers, and those that wait for room."""
        self._changed = threading.Condition()
        self._shared: dict[str, BrokerPlace[B]] = {}
        """By the titles of sessions."""
        self._deaths: dict[str, list[str]] = {}
        """Why brokers did not serve again, by configuration."""
        self._starter: threading.Thread | None = None
        self._is_open = False
        self._closed = False

    def image(self) -> Image | None:
        """What the brokers are started from, by the name that the user gave and the digest that Docker knows; None if it is no image."""
        from .containers import digest_of

        image = ImageName.of(self._image)
        is_official = self._settings.project_of(self.protocol).is_official(image)
        return Image(self._image, digest_of(self._image), None if is_official else image.reported)

    def _new_line(self) -> LineUp:
        kinds = {name: kind_of(configuration) for name, configuration in self._settings.configurations.items()}
        # Brokers that are judged at the same time must all have room, even if each has several nodes.
        largest = sorted(kind.containers for kind in kinds.values())[-BROKERS_AT_ONCE:]
        return LineUp(kinds, max(MOST_CONTAINERS, sum(largest)))

    @abstractmethod
    def make(self, configuration: str, to_come: int, why: str) -> B:
        """A broker that has not been started; `to_come` scenarios are expected to use it, and `why` is the reason as text."""

    # --- what a run asks of a system ------------------------------------------------------------------------------------

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """Begin to start the default broker, and the brokers for scenarios with these needs, which come in this order."""
        default = self._settings.default_configuration
        with self._changed:
            if needs:
                self._why = _reasons(self._settings, needs)
                self._line.plan([name for need in needs for name in self._settings.configurations_for([need])])
            self._find_or_add(default, HANDSHAKE)
            self._changed.notify_all()

    def turn(self, needs: Collection[str]) -> int:
        """The best order of scenarios: those with a lower number first."""
        return self._settings.turn(needs, several=self.most_at_once > 1)

    def where(self, needs: Collection[str]) -> Where:
        """The broker for these needs; the default one if no configuration offers them all."""
        names = self._settings.configurations_for([needs])
        name = names[0] if names else self._settings.default_configuration
        return Where(name, self._settings.configuration(name).fresh)

    @contextlib.contextmanager
    def share(self, titles: Collection[str], needs: Collection[str]) -> Iterator[None]:
        """In the block, sessions with these titles get one broker, even if it is fresh. The block begins when it serves, or never will."""
        held: BrokerPlace[B] | None = None
        with contextlib.suppress(NotOffered, SetUpFailed, SystemUnreachable, WrongUsage):  # the sessions report the reason
            with self._changed:
                place = self._find_or_add(self._settings.configuration_for(needs))
                for _ in titles:  # at once, so that no fresh broker is started ahead for any of them
                    self._line.take(place.configuration)
                going = self._hold(place)
                held = place
                self._shared.update(dict.fromkeys(titles, place))
            self._give_back(going)
            place.broker.offer  # noqa: B018 - waits for the offer
        try:
            yield
        finally:
            if held is not None:
                with self._changed:
                    for title in titles:
                        self._shared.pop(title, None)
                    held.is_spent = held.is_taken
                self._leave(held)

    def share_machine(self, workers: int) -> None:  # noqa: ARG002 - each holds few, however many there are
        """Hold fewer containers, since other processes hold some too, and judge one scenario at a time."""
        self._line.most, self.most_at_once = MOST_BESIDE_OTHERS, 1

    def deal(self, scenarios: Sequence[ScheduledScenario], workers: int) -> list[int]:
        """The number of the process that judges each of these scenarios."""
        takes, default = costs()[self.protocol], self._settings.default_configuration
        asked = [((*self._settings.configurations_for([one.needs]), default)[0], takes.seconds(one)) for one in scenarios]
        return deal(asked, default, self._line.kinds, {name: one.start_s for name, one in takes.configurations.items()}, workers)

    def may_offer(self) -> frozenset[str]:
        """The capabilities of the configurations; a protocol's system adds what releases offer."""
        return self._settings.capabilities

    def brokers(self, scenarios: Sequence[ScheduledScenario]) -> Brokers:
        """The brokers that a run of these scenarios, in this order, would start, and what it would take. Starts nothing."""
        default = self._settings.default_configuration
        asked = [(name, scenario) for scenario in scenarios for name in self._settings.configurations_for([scenario.needs])]
        line = self._new_line()
        line.most = self._line.most
        found = rehearse(line, default, asked, costs()[self.protocol], self.most_at_once)
        used = Counter(name for name, _ in asked)
        why = _reasons(self._settings, [scenario.needs for scenario in scenarios])
        started = (
            Started(name, why.get(name, HANDSHAKE), used[name], found.started[name], self._line.kinds[name].containers)
            for name in self._settings.configurations
            if found.started[name]
        )
        return Brokers(self._image, tuple(started), found.containers, found.memory_mb, found.seconds)

    def doing(self) -> Sequence[Activity]:
        """The brokers that are being started, and why."""
        return self._board.now()

    def close(self) -> None:
        """Remove the containers, now or as soon as they have been started."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            brokers = [place.broker for place in self._places]
            self._changed.notify_all()
        if self._starter is None:
            return
        atexit.unregister(self.close)
        for broker in brokers:
            broker.close()
        self._starter.join(_CLOSED_WITHIN_S)

    # --- for the systems of a protocol ----------------------------------------------------------------------------------

    def _default_broker(self) -> B:
        """The broker of every scenario without special needs, perhaps still starting."""
        with self._changed:
            return self._find_or_add(self._settings.default_configuration).broker

    def _session_on(self, title: str, needs: frozenset[str], open_session: Callable[[B], S]) -> S:
        """A session on the broker for these needs, which is released with its last session; on another one, if a broker that an earlier
        scenario left down does not serve again. Raises NotOffered, SystemUnreachable, and SetUpFailed if that has happened too often.
        """
        self._check_open()
        place = self._take(self._settings.configuration_for(needs), title)
        try:
            session = open_session(place.broker)
        except BaseException as error:
            self._leave(place)
            if isinstance(error, SetUpFailed) and place.is_dead:
                return self._session_on(title, needs, open_session)
            raise
        session.on_close(partial(self._leave, place, session))
        session.broker_log = place.broker.log_during(session)
        return session

    def _check_open(self) -> None:
        if not self._is_open or self._closed:
            raise WrongUsage(f"a session with {self._reported} was requested before open(), or after close()")

    # --- places ---------------------------------------------------------------------------------------------------------

    def _take(self, configuration: str, title: str) -> BrokerPlace[B]:
        """The place of a scenario's broker; releases brokers that are no longer needed, or for which there is no room next to it."""
        with self._changed:
            self._give_up_the_dead()
            if (place := self._shared.get(title)) is None or place.is_dead:
                self._shared.pop(title, None)
                place = self._find_or_add(configuration)
                self._line.take(configuration)
            going = self._hold(place)
            place.is_spent = place.is_taken and title not in self._shared
        self._give_back(going)
        return place

    def _hold(self, place: BrokerPlace[B]) -> list[BrokerPlace[B]]:
        """One more session, or group of sessions, uses this broker; returns those that must go: superfluous ones, or to make room."""
        place.sessions += 1
        place.is_taken = self._line.kinds[place.configuration].fresh
        going = self._line.not_needed(self._places)
        if not place.begun:
            going += self._making_room(place, going)
        self._changed.notify_all()
        return self._leaving(going)

    def _making_room(self, place: BrokerPlace[B], going: list[BrokerPlace[B]]) -> list[BrokerPlace[B]]:
        others = [one for one in self._places if one is not place and one.begun and one not in going and not one.leaving]
        victims = self._line.to_give_back(others, place.configuration)
        if victims is None:
            self._places.remove(place)
            raise WrongUsage(
                f"{self._line.held(others)} containers of {self._image} are in use by sessions that are open, of {self._line.most} "
                f"that may be there at once: no broker with configuration {place.configuration} can be started; close a session first"
            )
        return victims

    def _leave(self, place: BrokerPlace[B], session: LoggedSession | None = None) -> None:
        """A session has closed, or could not be opened."""
        said = session.exchanges()[-1:] if session is not None else ()
        with self._changed:
            if said:
                place.in_vain = 0 if said[0].answer is not None else place.in_vain + 1
            if place.in_vain == _MOST_IN_VAIN:
                place.broker.give_up(f"it did not answer the last request of {_MOST_IN_VAIN} scenarios, one after the other")
            self._give_up_the_dead()
            place.sessions -= 1
            going = [] if self._closed else self._leaving(self._line.not_needed([place]))
        self._give_back(going)

    def _give_up_the_dead(self) -> None:
        """Brokers that will never serve again get no more sessions; after several with one configuration, no other one is started."""
        for place in self._places:
            if place.broker.died is not None and not place.is_dead:
                place.is_dead = place.is_spent = place.is_taken = True
                deaths = self._deaths.setdefault(place.configuration, [])
                deaths.append(place.broker.died)
                if len(deaths) == _MOST_DEATHS:
                    self._line.forget(place.configuration)

    @staticmethod
    def _leaving(going: list[BrokerPlace[B]]) -> list[BrokerPlace[B]]:
        """Note that these get no more sessions; they are released outside the lock."""
        for one in going:
            one.leaving = True
        return going

    def _give_back(self, going: list[BrokerPlace[B]]) -> None:
        """Remove these brokers' containers; a broker that is just starting frees its place when its start has ended."""
        for place in going:
            place.broker.close()
            with self._changed:
                place.is_closed = True
                if not place.starting:
                    self._places.remove(place)
                self._changed.notify_all()

    def _find_or_add(self, configuration: str, why: str = "") -> BrokerPlace[B]:
        """The broker of the next session with that configuration; it is started when it is first needed.

        Raises SetUpFailed if several have died.
        """
        if len(deaths := self._deaths.get(configuration, [])) >= _MOST_DEATHS:
            raise SetUpFailed(
                f"{len(deaths)} brokers of {self._image}, configuration {configuration}, did not serve again after they had been "
                f"down, or stopped answering, so no other one is started; the last: {deaths[-1]}"
            )
        for place in self._places:
            if place.configuration == configuration and not (place.is_taken or place.leaving):
                return place
        return self._add(configuration, why)

    def _add(self, configuration: str, why: str = "") -> BrokerPlace[B]:
        if self._closed:
            raise WrongUsage(f"{self._reported} is not open")
        deaths = self._deaths.get(configuration)
        reported = f"in place of one that was given up: {deaths[-1]}" if deaths else self._why.get(configuration, "") or why
        place = BrokerPlace(configuration, self.make(configuration, self._line.to_come(configuration), reported))
        self._places.append(place)
        if self._starter is None:
            atexit.register(self.close)
            self._starter = threading.Thread(target=self._start_all, name=f"start {self._image}", daemon=True)
            self._starter.start()
        self._changed.notify_all()
        return place

    # --- the thread that starts brokers ---------------------------------------------------------------------------------

    def _start_all(self) -> None:
        while (place := self._next_to_start()) is not None:
            place.broker.start()
            with self._changed:
                place.starting = False
                if place.is_closed:
                    self._places.remove(place)
                self._changed.notify_all()

    def _next_to_start(self) -> BrokerPlace[B] | None:
        """Wait for the next broker to start, and for room for it. One that a scenario waits for comes before those for later ones."""
        with self._changed:
            while True:
                if self._closed:
                    return None
                if place := self._startable():
                    place.begun = place.starting = True
                    return place
                self._changed.wait()

    def _startable(self) -> BrokerPlace[B] | None:
        begun = [place for place in self._places if place.begun]
        if asked := [place for place in self._places if not (place.begun or place.leaving)]:
            has_room = self._line.held((*begun, asked[0])) <= self._line.most
            return asked[0] if has_room else None
        configuration = self._line.next_to_start(begun)
        return None if configuration is None else self._add(configuration)


def kind_of(configuration: BrokerConfiguration) -> Kind:
    """The properties of a configuration that the line needs."""
    return Kind(configuration.containers, configuration.fresh)


def _reasons(settings: BrokerSettings[Any], needs: Collection[frozenset[str]]) -> dict[str, str]:
    """Why a broker with each configuration is started, as text: how many scenarios need it, and for what."""
    by_configuration: dict[str, Counter[str]] = {}
    scenarios: Counter[str] = Counter()
    usual = settings.configuration(settings.default_configuration).offers
    for need in needs:
        for configuration in settings.configurations_for([need]):
            scenarios[configuration] += 1
            by_configuration.setdefault(configuration, Counter()).update(settings.capabilities.intersection(need) - set(usual))
    return {name: said(scenarios[name], by_configuration[name]) for name in scenarios}


def said(scenarios: int, capabilities: Collection[str]) -> str:
    """Why a broker is started: "12 scenarios that need two-nodes"; `capabilities` are those that the default broker lacks."""
    counted = f"{scenarios} scenario{'' if scenarios == 1 else 's'}"
    return f"{counted} that need{'s' if scenarios == 1 else ''} {', '.join(sorted(capabilities))}" if capabilities else counted
