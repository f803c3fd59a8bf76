"""The sequence picture on the page of a scenario that is not met: the first thing that a reader sees of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.played import Played
from fencepost.contract.ports import Exchange
from fencepost.contract.verdict import ScenarioResult

from .allure_results import AllureWriter, Node
from .sequence import PicturedStep, Scene, drawn

NAME = "Requests and answers as a picture, step by step"


def picture(
    writer: AllureWriter,
    result: ScenarioResult,
    steps: Sequence[PicturedStep],
    said: Sequence[Exchange],
    history: Iterable[Mapping[str, Any]],
) -> Node:
    """The attachment."""
    names = tuple((one.client, one.name) for one in said)
    seen = result.violation
    scene = (
        Scene(tuple(steps), names, seen.what, seen.expected, seen.seen)
        if seen
        else Scene(tuple(steps), names, seen=result.reason or "nothing")
    )
    return writer.picture(NAME, drawn(history, f"{result.requirement} {result.name}", scene))


def steps_of(played: Played, brings_down: Callable[[GherkinStep], str | None]) -> list[PicturedStep]:
    """The steps that the player has played; `brings_down` says what the system goes through in one."""
    return [PicturedStep(f"{one.step.keyword} {one.step.text}", one.said, brings_down(one.step), one.ending.value) for one in played.steps]
