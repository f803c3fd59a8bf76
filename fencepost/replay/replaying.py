"""`fencepost replay`: writes the requested files from what a run kept."""

import sys
from pathlib import Path

from fencepost.adapters.replay import replay_programs
from fencepost.adapters.replay.replay_programs import Lines
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import KeepsExchanges
from fencepost.run.options import RunOptions
from fencepost.run.plays import Play, Plays
from fencepost.run.selection import Selection

from .recorded_red import RecordedRed, find

FORMS = ("script", "frames", "picture")
_CONFIGURED = frozenset({"transactions-v2", "participant-ends", "buffer-statistics", "batch-index-acknowledgement"})
"""What a scenario may need that a broker answers to requests; everything else is done to it from outside."""


def show(results: Path, requirement: str, number: int | None, form: str, out: Path | None) -> int:
    """Write the red in that form, to standard output without a file. Raises WrongUsage."""
    if form not in FORMS:
        raise WrongUsage(f"--format {form}: expected {', '.join(FORMS)}")
    text = {"script": _script, "frames": _frames, "picture": _picture}[form](find(results, requirement, number))
    if out is None:
        sys.stdout.write(text)
        return 0
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongUsage(f"--out {out} cannot be written: {error.strerror}") from error
    print(f"written: {out}")
    return 0


def _script(red: RecordedRed) -> str:
    return program(red, *red.exchanges())


def program(red: RecordedRed, kept: Lines, place: str) -> str:
    """The script of a red's requests. Raises WrongUsage where requests alone do not show the violation."""
    play, reference = _on_the_reference(red, replay_programs.protocol_of(kept))
    notes = (
        f"Recorded {red.run.began} by fencepost {red.run.fencepost}. What the red says: {red.violation}",
        "; ".join(("Needs a broker without TLS and login", *(CAPABILITIES[need] for need in sorted(play.needs)))) + ".",
        "Names are new in each run. Ids, epochs and nodes that a broker gives are taken from its answers.",
        "Exit code 1: as in the red. 0: as expected, which is as on the reference. 2: neither, or no answer.",
    )
    return replay_programs.program(red.title, notes, kept, place, reference, red.violation)


def _frames(red: RecordedRed) -> str:
    return replay_programs.frames(red.title, *red.exchanges(), red.violation)


def _picture(red: RecordedRed) -> str:
    from fencepost.site.sequence_pictures import recorded

    picture = recorded(red.results, red.requirement, red.scenario)
    if picture.svg is None:
        raise WrongUsage(f"{red.title}: {picture.reason}")
    return str(picture.svg) + "\n"


def _on_the_reference(red: RecordedRed, protocol: str) -> tuple[Play, Lines]:
    """The scenario on the reference: what it said there. Raises WrongUsage where requests alone do not do what the scenario does."""
    with Plays(RunOptions(selection=Selection(only=(red.requirement,)))) as plays:
        play = next((one for one in plays if one.scenario.name == red.feature and one.protocol == protocol), None)
        if play is None:
            raise WrongUsage(
                f"this version of fencepost has no scenario {red.requirement} {red.scenario.name} of {protocol}; run again with it"
            )
        if faults := play.needs - _CONFIGURED:
            raise WrongUsage(
                f"{red.requirement} {red.scenario.name} needs {', '.join(sorted(faults))}, which requests alone cannot cause; "
                "--format frames and --format picture show the requests and answers"
            )
        played = plays.play(play)
    session: object = played.session
    if played.error is not None or not isinstance(session, KeepsExchanges):
        raise WrongUsage(f"the reference cannot play the same requests: {played.error}")
    return play, session.kept_exchanges()
