"""The scenarios of one profile, ready to be played on the bundled reference any number of times."""

from collections.abc import Callable, Collection, Iterator

from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import ScenarioResult
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays


class Suite:
    """The plays of one profile, by the names of their histories. Raises what `Plays` raises."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self._plays = Plays(RunOptions(asked=SpecifiedSystem(profile=profile)))
        self._by_name = {play.run: play for play in self._plays}

    @property
    def names(self) -> Collection[str]:
        return self._by_name.keys()

    def run(self, names: Collection[str], before_each: Callable[[], None] = lambda: None) -> Iterator[tuple[str, ScenarioResult]]:
        """Play these scenarios in the order of the suite, and yield the result of each as it ends."""
        for name in [name for name in self._by_name if name in names]:
            before_each()
            yield name, self._plays.judge(self._by_name[name]).result
