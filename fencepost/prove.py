"""`fencepost prove`: is each check able to fail, and for the right reason; and does nothing fail that is lawful?

The suite is run on every defect of the reference. A requirement is *proved* when a defect that breaks it turns its own scenario
red with the defect's symptom. One that nothing turns red is a hole: its green is not known to mean anything. A lawful oddity that
turns anything red is a false red.

Each defect is run in a process of its own, on the scenarios of the feature that its requirement stands in; `--all` runs everything
on each.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from fencepost.reference.defects import DEFECTS, ODDITIES, Defect

from . import gherkin
from .register import Register

_TIME_LIMIT_S = 300


@dataclass(frozen=True)
class Seen:
    """What the suite said of one variant: for each requirement that was judged its verdict, and the reason of a red one."""

    defect: Defect
    verdicts: dict[str, str]
    reasons: dict[str, str]
    trouble: str | None = None

    @property
    def reds(self) -> list[str]:
        return [requirement for requirement, verdict in self.verdicts.items() if verdict in ("violated", "inconclusive", "harness_error")]

    @property
    def is_caught(self) -> bool:
        """The scenario of the broken requirement is violated, and says why."""
        broken = self.defect.breaks or ""
        return self.verdicts.get(broken) == "violated" and self.defect.shows_in(self.reasons.get(broken, ""))


@dataclass(frozen=True)
class Proof:
    """The kill matrix: every tested requirement, and what every variant did."""

    requirements: tuple[str, ...]
    seen: tuple[Seen, ...]

    @property
    def proved(self) -> dict[str, list[str]]:
        """For each requirement the defects that prove it."""
        return {row: [one.defect.name for one in self.seen if one.defect.breaks == row and one.is_caught] for row in self.requirements}

    @property
    def holes(self) -> list[str]:
        """The requirements that no defect proves."""
        return [row for row, defects in self.proved.items() if not defects]

    @property
    def missed(self) -> list[Seen]:
        """The defects that were not caught, or not for their reason."""
        return [one for one in self.seen if one.defect.breaks and not one.is_caught]

    @property
    def false_reds(self) -> list[Seen]:
        """The lawful oddities at which something was red, or whose run failed."""
        return [one for one in self.seen if not one.defect.breaks and (one.reds or one.trouble)]

    @property
    def holds(self) -> bool:
        return not (self.holes or self.missed or self.false_reds)


def prove(register: Register, specs: Iterable[str], everything: bool, workers: int, tell: Callable[[Seen, int, int], None]) -> Proof:
    """Run the suite on every variant that concerns these proposals. `tell` hears of each as it ends, with its number and the count."""
    requirements = tuple(row.id for row in register.rows(specs) if row.is_tested)
    defects = [defect for defect in DEFECTS.values() if defect.breaks in requirements]
    variants = [*defects, *ODDITIES.values()]
    found: dict[str, Seen] = {}
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(_run, defect, _asked_of(defect, requirements, everything)) for defect in variants]
        for number, future in enumerate(as_completed(running), 1):
            one = future.result()
            found[one.defect.name] = one
            tell(one, number, len(variants))
    return Proof(requirements, tuple(found[defect.name] for defect in variants))


def _asked_of(defect: Defect, requirements: tuple[str, ...], everything: bool) -> tuple[str, ...]:
    """What a variant is asked: all, or what stands in the feature of the requirement that it breaks."""
    if everything or defect.breaks is None:
        return requirements
    features = {feature.path for feature, _ in gherkin.scenarios_of(gherkin.bundled(), defect.breaks)}
    return tuple(
        row for row in requirements if any(feature.path in features for feature, _ in gherkin.scenarios_of(gherkin.bundled(), row))
    )


def _run(defect: Defect, asked: tuple[str, ...]) -> Seen:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "fencepost.cli", "run", "--defect", defect.name, "--results", folder, "--no-html"]
        command += [f"--only={requirement}" for requirement in asked]
        try:
            done = subprocess.run(  # noqa: S603 - our own command line
                command, cwd=folder, env=os.environ | {"COLUMNS": "200"}, capture_output=True, text=True, timeout=_TIME_LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return Seen(defect, {}, {}, f"the run took longer than {_TIME_LIMIT_S} s")
        path = Path(folder) / "compliance.json"
        if not path.is_file() or done.returncode not in (0, 1, 3):
            return Seen(defect, {}, {}, f"the run ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        rows = json.loads(path.read_text(encoding="utf-8"))["requirements"]
    judged = [row for row in rows if row["verdict"] not in ("not_run", "excluded")]
    return Seen(defect, {row["id"]: row["verdict"] for row in judged}, {row["id"]: row["reason"] or "" for row in judged})
