"""`fencepost prove --mutants`: the result of each mutant, on the terminal, as JSON and as a page."""

import json
import os
import time
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment
from rich.console import Console
from rich.text import Text

from fencepost import __version__
from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import Exit, WrongUsage
from fencepost.contract.folder import Folder
from fencepost.proof.proof_folder import MUTANTS, MUTANTS_PAGE, claimed

from . import known_mutants, mutation_run
from .mutant_verdicts import Outcome
from .mutation_run import Drawn, MutationTrial


def show(
    count: int,
    seed: int,
    only: Sequence[str],
    everything: bool,
    workers: int,
    folder: Path,
    write_killed: Path | None,
) -> int:
    """Draw mutants, judge them, print, and write both files. Returns 0 if the trial holds, 1 if not, 4 if it was stopped."""
    drawn = Drawn.of(count, seed, only)
    results = claimed(folder, MUTANTS, MUTANTS_PAGE)
    console = Console(highlight=False, soft_wrap=True)
    began = time.monotonic()
    if count > drawn.possible:
        console.print(f"there are only {drawn.possible} places")
    done = mutation_run.run(drawn, everything, workers, lambda one, number: console.print(_line(one, number, drawn)))
    _write(results, done)
    if write_killed:
        write_killed.write_text(known_mutants.killed_text(one.place.key for one in done.outcomes if one.is_killed), encoding="utf-8")
    _sum_up(done, console)
    console.print(f"{time.monotonic() - began:.0f} s; {os.path.relpath(folder)}/{MUTANTS_PAGE}")
    if done.stopped:
        return Exit.NOT_FINISHED
    return Exit.CONFORMS if done.holds else Exit.DOES_NOT


def _line(one: Outcome, number: int, drawn: Drawn) -> Text:
    count = len(drawn.places)
    if not one.is_killed and (why := drawn.known.harmless.get(one.place.key)):
        return Text(f"{number:4}/{count}  + {one.place}  (harmless: {why})")
    sign, style = {"killed": ("+", ""), "broke": ("!", "yellow"), "mended": ("+", ""), "survived": ("X", "bold red")}[one.state]
    return Text(f"{number:4}/{count}  {sign} {one.place}  {_reported(one)}", style=style)


def _reported(one: Outcome) -> str:
    if one.is_killed:
        return f"({', '.join(f'{red.requirement} in {red.profile}' for red in one.killers)})"
    if one.mended:
        return f"(harmless: keeps {one.mended}, which the release is known to break)"
    if one.broke:
        return f"({one.broke})"
    return "(survived)" if one.scenarios else f"(survived: {_why_unseen(one.place.kind)})"


def _why_unseen(kind: str) -> str:
    """Why no scenario can notice a mutant of this kind that none reaches."""
    return "no scenario comes to a second item there" if kind == "loop" else "no scenario executes it"


def _sum_up(done: MutationTrial, console: Console) -> None:
    console.print()
    for one in done.not_conforming:
        why = f"harmless.yaml says that it breaks no promise, but {_reported(one)}"
        console.print(Text(f"not harmless: {one.place}: {why}", style="red"))
    for one in done.escaped:
        console.print(Text(f"was killed before: {one.place}: {_reported(one)}", style="red"))
    for one in done.broke:
        console.print(Text(f"broke the run: {one.place}  {_reported(one)}", style="yellow"))
    for one in done.survivors:
        console.print(Text(f"survived: {one.place}  {_reported(one)}", style="red"))
    if done.stopped:
        console.print(Text(done.stopped, style="bold"))
    harmless = f", {len(done.harmless)} harmless" if done.harmless else ""
    apart = f", {len(done.unseen)} of them where no scenario comes" if done.unseen else ""
    console.print(
        f"{len(done.outcomes)} mutants of {done.drawn.possible}, drawn with seed {done.drawn.seed}: "
        f"{len(done.killed)} killed by a verdict, {len(done.broke)} broke the run, {len(done.survivors)} survived{apart}{harmless}"
    )
    if done.share is None:
        console.print("None that breaks a promise was judged.")
        return
    of_reached = done.share_of_reached
    reached = f" ({of_reached:.1%} of those that a scenario reaches)" if done.unseen and of_reached is not None else ""
    console.print(
        f"{done.share:.1%} of those that break a promise were killed by a verdict{reached}; {mutation_run.ENOUGH:.0%} are needed. "
        "Histories are not judged here (`fencepost check`)."
    )


def _write(results: Folder, done: MutationTrial) -> None:
    document = as_json(done)
    results.put(MUTANTS, json.dumps(document, indent=1) + "\n")
    template = resources.files("fencepost.fixtures").joinpath("mutants.html.j2").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    results.put(MUTANTS_PAGE, environment.from_string(template).render(**document, why_unseen=_why_unseen))


def as_json(done: MutationTrial) -> dict[str, Any]:
    """The trial for other programs, and for the page of the kill matrix."""
    return {
        "schema_version": 1,
        "fencepost": __version__,
        "complete": done.stopped is None,
        "stopped": done.stopped,
        "holds": done.holds,
        "seed": done.drawn.seed,
        "possible": done.drawn.possible,
        "share_killed": None if done.share is None else round(done.share, 4),
        "totals": {
            "judged": len(done.outcomes),
            "killed": len(done.killed),
            "broke": len(done.broke),
            "survived": len(done.survivors),
            "unreached": len(done.unseen),
            "lawful": len(done.harmless),
        },
        "mutants": [_row(done, one) for one in done.outcomes],
    }


def _row(done: MutationTrial, one: Outcome) -> dict[str, Any]:
    key = one.place.key
    return {
        "file": key.file,
        "line_number": one.place.number,
        "function": key.function,
        "line": key.line,
        "change": key.change,
        "nth": key.nth,
        "kind": one.place.kind,
        "state": one.state,
        "lawful": done.known.harmless.get(key) or (f"It keeps {one.mended}, which the release is known to break." if one.mended else None),
        "killed_before": key in done.known.killed,
        "reached": key not in done.unreached,
        "killed_by": [{"requirement": red.requirement, "profile": red.profile, "scenario": red.scenario} for red in one.killers],
        "broke": one.broke,
        "scenarios": one.scenarios,
        "seconds": round(one.seconds, 2),
    }


def read(folder: Path) -> dict[str, Any] | None:
    """What an earlier trial wrote in this folder; None if there is none."""
    path = folder / MUTANTS
    if not path.is_file():
        return None
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataFileError(f"{path}: not JSON: {error}; remove it") from error
    return document if document.get("schema_version") == 1 else None


def check(count: int | None, seed: int | None, only: Sequence[str] | None, write_killed: Path | None, specs: Sequence[str] | None) -> None:
    """Raises WrongUsage for options that do not fit together."""
    if count is None:
        given = {"--seed": seed, "--only": only, "--write-killed": write_killed}
        if lone := next((name for name, value in given.items() if value is not None and value != []), None):
            raise WrongUsage(f"{lone} is about mutants; give their number with --mutants, such as --mutants 200")
    elif specs:
        raise WrongUsage("--spec is about defects; with --mutants use --only, such as --only reference/kafka")
