"""The player: plays the steps of one scenario on a session, one after the other, by the vocabularies' own data.

It knows nothing of pytest, of processes or of reports. It returns a value: each step with what it observed, its outcome and its duration. A
step that fails ends the scenario; the steps after it are not reached.
"""

import dataclasses
import functools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from fencepost.contract.evidence import Evidence
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.played import Played, PlayedStep, StepEnding
from fencepost.contract.ports import Session
from fencepost.contract.shared_crashes import gather
from fencepost.contract.waiting import has_changed

from . import vocabularies
from .sentence import Fulfilled, Vocabulary, brought_down, compared
from .stage import Compared, Stage


class Player:
    """Plays scenarios of one proposal."""

    def __init__(self, spoken: Iterable[Vocabulary]) -> None:
        self._vocabularies = tuple(spoken)
        self._factories = vocabularies.factories(self._vocabularies)
        self._compared: dict[tuple[str, str], frozenset[Compared] | None] = {}

    def stage(self, open_session: Callable[[], Session], evidence: Evidence | None = None) -> Stage:
        """New state for one scenario."""
        return Stage(self._factories, open_session, evidence)

    def play(
        self,
        steps: Sequence[GherkinStep],
        open_session: Callable[[], Session],
        hears: Callable[[GherkinStep], None] = lambda _: None,
        at_last: Callable[[Session], None] | None = None,
    ) -> Played:
        """Play these steps; `hears` is called with each as it begins, and `at_last` after the last one, if none has failed.

        Raises nothing but an interrupt: what a step, a factory, its end or `at_last` raises is in the returned value.
        """
        with self.begin(open_session) as scene:
            for number, step in enumerate(steps, 1):
                hears(step)
                ahead = steps[number:]
                if scene.play(step, ahead, falls_next=bool(ahead) and self.brings_down(ahead[0]) is not None).error is not None:
                    break
            if at_last is not None and scene.error is None and (session := scene.stage.session) is not None:
                scene.act(functools.partial(at_last, session))
        return scene.played(steps)

    def begin(self, open_session: Callable[[], Session]) -> "PlayedScene":
        """A scenario whose steps are played one by one. As a context manager, it releases its state at the end."""
        return PlayedScene(self, self.stage(open_session))

    def brings_down(self, step: GherkinStep) -> str | None:
        """How a step brings the system down, as marked by `sentence.brings_down`; None where it stays up."""
        found = self._found(step)
        return brought_down(found, step.text) if found else None

    def compared(self, step: GherkinStep, ahead: Sequence[GherkinStep]) -> frozenset[Compared] | None:
        """What the steps ahead compare with its state before the When that this step is or precedes, as marked by `sentence.compares`.
        None where one of them is a user's own step.
        """
        known: frozenset[Compared] = frozenset()
        for one in _of_one_when(step, ahead):
            if (by_this := self._compared_by(one)) is None:
                return None
            known |= by_this
        return known

    def _compared_by(self, step: GherkinStep) -> frozenset[Compared] | None:
        key = step.kind, step.text
        if key not in self._compared:
            found = self._found(step)
            self._compared[key] = compared(found, step.text) if found else None
        return self._compared[key]

    def is_marked(self, step: GherkinStep, mark: Callable[..., object]) -> bool:
        """Whether the function of a step has this mark, such as `sentence.unloads`."""
        found = self._found(step)
        return found is not None and hasattr(found.function, mark.__name__)

    def _found(self, step: GherkinStep) -> Fulfilled | None:
        return next((found for one in self._vocabularies if (found := one.find(step.kind, step.text))), None)

    def find(self, step: GherkinStep) -> Fulfilled:
        """The form and the function that fulfil a step. Raises LookupError where no sentence parses it."""
        if found := self._found(step):
            return found
        names = ", ".join(vocabulary.name for vocabulary in self._vocabularies)
        raise LookupError(f"line {step.line}: no sentence of {names} parses the {step.kind} {step.text!r}")


class PlayedScene:
    """One scenario on its stage, step by step."""

    def __init__(self, player: Player, stage: Stage) -> None:
        self.stage = stage
        self._player, self._began = player, time.perf_counter()
        self._played: list[PlayedStep] = []
        self._error: BaseException | None = None

    def __enter__(self) -> "PlayedScene":
        return self

    def __exit__(self, *_: object) -> None:
        self._error = self._error or _error_of(self.stage.close)

    def play(self, step: GherkinStep, ahead: Sequence[GherkinStep] = (), *, falls_next: bool = False) -> PlayedStep:
        """Play a step; those `ahead` follow it, as far as they are about the same When. If the system goes down right after it, it waits
        for the scenarios that share this, so that they act together.
        """
        stage, at, began = self.stage, time.time(), time.perf_counter()
        stage.comparisons.ahead = self._player.compared(step, ahead)
        seen = stage.evidence.count
        if step.kind != "Then" or self._player.brings_down(step):
            self._may_change()

        def act() -> None:
            form, function = self._player.find(step)
            if falls_next:
                gather(stage.session)
            stage.act(function, form.parse(step.text) or {})

        error = _error_of(act)
        ending = StepEnding.DONE if error is None else StepEnding.FAILED
        said = len(stage.session.exchanges()) if stage.session else 0
        played = PlayedStep(step, ending, tuple(stage.evidence.observations[seen:]), error, at, time.perf_counter() - began, said)
        self._played.append(played)
        return played

    @property
    def error(self) -> BaseException | None:
        """The first error, of a step or of an action between two steps."""
        return next((one.error for one in self._played if one.error is not None), self._error)

    def go_on(self) -> None:
        """The error of the last step does not end the scenario."""
        self._played[-1] = dataclasses.replace(self._played[-1], ending=StepEnding.DONE, error=None)

    @property
    def count(self) -> int:
        """How many steps have been played."""
        return len(self._played)

    def act(self, act: Callable[[], None]) -> None:
        """Do something between two steps. What it raises ends the scenario as a step's error does."""
        self._may_change()
        self._error = self._error or _error_of(act)

    def _may_change(self) -> None:
        """Record that what follows is more than a look: a request or a fault."""
        has_changed(getattr(self.stage.session, "time", None))

    def played(self, steps: Sequence[GherkinStep]) -> Played:
        """The result of the scenario, which has these steps."""
        rest = [PlayedStep(step, StepEnding.NOT_REACHED) for step in steps[len(self._played) :]]
        return Played((*self._played, *rest), self.error, time.perf_counter() - self._began, self.stage.evidence, self.stage.session)


@functools.cache
def player_of(spec: str) -> Player:
    """The player of a bundled proposal."""
    return Player(vocabularies.vocabularies_of(spec))


def _of_one_when(step: GherkinStep, ahead: Sequence[GherkinStep]) -> Iterator[GherkinStep]:
    """The steps ahead until the second When, of which this step may be the first."""
    whens = int(step.kind == "When")
    for one in ahead:
        whens += one.kind == "When"
        if whens > 1:
            break
        yield one


def _error_of(act: Callable[[], None]) -> BaseException | None:
    """The error that it raises; an interrupt is no verdict and is passed on."""
    try:
        act()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return error
    return None
