"""What red scenarios have in common: each likely cause once, with the requirements that it explains, then the rest.

A cause follows only from what was seen, not from what is written about one broker:

* A requirement of the register may name others that it `rests_on`. If one of these is red too, that one is its cause.
* Otherwise scenarios belong together that deviated in the same way: the same request answered with success where a refusal was due, one
  error in place of another, an answer that the protocol does not allow, the same observation that differs.

A scenario may have several readings; the one that explains most requirements is taken first. A success where a refusal was due shows a
missing check, and each request has its own checks, so there the request comes before the error. Two errors show how one is named, which is
the same in every request, so there they come before the request. A cause explains at least two scenarios. Requirements of one feature that
no reading explains are grouped as neighbours. A cause is a likeness and not a proof, so it changes no verdict, with one exception: a
scenario that could not be judged is *blocked* if its requirement rests on a violated one, or if the refusal that stopped it is the
deviation of one.
"""

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fencepost.contract.evidence import Mismatch
from fencepost.contract.register import Register
from fencepost.contract.verdict import ScenarioResult, Verdict

_RED = (Verdict.VIOLATED, Verdict.INCONCLUSIVE, Verdict.BLOCKED)
_DECLARED, _EXACT, _WIDE, _WIDEST, _OWN = 10, 7, 4, 3, 1
"""The weight of each requirement with such a reading. Five that share what was due and what was seen come before eight that share only
the request; two on one base before two with any other reading. What only one requirement shows comes last.
"""
_ERROR = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b|\b(?!ABORT\b|COMMIT\b)[A-Z][a-z]+(?:[A-Z][a-z]+)*(?:Error|Exception)\b")
_REQUEST = re.compile(r"\b([A-Z][A-Za-z]+) v\d+")
_HANGS_UP = re.compile(r"closed the connection instead of answering (\w+)")
_PLACE = re.compile(r" (?:of|to|in|for|from|by|with|behind|that) ")
_ANSWER = "answer to "


@dataclass(frozen=True)
class Cause:
    """One likely cause. `requirement` is the one that the others rest on; None for a deviation that they share.

    `scenarios` has, for each requirement that the cause explains, the names of its scenarios that deviated so.
    """

    title: str
    requirement: str | None
    scenarios: Mapping[str, tuple[str, ...]]

    def __str__(self) -> str:
        """`InitProducerId succeeds where another answer is expected: 9 requirements, 15 scenarios`."""
        return counted(self.title, len(self.scenarios), sum(map(len, self.scenarios.values())))


def counted(title: str, requirements: int, scenarios: int) -> str:
    """A cause with its counts, as every report names it."""
    return f"{title}: {requirements} requirement{'s' * (requirements > 1)}, {scenarios} scenario{'s' * (scenarios > 1)}"


@dataclass(frozen=True)
class Causes:
    """All causes of a run, the one that explains most first; `rest` has the scenarios that no cause explains."""

    found: tuple[Cause, ...] = ()
    rest: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    @property
    def outside(self) -> tuple[str, ...]:
        """The requirements that no cause explains."""
        explained = {requirement for cause in self.found for requirement in cause.scenarios}
        return tuple(requirement for requirement in self.rest if requirement not in explained)


def causes(scenarios: Iterable[ScenarioResult], register: Register) -> Causes:
    """Group the red scenarios of a run."""
    reds = [one for one in scenarios if one.verdict in _RED]
    red = {one.requirement: one for one in reversed(reds)}
    readings = [(one, _reported(one, red, register)) for one in reds]
    found: list[Cause] = []
    while best := _best(readings):
        found.append(_cause(best, [one for one, said in readings if best in said], red))
        readings = [(one, said) for one, said in readings if best not in said]
    several = {requirement for cause in found if len(cause.scenarios) > 1 for requirement in cause.scenarios}
    found = [cause for cause in found if len(cause.scenarios) > 1 or not several.issuperset(cause.scenarios)]
    found = _with_neighbours(found, reds)
    found.sort(key=lambda cause: -len(cause.scenarios))
    explained = {(requirement, name) for cause in found for requirement, names in cause.scenarios.items() for name in names}
    return Causes(tuple(found), _named(one for one in reds if (one.requirement, one.name) not in explained))


def _with_neighbours(found: Sequence[Cause], reds: Sequence[ScenarioResult]) -> list[Cause]:
    """The causes, plus one for each feature with several requirements that no cause explains together with another requirement."""
    shared = [cause for cause in found if len(cause.scenarios) > 1]
    explained = {requirement for cause in shared for requirement in cause.scenarios}
    by_feature: dict[str, list[ScenarioResult]] = {}
    for one in reds:
        if one.requirement not in explained:
            by_feature.setdefault(one.feature.removesuffix(".feature"), []).append(one)
    neighbours = {feature: some for feature, some in by_feature.items() if len({one.requirement for one in some}) > 1}
    taken = {one.requirement for some in neighbours.values() for one in some}
    alone = [cause for cause in found if len(cause.scenarios) == 1 and not taken.issuperset(cause.scenarios)]
    return [*shared, *(Cause(f"{feature}, each in another way", None, _named(some)) for feature, some in neighbours.items()), *alone]


def _cause(title: str, members: Sequence[ScenarioResult], red: Collection[str]) -> Cause:
    base = title.partition(" ")[0]
    return Cause(title, base if base in red else None, _named(members))


def _reported(one: ScenarioResult, red: Mapping[str, ScenarioResult], register: Register) -> dict[str, int]:
    """The readings of a scenario; the last is shared only by the other scenarios of its requirement.

    A scenario with a deviating answer is read by that answer. It counts for a base of its requirement only if the same request deviated
    there.
    """
    deviation = one.violation or one.given
    reported = readings_of(deviation)
    for base in _bases(one.requirement, red, register):
        if not _is_answer(deviation) or _request(deviation) == _request(red[base].violation):
            reported[_rest_on(base)] = _DECLARED
    own = f"{one.requirement} is violated in other ways" if one.verdict is Verdict.VIOLATED else f"{one.requirement} could not be judged"
    return reported | {_rest_on(one.requirement): _DECLARED, own: _OWN}


def _rest_on(base: str) -> str:
    return f"{base} is violated, and the others depend on it"


def _is_answer(deviation: Mismatch | None) -> bool:
    return deviation is not None and deviation.what.startswith(_ANSWER)


def _request(deviation: Mismatch | None) -> str | None:
    return deviation.what if deviation is not None and _is_answer(deviation) else None


def blocked(scenarios: Sequence[ScenarioResult], register: Register) -> list[ScenarioResult]:
    """The scenarios of a run, in which those that a deviation found elsewhere kept from being judged are blocked.

    A scenario is blocked by the violated requirement that it rests on, otherwise by one that deviated like the refusal of its Given.
    """
    broken: dict[str, list[str]] = {}
    deviating = {one.requirement: one for one in scenarios if one.violation is not None}
    for one in deviating.values():
        for said in readings_of(one.violation):
            broken.setdefault(said, []).append(one.requirement)
    return [_blocked(one, deviating, broken, register) for one in scenarios]


def _blocked(
    one: ScenarioResult, deviating: Mapping[str, ScenarioResult], broken: Mapping[str, Sequence[str]], register: Register
) -> ScenarioResult:
    if one.verdict is not Verdict.INCONCLUSIVE or one.is_too_early:
        return one
    promised = [base for base in register[one.requirement].rests_on if base in deviating]
    same = [other for said in readings_of(one.given) for other in broken.get(said, ()) if other != one.requirement]
    by = next(iter([*promised, *same]), None)
    if by is None:
        return one
    return dataclasses.replace(one, verdict=Verdict.BLOCKED, reason=f"blocked by {by}: {one.reason}", blocked_by=by)


def _bases(requirement: str, red: Collection[str], register: Register) -> Iterator[str]:
    """The red requirements that a requirement rests on, directly or not."""
    for base in register[requirement].rests_on:
        if base in red:
            yield base
            yield from _bases(base, red, register)


def _best(readings: Sequence[tuple[ScenarioResult, Mapping[str, int]]]) -> str | None:
    """The reading that explains most requirements, of those that explain several scenarios; a base only if another rests on it."""
    explained: dict[str, list[str]] = {}
    weight: dict[str, int] = {}
    for one, said in readings:
        for reading, exactness in said.items():
            explained.setdefault(reading, []).append(one.requirement)
            weight[reading] = exactness
    several = {word: rows for word, rows in explained.items() if len({*rows}) > 1 or (weight[word] == _OWN and len(rows) > 1)}
    return max(several, key=lambda word: (len({*several[word]}) * weight[word], len(several[word]), word), default=None)


def _named(scenarios: Iterable[ScenarioResult]) -> dict[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for one in scenarios:
        if one.name not in names.get(one.requirement, ()):
            names[one.requirement] = (*names.get(one.requirement, ()), one.name)
    return names


def readings_of(deviation: Mismatch | None) -> dict[str, int]:
    """The readings of a deviation, in words without what is particular to its scenario, each with how exact it is."""
    return dict(_readings(deviation)) if deviation else {}


def _readings(deviation: Mismatch) -> Iterator[tuple[str, int]]:
    if hung_up := _HANGS_UP.search(deviation.seen):
        yield f"the broker closes the connection instead of answering {hung_up[1]}", _EXACT
        return
    if deviation.what == "message of the system":
        asked = _REQUEST.search(deviation.seen)
        yield f"the answer to {asked[1] if asked else 'a message'} breaks the protocol", _EXACT
        return
    if not deviation.what.startswith(_ANSWER):
        yield f"{_PLACE.split(deviation.what, maxsplit=1)[0]}: not as expected", _WIDEST
        return
    request = deviation.what.removeprefix(_ANSWER)
    due = _ERROR.findall(deviation.expected)
    if deviation.error is None:
        if due:
            yield f"success instead of {' or '.join(due)}", _WIDE
        if "refusal" not in deviation.seen and "base offset" not in deviation.seen:
            yield f"{request} succeeds where another answer is expected", _EXACT
        else:
            yield "a refusal has the right error and wrong other fields", _EXACT
    elif due:
        yield f"{deviation.error} instead of {' or '.join(due)}", _EXACT
        yield f"{request} is refused with {deviation.error} where another answer is expected", _WIDE
        yield f"{deviation.error} where another answer is expected", _WIDEST
    elif "refusal" in deviation.expected:
        yield "a refusal has the right error and wrong other fields", _EXACT
    else:
        yield f"{request} is refused with {deviation.error} where another answer is expected", _WIDE
        yield f"{deviation.error} where another answer is expected", _WIDEST
