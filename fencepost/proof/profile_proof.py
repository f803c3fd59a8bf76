"""`fencepost prove --profile P`: which defects of the reference does the suite find on a broker of another profile?

A profile such as `kip98` offers less, so its scenarios send other requests, and check what readers see if no request describes a
transaction. Each defect of the proposals is put into a broker of that profile, which is judged by the requirements that it breaks. It is

* *found* if one of these is violated; the symptom may differ from that on the profile `seed`,
* *stopped* if none is violated, and a scenario could not be judged: that is red too,
* *not tested* if the profile offers none of their scenarios, or none of them calls the code that the defect changes, or the reference
  breaks down with it there,
* *missed* if all that was asked is met.

`fixtures/missed.yaml` has the defects that are known to be missed on a profile, with the reason.
"""

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import resources
from pathlib import Path

from rich.console import Console

from fencepost.adapters import registry
from fencepost.contract import register as registers
from fencepost.contract.datafile import Row, load
from fencepost.contract.errors import Exit, UnknownName
from fencepost.contract.register import Register
from fencepost.contract.verdict import Verdict
from fencepost.reference.defects import DEFECTS, Defect

from . import forkserver
from .defect_proof import Seen, protocols_asked, see
from .proof_folder import AT_PROFILE, claimed

_KAFKA = "kafka"


class Fate(Enum):
    """The result of a defect on a profile."""

    FOUND = "found"
    STOPPED = "stopped"
    NOT_TESTED = "not tested"
    MISSED = "missed"


@dataclass(frozen=True)
class ProfileTrial:
    """The trial of a defect on a profile: what was violated there, or why nothing was."""

    defect: Defect
    fate: Fate
    violated: tuple[str, ...]
    why: str | None = None

    def __str__(self) -> str:
        """`found: no-epoch-bump: KIP890-060 violated`."""
        return f"{self.fate.value}: {self.defect.name}: {self.why or ', '.join(self.violated) + ' violated'}"


class Missed(Row):
    """A defect that a profile is known to hide, with the reason."""

    profile: str
    defect: str
    reason: str


def known(profile: str) -> dict[str, str]:
    """The reasons of `fixtures/missed.yaml` for a profile, by the names of defects. Raises DataFileError."""
    rows = load(resources.files("fencepost.fixtures").joinpath("missed.yaml"), list[Missed])
    return {row.defect: row.reason for row in rows if row.profile == profile}


def fate_of(seen: Seen) -> ProfileTrial:
    """The trial of a defect by its verdicts."""
    asked = [row for row, verdict in seen.verdicts.items() if verdict != Verdict.NOT_OFFERED]
    violated = tuple(row for row in asked if seen.verdicts[row] == Verdict.VIOLATED)
    if violated:
        return ProfileTrial(seen.defect, Fate.FOUND, violated)
    if any(seen.verdicts[row] == Verdict.HARNESS_ERROR for row in asked):
        return ProfileTrial(seen.defect, Fate.NOT_TESTED, (), seen.trouble or "the reference breaks down with it")
    if any(seen.verdicts[row] == Verdict.INCONCLUSIVE for row in asked):
        return ProfileTrial(seen.defect, Fate.STOPPED, (), ", ".join(f"{row} {seen.verdicts[row]}" for row in asked))
    if not asked:
        return ProfileTrial(seen.defect, Fate.NOT_TESTED, (), "the profile offers none of its scenarios")
    if seen.is_unmet:
        return ProfileTrial(seen.defect, Fate.NOT_TESTED, (), seen.trouble)
    return ProfileTrial(seen.defect, Fate.MISSED, (), seen.trouble or ", ".join(f"{row} {seen.verdicts[row]}" for row in asked))


def breaking(register: Register, specs: Iterable[str]) -> list[Defect]:
    """The defects of Kafka that break a tested requirement of these proposals, in the order of their names: profiles are Kafka's."""
    rows = {row.id for row in register.rows(tuple(specs)) if row.is_tested and _KAFKA in protocols_asked(row.id, register)}
    return [defect for _, defect in sorted(DEFECTS.items()) if defect.protocol == _KAFKA and not rows.isdisjoint(defect.breaks)]


def sample(defects: Sequence[Defect], count: int | None, seed: int) -> list[Defect]:
    """Draw `count` of them with that seed; all if no number is given, or there are no more."""
    if count is None or count >= len(defects):
        return list(defects)
    return random.Random(seed).sample(defects, count)  # noqa: S311 - it is no secret


def prove_at(profile: str, defects: Sequence[Defect], workers: int, report: Callable[[ProfileTrial], None]) -> list[ProfileTrial]:
    """Try each of these defects on that profile, each in a separate process; `report` is called with each trial as it ends.

    An interrupt, or the death of a process, leaves out those that were not tried.
    """
    tasks = [(defect, tuple(defect.breaks), profile) for defect in defects]
    found = []
    with forkserver.keeping_results(), forkserver.pool(workers) as pool:
        for _, seen in pool.as_they_end(_see, tasks, lambda task: task[0].name):
            found.append(fate_of(seen))
            report(found[-1])
    return found


def unexplained(trials: Iterable[ProfileTrial], reasons: Mapping[str, str]) -> list[ProfileTrial]:
    """What was missed without a known reason, by the names of defects."""
    return [trial for trial in trials if trial.fate is Fate.MISSED and trial.defect.name not in reasons]


def stale(trials: Iterable[ProfileTrial], reasons: Mapping[str, str]) -> list[str]:
    """The defects that are known to be missed, but were not."""
    return [trial.defect.name for trial in trials if trial.fate is Fate.FOUND and trial.defect.name in reasons]


def show(profile: str, specs: Sequence[str], count: int | None, seed: int, workers: int, where: Path) -> Exit:
    """Try the defects, print the result of each, and write `profile.json`. The exit code is 1 if one is missed without a known reason,
    or if a known one is found; 4 if it was stopped.
    """
    profiles = registry.engine(_KAFKA).profiles()
    if profile not in profiles:
        raise UnknownName("profile", profile, profiles)
    registry.check_proposals()
    rows = registers.bundled()
    rows.rows(specs)
    results = claimed(where, AT_PROFILE)
    console, began = Console(highlight=False), time.monotonic()
    defects = sample(breaking(rows, specs), count, seed)
    trials = prove_at(profile, defects, workers, lambda one: console.print(f"  {one}", markup=False, soft_wrap=True))
    counts = Counter(trial.fate for trial in trials)
    missed, found = unexplained(trials, known(profile)), stale(trials, known(profile))
    document = {
        "profile": profile,
        "complete": len(trials) == len(defects),
        "seed": seed,
        "fates": {fate.value: counts[fate] for fate in Fate},
        "unexplained": [trial.defect.name for trial in missed],
        "stale": found,
        "defects": {trial.defect.name: {"fate": trial.fate.value, "violated": trial.violated, "why": trial.why} for trial in trials},
    }
    results.put(AT_PROFILE, json.dumps(document, indent=1) + "\n")
    console.print(
        f"\n  {profile}: {', '.join(f'{counts[fate]} {fate.value}' for fate in Fate)}; {len(missed)} missed without a known reason",
        soft_wrap=True,
    )
    for trial in missed:
        console.print(f"  X {trial}", markup=False, soft_wrap=True)
    for name in found:
        console.print(f"  X {name} is found: remove it from fixtures/missed.yaml", markup=False, soft_wrap=True)
    console.print(f"{time.monotonic() - began:.0f} s; {os.path.relpath(where)}/{AT_PROFILE}")
    if len(trials) < len(defects):
        console.print(f"  stopped after {len(trials)} of {len(defects)} defects")
        return Exit.NOT_FINISHED
    return Exit.DOES_NOT if missed or found else Exit.CONFORMS


def _see(task: tuple[Defect, tuple[str, ...], str]) -> Seen:
    defect, asked, profile = task
    return see((defect,), asked, profile)[0]
