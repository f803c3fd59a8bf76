"""What a run of twins has found."""

from collections import Counter
from dataclasses import dataclass, field

from fencepost.contract.errors import Exit

from .allowed_differences import TwinException
from .twin import TwinResult, TwinVerdict, UndisturbedScenario


@dataclass
class TwinFindings:
    """What a run of twins has found so far."""

    plain: list[UndisturbedScenario] = field(default_factory=list)
    results: list[TwinResult] = field(default_factory=list)
    not_offered: Counter[str] = field(default_factory=Counter)
    """In how many scenarios a disturbance fits, but the system cannot be disturbed in that way, by disturbance and reason."""
    not_tried: Counter[str] = field(default_factory=Counter)
    """How many twins say nothing, since the disturbance did nothing in them, by disturbance and reason."""
    stale: list[TwinException] = field(default_factory=list)
    seconds_plain: float = 0.0
    seconds_of_twins: float = 0.0
    """How long the twins took, and how long as many scenarios without a disturbance take."""
    kills: int | None = None
    """How often a broker went down for twins; None if they were played one after the other."""
    stopped: str | None = None

    @property
    def red(self) -> list[TwinResult]:
        return [one for one in self.results if one.verdict is TwinVerdict.DIFFERS]

    @property
    def red_plain(self) -> list[UndisturbedScenario]:
        """Scenarios that are red without a disturbance, and so have no twins."""
        return [one for one in self.plain if one.verdict.is_red]

    @property
    def played(self) -> list[TwinResult]:
        """The twins that were played, and in which the disturbance did something or was noticed."""
        return [one for one in self.results if one.was_played]

    def acts_of(self, disturbance: str) -> Counter[tuple[str, str]]:
        """What a disturbance did in all its twins."""
        total = Counter[tuple[str, str]]()
        for one in self.results:
            if one.disturbance == disturbance:
                total.update(one.acts)
        return +total

    def verdicts(self) -> dict[tuple[str, str], TwinVerdict]:
        """The verdict of each requirement with each disturbance: the worst of its twins."""
        found: dict[tuple[str, str], TwinVerdict] = {}
        order = list(TwinVerdict)
        for one in self.results:
            key = one.play.requirement, one.disturbance
            found[key] = min(found.get(key, one.verdict), one.verdict, key=order.index)
        return found

    @property
    def cost(self) -> float | None:
        """How many times as long twins take as their scenarios do."""
        return round(self.seconds_of_twins / self.seconds_plain, 2) if self.seconds_plain else None

    @property
    def exit(self) -> Exit:
        if self.stopped:
            return Exit.NOT_FINISHED
        return Exit.DOES_NOT if self.red or self.red_plain or self.stale or not self.played else Exit.CONFORMS
