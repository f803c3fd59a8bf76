"""`fencepost compare LEFT RIGHT`: did two systems answer the same, request by request, in the same scenarios?

It reads the histories of two results folders, such as of the reference with a release's profile and of that release. Verdicts do not
matter: two answers may differ and both conform, and the reference must be like the release where its profile claims that.

Both runs must have finished and asked the same: a scenario of only one of them would be compared with nothing.

A difference is *explained* by an entry of `fixtures/comparisons/<profile>.yaml`: the scenario, request and field, and why both are right.
An entry that explains nothing, although its scenario was compared and it is not intermittent, is an error.
"""

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from rich.console import Console
from rich.text import Text

from fencepost.contract import history_files
from fencepost.contract.datafile import DataFileError, Row, load
from fencepost.contract.errors import WrongUsage, first_of
from fencepost.contract.expression import Expression

from . import compliance_document, normalised_exchanges
from .compliance_document import Compliance
from .normalised_exchanges import NormalisedExchange

_NAMED = 5
"""At most this many of the requirements that only one run asked are named."""

_RUN = re.compile(r"(\S+-\[\d+\]) .*?( \(\w+\))?(-example-\d+)?")
"""The name of a history: the scenario with its title, the protocol if it is asked under several, and the number of the example."""


_NAME = re.compile(r"""\{.*?"run_id": ("(?:[^"\\]|\\.)*")""")
"""Where an event names its run; a line that is cut off after it is reported with its number when the history is read."""
Histories: TypeAlias = dict[str, Path]


class Explanation(Row):
    """Why answers may differ. The first three fields are regular expressions for the place of the difference."""

    scenario: Expression
    request: Expression
    field: Expression
    reason: str
    link: str
    intermittent: str | None = None
    """What the difference depends on, if it does not show in every run."""

    def explains(self, one: "Difference") -> bool:
        pairs = ((self.scenario, one.scenario), (self.request, one.request), (self.field, one.field))
        return all(re.search(expression, text) for expression, text in pairs)


@dataclass(frozen=True)
class Difference:
    """One field that two systems answered differently."""

    scenario: str
    request: str
    field: str
    left: str | None
    right: str | None


def differences(left: Path, right: Path) -> Iterator[Difference]:
    """All differences, scenario by scenario. A scenario with a history on only one side is a difference too."""
    yield from _differences(_histories(left), _histories(right))


def _differences(ours: Histories, theirs: Histories) -> Iterator[Difference]:
    for key, scenario in sorted(_names(ours, theirs).items()):
        if key in ours and key in theirs:
            yield from _between(scenario, normalised_exchanges.read(ours[key]), normalised_exchanges.read(theirs[key]))
        else:
            yield Difference(scenario, "-", "history", *("there" if key in side else None for side in (ours, theirs)))


def _histories(folder: Path) -> Histories:
    """The file of each scenario, by the scenario's key."""
    found = {_key(path): path for path in history_files.found_in(folder)}
    if not found:
        raise WrongUsage(f"{folder} holds no history; expected the --results folder of a run, with history/ in it")
    return found


def _key(path: Path) -> str:
    """The key of a scenario: its requirement, number, protocol and example. In another release of the kit its title may differ."""
    try:
        found = _NAME.match(history_files.first_line_of(path))
    except (OSError, EOFError, zlib.error):
        found = None  # its error is reported when it is read
    known = _RUN.fullmatch(json.loads(found[1])) if found else None
    return "".join(part or "" for part in known.groups()) if known else history_files.stem_of(path)


def _names(left: Histories, right: Histories) -> dict[str, str]:
    """The scenarios of both sides, with the left side's names if it has them."""
    return {key: history_files.stem_of(path) for key, path in (right | left).items()}


def _between(scenario: str, left: list[NormalisedExchange], right: list[NormalisedExchange]) -> Iterator[Difference]:
    """The differences up to the first request that only one of them has: from there on the two cannot be compared."""
    for ours, theirs in zip(left, right, strict=False):
        if ours.request != theirs.request:
            yield Difference(scenario, ours.request, "request", ours.request, theirs.request)
            return
        for field in sorted((ours.answer.keys() | theirs.answer.keys()) - normalised_exchanges.a_moment_apart(ours.answer, theirs.answer)):
            if ours.answer.get(field) != theirs.answer.get(field):
                yield Difference(scenario, ours.request, field, ours.answer.get(field), theirs.answer.get(field))
    if len(left) != len(right):
        longer = (left if len(left) > len(right) else right)[min(len(left), len(right))]
        yield Difference(
            scenario, longer.request, "request", *(longer.request if side is max(left, right, key=len) else None for side in (left, right))
        )


def explanations_for(profile: str) -> list[Explanation]:
    """The known differences between the reference with that profile and the release; none if there is no file."""
    path = resources.files("fencepost.fixtures") / "comparisons" / f"{profile}.yaml"
    return load(path, list[Explanation]) if path.is_file() else []


def show(left: Path, right: Path) -> int:
    """Print every difference. Returns 0 if all are explained, 1 if not."""
    profile = _comparable(left, right)
    console = Console(highlight=False, soft_wrap=True)
    explanations = explanations_for(profile)
    ours, theirs = _histories(left), _histories(right)
    found = list(_differences(ours, theirs))
    used: set[int] = set()
    unexplained = 0
    for one in found:
        reasons = [number for number, entry in enumerate(explanations) if entry.explains(one)]
        used |= set(reasons)
        unexplained += not reasons
        why = f"explained: {explanations[reasons[0]].reason}" if reasons else "unexplained"
        console.print(
            Text(f"{one.scenario}: {one.request}\n  {one.field}: {one.left} | {one.right}\n  {why}", style="" if reasons else "red")
        )
    scenarios = _names(ours, theirs).values()
    answers = sum(len(normalised_exchanges.read(path)) for path in ours.values())
    console.print(f"{len(scenarios)} scenarios, {answers} answers, {len(found)} differences, {unexplained} unexplained")
    for number, entry in enumerate(explanations):
        if number not in used and entry.intermittent is None and any(re.search(entry.scenario, scenario) for scenario in scenarios):
            raise DataFileError(
                f"comparisons/{profile}.yaml: entry {number + 1} explains nothing any more, so remove it: {entry.scenario}, {entry.field}"
            )
    return 1 if unexplained else 0


def _comparable(left: Path, right: Path) -> str:
    """The profile that both were judged by. Raises WrongUsage if the two cannot be compared."""
    ours, theirs = compliance_document.read_two(left, right)
    for folder, run in ((left, ours), (right, theirs)):
        if not run.complete:
            raise WrongUsage(f"the run of {folder} did not finish, so a part of it would be compared with nothing: let it run to its end")
    if ours.system.profile != theirs.system.profile:
        raise WrongUsage(
            f"{left} was judged by the profile {ours.system.profile}, and {right} by {theirs.system.profile}; compare runs of one profile"
        )
    reported = [_only(left, ours.asked - theirs.asked, ours), _only(right, theirs.asked - ours.asked, theirs)]
    if any(reported):
        raise WrongUsage(
            f"the two runs did not test the same requirements: {' and '.join(filter(None, reported))}; run both with the same selection"
        )
    return str(ours.system.profile)


def _only(folder: Path, names: frozenset[str], run: Compliance) -> str:
    ids = [row.id for row in run.requirements if row.id in names]
    return f"only {folder} tested {first_of(ids, _NAMED)}" if ids else ""
