"""`fencepost prove --museum --twins`: the defects of real bugs, each played with twins of the scenarios that were not written for it.
With `--holes`, the defects of red teams.

Without the scenarios of the requirements that a defect breaks, is it still noticed: by a twin that differs, or by a scenario that is red
without a disturbance? Both turn a run of twins red. A defect is played until a twin differs, or its share of CPU time is over. A whole run
of twins plays all scenarios; here the other scenarios of the same features have the first half of the time.
"""

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from fencepost.contract import register
from fencepost.contract.errors import Exit
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import Verdict
from fencepost.proof import forkserver
from fencepost.proof.proof_folder import MUSEUM_TWINS, claimed
from fencepost.proof.proof_part import ProofPart
from fencepost.reference.defects import DEFECTS, Defect
from fencepost.run.options import RunOptions
from fencepost.run.plays import Play, Plays
from fencepost.twins import disturbances
from fencepost.twins.drawn_twins import DrawnTwins, places
from fencepost.twins.twin import Twins, TwinVerdict

from .bugs import bundled

_DRAWN_NEAR, _DRAWN = 8, 2
"""How many twins are played of each scenario of the features that the defect is about, and of each other one."""
_RED_TEAM = "red team"
"""How the origin of a defect begins with which a red team found a hole of the suite."""
_CPU_S = 7.0
"""How much CPU time a defect has, half of it at most for the first of these."""


@dataclass(frozen=True)
class DefectInTwins:
    """What a run of twins shows of a defect: the first twin that differs, and the first scenario that is red without a disturbance."""

    defect: str
    protocol: str
    twins: int
    seconds: float
    disturbance: str | None = None
    twin: str | None = None
    difference: str | None = None
    red: str | None = None

    @property
    def noticed_by(self) -> str:
        """The column in which it counts."""
        return "a twin" if self.twin else "a scenario, undisturbed" if self.red else "nothing"

    def __str__(self) -> str:
        found = f"{self.twin}: {self.difference}" if self.twin else self.red or ""
        return f"{self.defect}: {self.noticed_by}, after {self.twins:,} twins, {self.seconds:.1f} s {found}"


def defects(specs: Sequence[str], *, holes: bool) -> list[str]:
    """The defects of real bugs, or those with which a red team found a hole of the suite; with proposals, those that break a requirement
    of these.
    """
    rows = register.bundled()
    bugs = dict.fromkeys(name for bug in bundled().played for name in bug.defects)
    known = [one.name for one in DEFECTS.values() if one.origin.startswith(_RED_TEAM)] if holes else list(bugs)
    return [name for name in known if not specs or any(rows.spec_of(row) in specs for row in DEFECTS[name].breaks)]


def show(names: Sequence[str], seed: int, workers: int, where: Path, part: ProofPart) -> Exit:
    """Play these defects, print and write `museum-twins.json`. Nothing is red here: the figures say how much twins find by themselves."""
    wanted = [(name, seed) for name in part.of(names)]
    results = claimed(where, MUSEUM_TWINS)
    console, found = Console(highlight=False), list[DefectInTwins]()
    with forkserver.keeping_results(), forkserver.pool(workers) as pool:
        for _, one in pool.in_order(_play, wanted, lambda task: task[0]):
            found.append(one)
            console.print(f"  {one}"[:300], markup=False, soft_wrap=True)
    shown = [asdict(one) | {"noticed_by": one.noticed_by} for one in found]
    results.put(MUSEUM_TWINS, json.dumps({"complete": len(found) == len(wanted), "seed": seed, "defects": shown}, indent=1) + "\n")
    console.print()
    for protocol in dict.fromkeys(one.protocol for one in found):
        console.print(f"  {protocol}: {_summed_up([one for one in found if one.protocol == protocol])}")
    console.print(f"{os.path.relpath(where)}/{MUSEUM_TWINS}")
    if len(found) < len(wanted):
        console.print(f"  stopped after {len(found)} of {len(wanted)} defects")
        return Exit.NOT_FINISHED
    return Exit.CONFORMS


def _summed_up(found: Sequence[DefectInTwins]) -> str:
    counts = Counter(one.noticed_by for one in found)
    columns = ", ".join(f"{counts[name]} by {name}" for name in ("a twin", "a scenario, undisturbed", "nothing"))
    named = ", ".join(f"{name} {count}" for name, count in Counter(one.disturbance for one in found if one.twin).most_common())
    known = disturbances.bundled().by_name
    families = Counter(known[one.disturbance].family for one in found if one.disturbance)
    by_family = ", ".join(f"{name} {count}" for name, count in families.most_common())
    return f"{len(found)} defects, noticed: {columns}; first by {named or 'none'}; by family: {by_family or 'none'}"


def _play(task: tuple[str, int]) -> DefectInTwins:
    name, seed = task
    defect, began = DEFECTS[name], time.process_time()
    count, red = 0, None
    with Plays(RunOptions(asked=SpecifiedSystem({"defect": name}))) as plays:
        twins = Twins(plays.systems)
        near, far = _without_its_own(plays.all, defect, seed)
        chosen = [one for one in disturbances.bundled().by_name.values() if defect.protocol in one.protocols]
        half = _CPU_S / 2
        for play, drawn, until in [*((play, _DRAWN_NEAR, half) for play in near), *((play, _DRAWN, _CPU_S) for play in far)]:
            if time.process_time() - began > until:
                continue
            plain = twins.plain(play)
            if plain.verdict.is_red and red is None:
                red = f"{play.requirement} {play.name}"
            if plain.verdict is not Verdict.MET:
                continue
            for result in DrawnTwins(places(twins, play, chosen), drawn, seed, play).results(partial(twins.put, plain)):
                count += result.was_played
                if result.verdict is TwinVerdict.DIFFERS:
                    seconds = round(time.process_time() - began, 2)
                    twin = f"{play.requirement} {play.name}, {result.disturbance} {result.where}"
                    return DefectInTwins(name, defect.protocol, count, seconds, result.disturbance, twin, result.difference, red)
    return DefectInTwins(name, defect.protocol, count, round(time.process_time() - began, 2), red=red)


def _without_its_own(plays: Iterable[Play], defect: Defect, seed: int) -> tuple[list[Play], list[Play]]:
    """The scenarios that were not written for the defect: those of the features that have its requirements, and the others."""
    asked = [play for play in plays if play.protocol == defect.protocol]
    features = {play.feature.path for play in asked if play.requirement in defect.breaks}
    random.Random(seed).shuffle(asked)  # noqa: S311 - so that a defect is not looked for by the order of the features
    others = [play for play in asked if play.requirement not in defect.breaks]
    return [one for one in others if one.feature.path in features], [one for one in others if one.feature.path not in features]
