"""The player: plays the steps of one scenario on a session, one after the other, by the vocabularies' own data.

It knows nothing of pytest, of processes or of reports. What comes back is a value: each step with what it saw, how it ended and how long
it took. A step that fails ends the scenario; the steps after it are not reached.
"""

import functools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from fencepost.contract.evidence import Evidence
from fencepost.contract.gherkin import Step
from fencepost.contract.ports import Session

from . import vocabularies
from .sentence import Fulfilled, Vocabulary
from .stage import Stage


class Ending(Enum):
    """How a step ended."""

    DONE = "done"
    FAILED = "failed"
    NOT_REACHED = "not reached"


@dataclass(frozen=True)
class PlayedStep:
    """One step: how it ended, what its sentence judged and held, why it failed, and the seconds that it took."""

    step: Step
    ending: Ending
    observations: tuple[str, ...] = ()
    error: BaseException | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Played:
    """One scenario: its steps, and the first error, be that of a step or of an end of its state."""

    steps: tuple[PlayedStep, ...]
    error: BaseException | None
    seconds: float
    stage: Stage

    @property
    def session(self) -> Session | None:
        """The session that it was played on, closed, which still has what was said; None where no step asked for one."""
        return self.stage.session

    @property
    def failed(self) -> PlayedStep | None:
        """The step that failed."""
        return next((one for one in self.steps if one.ending is Ending.FAILED), None)


class Player:
    """Plays scenarios of one proposal."""

    def __init__(self, spoken: Iterable[Vocabulary]) -> None:
        self._vocabularies = tuple(spoken)
        self._factories = vocabularies.factories(self._vocabularies)

    def stage(self, open_session: Callable[[], Session], evidence: Evidence | None = None) -> Stage:
        """Fresh state for one scenario."""
        return Stage(self._factories, open_session, evidence)

    def play(self, steps: Sequence[Step], open_session: Callable[[], Session]) -> Played:
        """Play these steps. Raises nothing but an interrupt: what a step, a factory or its end raises is in what comes back."""
        began = time.perf_counter()
        stage = self.stage(open_session)
        played: list[PlayedStep] = []
        try:
            for step in steps:
                played.append(self._play(step, stage))
                if played[-1].error is not None:
                    break
        finally:
            error = _error_of(stage.close)
        first = next((one.error for one in played if one.error is not None), error)
        rest = [PlayedStep(step, Ending.NOT_REACHED) for step in steps[len(played) :]]
        return Played((*played, *rest), first, time.perf_counter() - began, stage)

    def _play(self, step: Step, stage: Stage) -> PlayedStep:
        began, seen = time.perf_counter(), stage.evidence.count

        def act() -> None:
            form, function = self.find(step)
            stage.act(function, form.parse(step.text) or {})

        error = _error_of(act)
        ending = Ending.DONE if error is None else Ending.FAILED
        return PlayedStep(step, ending, tuple(stage.evidence.observations[seen:]), error, time.perf_counter() - began)

    def find(self, step: Step) -> Fulfilled:
        """The form and the function that fulfil a step. Raises LookupError where no sentence parses it."""
        for vocabulary in self._vocabularies:
            if found := vocabulary.find(step.kind, step.text):
                return found
        names = ", ".join(vocabulary.name for vocabulary in self._vocabularies)
        raise LookupError(f"line {step.line}: no sentence of {names} parses the {step.kind} {step.text!r}")


@functools.cache
def player_of(spec: str) -> Player:
    """The player of a bundled proposal."""
    return Player(vocabularies.vocabularies_of(spec))


def _error_of(act: Callable[[], None]) -> BaseException | None:
    """What it raises; an interrupt is nobody's verdict and goes on."""
    try:
        act()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return error
    return None
