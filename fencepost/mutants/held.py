"""The suite, held ready: every scenario is collected under a profile, and scenarios are run when somebody asks for them.

Several profiles are held in one process, each inside the one before, since pytest gives a session back when its loop is done.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

import pytest

from fencepost import suite
from fencepost.contract.errors import WrongUsage
from fencepost.contract.verdict import ScenarioResult
from fencepost.reporting import Judged


class Suite:
    """The scenarios of one profile, by their names in pytest."""

    def __init__(self, profile: str, session: pytest.Session, results: list[ScenarioResult]) -> None:
        self.profile = profile
        self._items = {item.nodeid: item for item in session.items}
        self._results = results

    @property
    def names(self) -> Collection[str]:
        return self._items.keys()

    def run(self, names: Collection[str], before_each: Callable[[], None] = lambda: None) -> Iterator[tuple[str, ScenarioResult]]:
        """Run these scenarios in the order of the suite; what each showed, as it ends. One that is not judged shows nothing."""
        chosen = [item for name, item in self._items.items() if name in names]
        for number, item in enumerate(chosen, 1):
            before_each()
            self._results.clear()
            following = chosen[number] if number < len(chosen) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            for result in self._results:
                yield item.nodeid, result


class _Holding:
    """A pytest plugin that does something else with a session than running all of it."""

    def __init__(self, profile: str, act: Callable[[Suite], None]) -> None:
        self._profile, self._act = profile, act
        self._results: list[ScenarioResult] = []
        self.failure: Exception | None = None
        self.has_begun = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.has_begun = True
        try:
            self._act(Suite(self._profile, session, self._results))
        except Exception as error:
            self.failure = error  # pytest would show it, and nobody sees what it shows
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if judged := Judged.of(report):
            self._results.append(judged.result)


def hold(profile: str, act: Callable[[Suite], None]) -> None:
    """Collect the suite for the bundled reference in this profile, and do this with it. Raises what `act` raises."""
    holding = _Holding(profile, act)
    suite.judge([f"--profile={profile}", "--tb=no", "--capture=no"], workers=1, plugins=[holding])
    if holding.failure:
        raise holding.failure
    if not holding.has_begun:
        raise WrongUsage(
            f"the suite cannot be held ready for the reference in profile {profile}; `fencepost run --profile {profile}` says why"
        )


def hold_all(profiles: Sequence[str], act: Callable[[list[Suite]], None]) -> None:
    """The same for several profiles at once."""

    def deeper(held: list[Suite]) -> None:
        if len(held) == len(profiles):
            act(held)
        else:
            hold(profiles[len(held)], lambda one: deeper([*held, one]))

    deeper([])
