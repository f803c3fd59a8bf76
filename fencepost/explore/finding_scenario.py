"""A finding as a scenario in the closed vocabulary, which a person can read and keep, and `fencepost run --feature` plays."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from fencepost.contract.register import Requirement
from fencepost.steps.acts.act import DISTURBANCE, ActLine

from .trial import ExploredFinding

Plays = Callable[[Sequence[ActLine]], bool]
"""Whether these lines show the same."""


def reported(finding: ExploredFinding, shows: Plays) -> tuple[ActLine, ...]:
    """The lines of a finding as a scenario says them: what led to the question as Givens, one When where there is one, and one Then.

    A Given waits until what it did is everywhere, and a When does not, so the plain form is only taken where it `shows` the same.
    """
    raw = tuple(_without_what_held(finding.lines))
    plain = tuple(_with_givens(raw))
    return plain if plain == raw or shows(plain) else raw


def feature(finding: ExploredFinding, lines: Iterable[ActLine], row: Requirement, needs: Iterable[str], how_found: str) -> str:
    """The text of a feature file with the one scenario."""
    tags = " ".join(f"@needs:{need}" for need in sorted(needs))
    steps, kind = [], ""
    for line in lines:
        if line.kind == DISTURBANCE:
            steps.append(f"      # here, or throughout: the disturbance {line.text}, without which this scenario is met")
            continue
        steps.append(f"      {'And' if line.kind == kind else line.kind} {line.text}")
        kind = line.kind
    return "\n".join(
        [
            "Feature: Found by exploration",
            f"  {how_found}",
            "",
            f"  @{row.id} @{row.level}",
            f"  Rule: {row.statement}",
            f"    {_one_line(str(finding.error))}",
            "",
            *([f"    {tags}"] if tags else []),
            f"    Scenario: [1] {'; '.join(finding.acts)}",
            *steps,
            "",
        ]
    )


def _without_what_held(lines: Sequence[ActLine]) -> Iterable[ActLine]:
    """Without the observations on the way: that something was done is no act."""
    yield from (line for line in lines[:-1] if line.kind != "Then")
    yield lines[-1]


def _with_givens(lines: Sequence[ActLine]) -> Iterable[ActLine]:
    """Each When that is not the last is said as what has happened; and the last too, where its answer is not what is judged."""
    for line, after in pairwise(lines):
        is_asked = after.kind == "Then" and line.kind == "When"
        yield line if is_asked or line.given is None else ActLine("Given", line.given, line.requirement)
    yield lines[-1] if lines[-1].kind != "When" or lines[-1].given is None else ActLine("Given", lines[-1].given, lines[-1].requirement)


def _one_line(text: str) -> str:
    return " ".join(text.split())
