"""A sequence of acts, played on a system: what it showed, and what was found where a line did not hold."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.contract.errors import NotOffered
from fencepost.contract.evidence import NoAnswer, SetUpFailed, Violation
from fencepost.contract.ports import Session
from fencepost.steps.acts.act import Line, Script, Table, script_of
from fencepost.steps.player import Scene, player_of


@dataclass(frozen=True)
class Finding:
    """A line that did not hold: the acts that led to it, every line up to it, and the requirement that is violated.

    `how` says in words that stay whether something was seen that may not be, or a client was refused what it may do.
    """

    acts: tuple[str, ...]
    lines: tuple[Line, ...]
    requirement: str
    how: str
    error: BaseException

    @property
    def cause(self) -> tuple[str, str]:
        """By what two findings are told apart."""
        return self.requirement, self.how


@dataclass(frozen=True)
class Tried:
    """What a sequence showed: the acts that were reached, and a finding where a line did not hold.

    `known` is a finding of a requirement that the system is known to break, and `unanswered` says what got no answer, or is not offered;
    then nobody knows how it went on.
    """

    acts: tuple[str, ...]
    finding: Finding | None = None
    known: Finding | None = None
    unanswered: str | None = None


class Trials:
    """Plays sequences of a table's acts, each in a session of its own."""

    def __init__(
        self,
        table: Table[Any],
        open_session: Callable[[str, frozenset[str]], Session],
        *,
        is_prompt: bool = True,
        known: frozenset[str] = frozenset(),
    ) -> None:
        self.table = table
        self.known = known
        """The requirements that the system is known to break."""
        self._numbers = itertools.count(1)
        self._open = open_session
        self._player = player_of(table.spec)
        self._is_prompt = is_prompt
        """Whether the system answers everything that it does not hold back for ever, so that no answer is a finding."""

    def play(self, acts: Iterable[str]) -> Tried:
        """Play these acts, but for those that cannot come where they stand."""
        return self.put(script_of(self.table, acts))

    def find(self, acts: Iterable[str]) -> Finding | None:
        """What is found when these acts are played."""
        return self.play(acts).finding

    def put(self, script: Script[Any]) -> Tried:
        """Play a script until a line does not hold."""
        with self._scene(script.acts) as scene:
            for number, (line, _) in enumerate(script.lines):
                error = scene.play(line.step).error
                if error is not None:
                    return self._failed(script, number, error)
        return Tried(tuple(script.acts))

    def shows(self, lines: Sequence[Line], finding: Finding) -> bool:
        """Whether these lines end as those of the finding do."""
        with self._scene(finding.acts) as scene:
            for line in lines[:-1]:
                if scene.play(line.step).error is not None:
                    return False
            return type(scene.play(lines[-1].step).error) is type(finding.error)

    def _scene(self, acts: Sequence[str]) -> Scene:
        name, needs = f"explored-{next(self._numbers)}", needs_of(self.table, acts)
        return self._player.begin(lambda: self._open(name, needs))

    def _failed(self, script: Script[Any], number: int, error: BaseException) -> Tried:
        line = script.lines[number][0]
        reached = tuple(dict.fromkeys(act for _, act in script.lines[: number + 1] if act is not None))
        if isinstance(error, NotOffered) or (isinstance(error, NoAnswer) and not self._is_prompt):
            return Tried(reached, unanswered=str(error))
        if not isinstance(error, Violation | SetUpFailed | NoAnswer):
            raise error
        is_seen = isinstance(error, Violation)
        requirement = self.table.means(script.model, line, error) if isinstance(error, Violation) else line.requirement
        how = "violated" if is_seen else "refused" if isinstance(error, SetUpFailed) else "unanswered"
        lines = tuple(said for said, _ in script.lines[: number + 1])
        finding = Finding(tuple(script.acts), lines, requirement, how, error)
        return Tried(reached, known=finding) if requirement in self.known else Tried(reached, finding)


def needs_of(table: Table[Any], acts: Sequence[str]) -> frozenset[str]:
    """The capabilities that a sequence needs."""
    by_name = table.by_name
    return frozenset().union(*(by_name[act].needs for act in acts))
