"""The result of a played scenario: its steps, its evidence, and the session with its exchanges."""

from dataclasses import dataclass, field
from enum import Enum

from .evidence import Evidence
from .gherkin import GherkinStep
from .ports import Session


class StepEnding(Enum):
    """How a step ended."""

    DONE = "done"
    FAILED = "failed"
    NOT_REACHED = "not reached"


@dataclass(frozen=True)
class PlayedStep:
    """One step: how it ended, what its sentence judged and held, why it failed, when it began (seconds since 1970), the seconds that
    it took, and the number of exchanges when it ended.
    """

    step: GherkinStep
    ending: StepEnding
    observations: tuple[str, ...] = ()
    error: BaseException | None = None
    began: float = 0.0
    seconds: float = 0.0
    said: int = 0


@dataclass(frozen=True)
class Played:
    """One scenario: its steps, and the first error, either of a step or of the end of its state."""

    steps: tuple[PlayedStep, ...] = ()
    error: BaseException | None = None
    seconds: float = 0.0
    evidence: Evidence = field(default_factory=Evidence)
    session: Session | None = None
    """The session that it was played on, closed, which still has its exchanges; None if no step asked for one."""

    @property
    def failed(self) -> PlayedStep | None:
        """The step that failed."""
        return next((one for one in self.steps if one.ending is StepEnding.FAILED), None)
