"""The kill matrix of `fencepost prove`: on the terminal, as JSON, and as a page. It is partial if the proof was stopped."""

import dataclasses
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from fencepost import __version__
from fencepost.adapters import registry
from fencepost.contract import register
from fencepost.contract.errors import Exit
from fencepost.proof.mutants import mutant_report

from .defect_proof import Breadth, Proof, Seen, prove
from .kill_matrix_page import page
from .proof_folder import MATRIX, MATRIX_PAGE, claimed


def show(specs: Sequence[str], everything: bool, workers: int, folder: Path) -> int:
    """Prove, print, and write `prove.json` and `prove.html`. Returns 0 if the proof holds, 1 if it does not, 4 if it was stopped."""
    registry.check_proposals()
    rows = register.bundled()
    rows.rows(specs)
    results = claimed(folder, MATRIX, MATRIX_PAGE)
    console = Console(highlight=False)
    began = time.monotonic()
    breadth = Breadth.EVERYTHING if everything else Breadth.ITS_FEATURES
    proof = prove(rows, specs, breadth, workers, lambda one, number, count: console.print(_line(one, number, count)))
    results.put(MATRIX, json.dumps(as_json(proof), indent=1) + "\n")
    results.put(MATRIX_PAGE, page(proof, mutant_report.read(folder)))
    _sum_up(proof, console)
    console.print(f"{time.monotonic() - began:.0f} s; {os.path.relpath(folder)}/{MATRIX_PAGE}")
    if proof.stopped:
        return Exit.NOT_FINISHED
    return Exit.CONFORMS if proof.holds else Exit.DOES_NOT


def as_json(proof: Proof) -> dict[str, Any]:
    """The matrix for other programs."""
    return {
        "schema_version": 2,
        "fencepost": __version__,
        "complete": proof.stopped is None,
        "stopped": proof.stopped,
        "holds": proof.holds,
        "requirements": [
            {"id": row, "protocols": list(proof.protocols[row]), "proved_by": defects, "holes": proof.holes_of(row)}
            for row, defects in proof.proved.items()
        ],
        "variants": [
            {
                "name": one.defect.name,
                "breaks": {row: _cell(one, row) for row in one.defect.breaks},
                "protocol": one.defect.protocol,
                "origin": one.defect.origin,
                "caught": one.is_caught,
                "red": one.reds,
                "trouble": one.trouble,
            }
            for one in proof.seen
        ],
    }


def _cell(one: Seen, row: str) -> dict[str, Any]:
    """How a requirement that a defect breaks should fail, how it failed, and whether the two agree."""
    violation = one.violations.get(row)
    return {
        "symptom": one.defect.breaks[row].model_dump(),
        "violation": violation and dataclasses.asdict(violation),
        "caught": one.proves(row),
    }


def _line(one: Seen, number: int, count: int) -> Text:
    is_right = not one.reds if one.defect.is_conforming else one.is_caught
    sign, style = ("+", "green") if is_right and not one.trouble else ("X", "bold red")
    if one.defect.is_conforming and one.is_unmet:
        sign, style = "o", "dim"
    what = "conforming" if one.defect.is_conforming else f"breaks {' and '.join(one.defect.breaks)}"
    return Text(f"{number:4}/{count}  {sign} {one.defect.name}, {what}", style="" if sign == "+" else style)


def _sum_up(proof: Proof, console: Console) -> None:
    console.print()
    for one in proof.missed:
        for row in one.unproved:
            found = one.reasons.get(row) or one.verdicts.get(row, "not judged")
            console.print(Text(f"not caught: {one.defect.name} breaks {row}, due: {one.defect.breaks[row]}; found: {found}", style="red"))
    for one in proof.false_reds:
        console.print(Text(f"false red: {one.defect.name} conforms; red: {', '.join(one.reds)}", style="red"))
    for one in proof.inapplicable:
        console.print(Text(f"does not apply: {one.defect.name}: {one.trouble}", style="red"))
    for row, protocol in proof.holes:
        under = f" under {protocol}" if len(proof.protocols[row]) > 1 else ""
        console.print(Text(f"hole: no defect turns {row} red{under}: {register.bundled()[row].statement}", style="red"))
    if proof.stopped:
        console.print(Text(f"{proof.stopped}; {len(proof.undecided)} requirements wait for variants that were not run", style="bold"))
    applied = [one for one in proof.seen if not one.trouble]
    conforming = sum(one.defect.is_conforming for one in applied)
    console.print(
        f"{proof.proved_count} of {len(proof.requirements)} tested requirements proved by "
        f"{len(applied) - conforming} defects; {len(proof.false_reds)} of {conforming} conforming variants caught"
    )
