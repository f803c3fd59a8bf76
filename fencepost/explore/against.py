"""The same sequence on two systems: the first answer or observation that differs by its role, and not by its number.

What a system makes up (producer ids, epochs, offsets, names, times) is compared by what it stands for, as twins are. What both break in the
same way, and what either is known to break, is no difference.
"""

import contextlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from fencepost.contract.brokers import Where
from fencepost.contract.errors import BrokeOff
from fencepost.contract.evidence import NoAnswer, SetUpFailed, Violation
from fencepost.contract.played import PlayedStep
from fencepost.run.observed_roles import BETWEEN_SYSTEMS, by_role
from fencepost.steps.acts.act import ActLine, Script, Table, script_of

from .paired_answers import Choice, answers, side_by_side
from .trial import ExploredFinding, ScriptResult, SequenceResult, Trials


class Differs(AssertionError):
    """What two systems showed that is not the same: in which line, and what each showed."""

    def __init__(self, line: ActLine, names: tuple[str, str], shown: tuple[str, str]) -> None:
        self.line, self.names, self.shown = line, names, shown
        said = "; ".join(f"{name}: {text}" for name, text in zip(names, shown, strict=True))
        super().__init__(f"{line.kind} {line.text}: {said}")

    @property
    def side_by_side(self) -> list[str]:
        """A line for each system."""
        width = max(map(len, self.names))
        return [f"{name:{width}}  {text}" for name, text in zip(self.names, self.shown, strict=True)]


class Comparison:
    """Plays sequences on two systems, as `Trials` does on one. `names` says which is which.

    Acts in which requests race are left out, since who wins is a matter of time; so are disturbances.
    """

    def __init__(self, one: Trials, other: Trials, names: tuple[str, str]) -> None:
        self.names = names
        both = one.table.offered(frozenset().union(*(act.needs for act in other.table.acts)))
        self.table: Table[Any] = replace(both.without_races(), disturbances=())
        self._both = one, other

    def play(self, acts: Iterable[str]) -> SequenceResult:
        """Play these acts, but for those that cannot come where they stand."""
        return self.put(script_of(self.table, acts))

    def find(self, acts: Iterable[str]) -> ExploredFinding | None:
        """What is found when these acts are played. Where a step breaks off, nothing is found."""
        with contextlib.suppress(BrokeOff):
            return self.play(acts).finding
        return None

    def brokers(self, needs: frozenset[str]) -> tuple[Where, ...]:
        """The brokers on which a sequence with these needs is played, one of each system."""
        return tuple(where for one in self._both for where in one.brokers(needs))

    def shows(self, lines: Sequence[ActLine], finding: ExploredFinding) -> bool:
        """Whether these lines differ as those of the finding do. They do not say the same to both in other words."""
        return tuple(lines) == finding.lines

    def put(self, script: Script[Any]) -> SequenceResult:
        """Play a script on both, until a line does not hold on one of them."""
        first, second = self._both
        mine, others = first.show(script), second.show(script)
        tried = first.judged(script, mine), second.judged(script, others)
        acts = max((each.acts for each in tried), key=len)
        found = _first_difference([line for line, _ in script.lines], mine, others)
        silent = [(len(shown.steps) - 1, each.unanswered) for shown, each in zip((mine, others), tried, strict=True) if each.unanswered]
        if silent and (found is None or found[0] >= min(silent)[0]):
            return SequenceResult(acts, unanswered=min(silent)[1])
        if found is None:
            return SequenceResult(acts, known=next((each.known for each in tried if each.known), None))
        number, shown = found
        line = script.lines[number][0]
        broken = [one for each in tried if (one := each.known or each.finding) is not None]
        requirement = broken[0].requirement if broken and len(broken[0].lines) == number + 1 else line.requirement
        lines = [said for said, _ in script.lines[: number + 2]]
        if line.kind != "When" or lines[-1].kind != "Then":  # what was asked is said with what is judged of it
            del lines[number + 1 :]
        finding = ExploredFinding(tuple(script.acts), tuple(lines), requirement, "different", Differs(line, self.names, shown))
        known_here = any(each.known and len(each.known.lines) in (number + 1, number + 2) for each in tried)
        is_known = known_here or requirement in first.known_requirements | second.known_requirements
        return SequenceResult(acts, known=finding) if is_known else SequenceResult(acts, finding)


def _judged_by(lines: Sequence[ActLine], number: int) -> Iterable[ActLine]:
    """The sentences that judge what is asked in a line."""
    return itertools.takewhile(lambda line: line.kind == "Then", lines[number + 1 :]) if lines[number].kind == "When" else ()


def _first_difference(lines: Sequence[ActLine], one: ScriptResult, other: ScriptResult) -> tuple[int, tuple[str, str]] | None:
    """The number of the first line that differs, and what each showed.

    What a sentence saw that held on both is the same by what it says; its details, such as a message, are the systems' own.
    """
    seen: list[tuple[int, str, str]] = []
    suffixes = [shown.session.unique("") if shown.session else "-" for shown in (one, other)]
    said = zip(one.steps, other.steps, answers(one, suffixes[0]), answers(other, suffixes[1]), strict=False)
    for number, (first, second, answered, others) in enumerate(said):
        seen += [(number, *pair) for pair in side_by_side(answered, others, Choice.of(lines[number], _judged_by(lines, number)))]
        seen.append((number, _ended(first), _ended(second)))
    roles = zip(by_role((a for _, a, _ in seen), BETWEEN_SYSTEMS), by_role((b for _, _, b in seen), BETWEEN_SYSTEMS), strict=True)
    for (number, *shown), (first_role, second_role) in zip(seen, roles, strict=True):
        if first_role != second_role:
            texts = shown if shown[0] != shown[1] else (first_role, second_role)
            return number, (texts[0], texts[1])
    return None


def _ended(step: PlayedStep) -> str:
    """How a line ended; of a violation what was seen, by its kind and not by its words."""
    error = step.error
    if error is None:
        return "it holds"
    if isinstance(error, Violation):
        said = error.mismatch
        return f"violated: {said.what}{f': {said.error}' if said.error else ''}"
    return {SetUpFailed: "refused", NoAnswer: "not answered"}.get(type(error), type(error).__name__)
