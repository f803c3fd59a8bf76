"""Sequence pictures: of one play of each requirement on the reference, and of what a run has recorded."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from fencepost.contract import history_files
from fencepost.report.sequence import PicturedStep, Scene, drawn, readable_events
from fencepost.results.compliance_document import ScenarioEntry
from fencepost.run.options import RunOptions
from fencepost.run.plays import Play, Plays
from fencepost.run.selection import Selection
from fencepost.steps.player import player_of

from .page_writer import trusted


@dataclass(frozen=True)
class SequencePicture:
    """A picture, or why there is none."""

    scenario: str
    svg: Markup | None = None
    reason: str = ""


def on_the_reference(specs: Sequence[str]) -> dict[str, SequencePicture]:
    """For each requirement of these proposals a picture of the first of its scenarios that the reference offers."""
    found: dict[str, SequencePicture] = {}
    with Plays(RunOptions(selection=Selection(specs=tuple(specs)))) as plays:
        for play in plays:
            if play.requirement not in found or found[play.requirement].svg is None:
                found[play.requirement] = _played(plays, play)
    return found


def _played(plays: Plays, play: Play) -> SequencePicture:
    played = plays.play(play)
    if played.session is None:
        return SequencePicture(play.name, reason=f"The reference does not offer what this scenario needs: {played.error}")
    player = player_of(play.feature.spec)
    steps = [
        PicturedStep(f"{one.step.keyword} {one.step.text}", one.said, player.brings_down(one.step), one.ending.value)
        for one in played.steps
    ]
    exchanges = [(one.client, one.name) for one in played.session.exchanges()]
    scene = Scene(tuple(steps), tuple(exchanges))
    return SequencePicture(
        play.name, trusted(drawn(played.session.history(play.run), f"{play.requirement} {play.name}", scene, alone=False))
    )


def recorded(results: Path, requirement: str, scenario: ScenarioEntry) -> SequencePicture:
    """What a run has recorded of a scenario. A history does not say which step made which request, so no steps are drawn."""
    beginning = history_files.name_of(f"{requirement}-{scenario.name}").removesuffix(history_files.ENDING)
    files = [path for path in history_files.found_in(results, beginning) if _is_of(path, beginning)]
    if not files:
        return SequencePicture(scenario.name, reason="The results folder has no history of this scenario.")
    events, is_whole = readable_events(files[-1])
    violation = scenario.violation
    scene = Scene(what=violation.what, expected=violation.expected, seen=violation.seen) if violation else Scene()
    svg = drawn(events, f"{requirement} {scenario.name}", scene, is_whole=is_whole, alone=False)
    return SequencePicture(scenario.name, trusted(svg))


def _is_of(path: Path, beginning: str) -> bool:
    """Whether a history is that of the scenario, or of one of its examples."""
    rest = history_files.stem_of(path).removeprefix(beginning)
    return rest == "" or rest.startswith("-example-")
