"""The rows of the picture from top to bottom: steps, requests with their answers, and what is folded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from . import wording
from .calls import Call
from .steps import PicturedStep, Scene, decisive, steps_of

MOST_CALLS = 44
"""So many rows of calls are drawn. Of more, the first few and the last ones, for a verdict is decided at the end."""
_FIRST = 8


@dataclass(frozen=True)
class StepRow:
    """A step of the scenario."""

    said: PicturedStep


@dataclass(frozen=True)
class CallRow:
    """A request whose answer came next; `times` counts those in a row that were answered the same, of which `last` is the last."""

    call: Call
    is_decisive: bool = False
    times: int = 1
    last: Call | None = None


@dataclass(frozen=True)
class AskedRow:
    """A request whose answer comes later, or never."""

    call: Call
    is_decisive: bool = False


@dataclass(frozen=True)
class AnsweredRow:
    """An answer that came after something else."""

    call: Call
    is_decisive: bool = False
    is_late: bool = False
    """Whether another client asked something meanwhile."""


@dataclass(frozen=True)
class HelperRow:
    """Requests that only prepared something."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class OmittedRow:
    """Rows that are not drawn."""

    rows: int


@dataclass(frozen=True)
class VerdictRow:
    """What was expected of the decisive exchange, and what was seen."""

    what: str | None
    expected: str | None
    seen: str | None


Row: TypeAlias = StepRow | CallRow | AskedRow | AnsweredRow | HelperRow | OmittedRow | VerdictRow


def rows_of(calls: Sequence[Call], scene: Scene) -> list[Row]:
    """All rows of a scenario."""
    steps = steps_of(calls, scene)
    chosen = decisive(calls, steps, scene)
    found = list(_with_steps(calls, steps, scene, chosen))
    rows = _shortened(list(_folded(found)))
    if not scene.is_red:
        return rows
    verdict = VerdictRow(scene.what, scene.expected, scene.seen)
    at = max((place for place, row in enumerate(rows) if getattr(row, "is_decisive", False)), default=len(rows) - 1)
    return [*rows[: at + 1], verdict, *rows[at + 1 :]]


def _with_steps(calls: Sequence[Call], steps: Sequence[int], scene: Scene, chosen: Call | None) -> Iterator[Row]:
    """The moments in their order, each below its step."""
    step_of = {call.began: step for call, step in zip(calls, steps, strict=True)}
    moments = sorted(_moments(calls), key=lambda moment: moment[0])
    begins = [call for call in calls if not (call.is_helper or call.is_push)]
    shown = -1
    skip = set()
    for number, (place, call) in enumerate(moments):
        is_begin = place == call.began
        if is_begin or call.is_push:
            while shown < step_of[call.began] and shown + 1 < len(scene.steps):
                shown += 1
                yield StepRow(scene.steps[shown])
        if place in skip:
            continue
        if call.is_helper:
            yield HelperRow((call,))
            continue
        following = next((one for one in moments[number + 1 :] if not one[1].is_helper), None)
        is_next = following is not None and following == (call.ended, call)
        if is_begin and (is_next or call.is_unanswered_by_design) and call.ended is not None:
            skip.add(call.ended)
            yield CallRow(call, call is chosen)
        elif is_begin:
            yield AskedRow(call, call is chosen)
        else:
            yield AnsweredRow(call, call is chosen, not call.is_push and any(map(call.is_overtaken_by, begins)))
    for said in scene.steps[shown + 1 :]:
        yield StepRow(said)


def _moments(calls: Sequence[Call]) -> Iterator[tuple[int, Call]]:
    """When requests began and ended. A helper has one moment only, and so has what was pushed."""
    for call in calls:
        if call.is_push and call.ended is not None:
            yield call.ended, call
            continue
        yield call.began, call
        if call.ended is not None and not call.is_helper:
            yield call.ended, call


def _folded(rows: Sequence[Row]) -> Iterator[Row]:
    """The same with helpers in one row, and with exchanges that repeat each other counted."""
    held: Row | None = None
    for row in rows:
        match held, row:
            case HelperRow(calls=before), HelperRow(calls=more):
                held = HelperRow((*before, *more))
                continue
            case CallRow() as last, CallRow() as again if _is_same(last.call, again.call):
                held = replace(last, times=last.times + 1, is_decisive=last.is_decisive or again.is_decisive, last=again.call)
                continue
        if held is not None:
            yield held
        held = row
    if held is not None:
        yield held


def _is_same(one: Call, other: Call) -> bool:
    return (one.client, one.node) == (other.client, other.node) and (wording.request(one), wording.answer(one)) == (
        wording.request(other),
        wording.answer(other),
    )


def _shortened(rows: list[Row]) -> list[Row]:
    """The same with what is in the middle left out where there are too many; steps stay, and so does what is decisive."""
    drawn = [place for place, row in enumerate(rows) if not isinstance(row, StepRow)]
    if len(drawn) <= MOST_CALLS:
        return rows
    kept = {*drawn[:_FIRST], *drawn[len(drawn) - (MOST_CALLS - _FIRST) :]}
    found: list[Row] = []
    for place, row in enumerate(rows):
        if isinstance(row, StepRow) or place in kept or getattr(row, "is_decisive", False):
            found.append(row)
        elif found and isinstance(found[-1], OmittedRow):
            found[-1] = OmittedRow(found[-1].rows + 1)
        else:
            found.append(OmittedRow(1))
    return found
