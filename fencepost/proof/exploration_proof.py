"""`fencepost prove --explore`: which of the bundled defects exploration finds, and that it finds nothing in what conforms.

Each defect that breaks a requirement of a proposal with acts is explored by itself, until something is found or the examples are used up.
Conforming variants that change different functions are one broker, and each is explored alone where that one is not silent.
"""

import json
import os
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from fencepost.contract import register
from fencepost.contract.errors import Exit
from fencepost.contract.registration import SpecifiedSystem
from fencepost.explore import search
from fencepost.explore.disturbed import DisturbedTable
from fencepost.explore.reduction import reduced
from fencepost.explore.trial import Trials
from fencepost.reference.defects import CONFORMING, DEFECTS, Defect
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.options import RunOptions
from fencepost.steps.acts.act import Table, act_title
from fencepost.steps.acts.random_script import drawn
from fencepost.steps.acts.tables import TABLES, table_of

from . import conforming_groups, forkserver
from .profile_proof import sample
from .proof_folder import EXPLORED, claimed
from .proof_part import ProofPart

_DRAWN, _LENGTH = 1_000, 10
"""How many sequences, of how many acts, say what a table asks."""


@dataclass(frozen=True)
class Reach:
    """The result of exploring one variant: what was found, after how many sequences, in how many seconds of CPU, by which acts.

    `trouble` says why it could not go on: some defects break the reference down.
    """

    variant: str
    protocol: str
    spec: str
    is_conforming: bool
    sequences: int
    seconds: float
    requirement: str | None = None
    acts: tuple[str, ...] = ()
    trouble: str | None = None
    is_asked: bool = False
    """Whether an act asks a requirement that the defect breaks. Another may still be found, under another requirement."""

    @property
    def is_found(self) -> bool:
        return self.requirement is not None

    def __str__(self) -> str:
        kind = "conforming" if self.is_conforming else "defect"
        gone = f"{self.sequences:,} sequences, {self.seconds:.1f} s"
        if self.trouble:
            return f"! {self.variant} ({kind}): the reference breaks down with it: {self.trouble}"
        if not self.is_found:
            return f"{'+' if self.is_conforming else '-'} {self.variant} ({kind}): nothing found in {gone}"
        acts = "; ".join(map(act_title, self.acts))
        return f"{'X' if self.is_conforming else '+'} {self.variant} ({kind}): {self.requirement} after {gone}: {acts}"


@dataclass(frozen=True)
class _Task:
    broker: tuple[Defect, ...]
    spec: str
    examples: int
    length: int
    seed: int
    is_asked: bool = False

    def __str__(self) -> str:
        return f"{conforming_groups.named([one.name for one in self.broker])} ({self.spec})"


def explored(
    specs: Sequence[str],
    examples: int,
    length: int,
    seed: int,
    workers: int,
    count: int | None = None,
    part: ProofPart = ProofPart(),  # noqa: B008 - it is immutable
) -> Iterator[Reach]:
    """Explore each variant that concerns these proposals, several at a time; answers come as they are there.

    With a `count`, so many defects of each proposal, drawn by the seed; of all variants, those of the part.
    """
    tables = [table_of(spec) for spec in specs]
    rows, tasks = register.bundled(), []
    for table in tables:
        about = [one for one in DEFECTS.values() if any(rows.spec_of(row) == table.spec for row in one.breaks)]
        spoken = {one.protocol for one in about}
        conforming = conforming_groups.groups(one for one in CONFORMING.values() if one.protocol in spoken)
        asked = asked_by(table)
        broken = [_Task((one,), table.spec, examples, length, seed, not asked.isdisjoint(one.breaks)) for one in sample(about, count, seed)]
        tasks += [*broken, *(_Task(broker, table.spec, examples, length, seed) for broker in conforming)]
    tasks = list(part.of(tasks))
    with forkserver.pool(workers) as pool:
        alone: list[_Task] = []
        for task, one in pool.in_order(_reach, tasks, str):
            if one.is_found and one.is_conforming and len(task.broker) > 1:
                alone += [_Task((variant,), task.spec, examples, length, seed) for variant in task.broker]
            else:
                yield one
        for _, one in pool.in_order(_reach, alone, str):
            yield one


def asked_by(table: Table[Any]) -> frozenset[str]:
    """The requirements that lines of the table are about, as far as random sequences, which are not played, come across them."""
    chance = random.Random(0)  # noqa: S311 - a sequence is no secret
    return frozenset(line.requirement for _ in range(_DRAWN) for line, _ in drawn(table, _LENGTH, chance.choice).lines)


def show(
    specs: Sequence[str],
    examples: int,
    length: int,
    seed: int,
    workers: int,
    where: Path,
    count: int | None = None,
    part: ProofPart = ProofPart(),  # noqa: B008 - it is immutable
) -> Exit:
    """Prove, print and write `explored.json`. The exit code is 1 where something was found in what conforms."""
    results = claimed(where, EXPLORED)
    console, began, found = Console(highlight=False), time.monotonic(), list[Reach]()
    is_whole = False
    with forkserver.keeping_results():
        for one in explored(specs or tuple(TABLES), examples, length, seed, workers, count, part):
            found.append(one)
            console.print(f"  {one}", markup=False, soft_wrap=True)
        is_whole = True
    summary = list(_summed_up(found))
    reported = {
        "complete": is_whole,
        "examples": examples,
        "length": length,
        "seed": seed,
        "sample": count,
        "part": str(part),
        "summary": summary,
        "variants": [asdict(one) for one in found],
    }
    results.put(EXPLORED, json.dumps(reported, indent=1) + "\n")
    console.print()
    for line in summary:
        console.print(
            f"  {line['spec']} on {line['protocol']}: {line['found']} of {line['defects']} defects found; "
            f"of {line['asked']} that break what an act asks, {line['asked_found']}; {line['cpu_s']} s of CPU",
            soft_wrap=True,
        )
    false = [one for one in found if one.is_conforming and (one.is_found or one.trouble)]
    conforming = sum(one.is_conforming for one in found)
    console.print(
        f"  something was found in {len(false)} of {conforming} conforming brokers"
        if false
        else f"  silent on {conforming} conforming brokers"
    )
    console.print(f"{time.monotonic() - began:.0f} s; {os.path.relpath(where)}/{EXPLORED}")
    if not is_whole:
        console.print(f"  stopped after {len(found)} variants")
        return Exit.NOT_FINISHED
    return Exit.DOES_NOT if false else Exit.CONFORMS


def _summed_up(found: Iterable[Reach]) -> Iterator[dict[str, Any]]:
    broken = [one for one in found if not one.is_conforming]
    for spec, protocol in dict.fromkeys((one.spec, one.protocol) for one in broken):
        of = [one for one in broken if (one.spec, one.protocol) == (spec, protocol)]
        seconds = round(sum(one.seconds for one in of), 1)
        asked = [one for one in of if one.is_asked]
        yield {
            "spec": spec,
            "protocol": protocol,
            "defects": len(of),
            "found": sum(one.is_found for one in of),
            "asked": len(asked),
            "asked_found": sum(one.is_found for one in asked),
            "cpu_s": seconds,
        }


def _reach(task: _Task) -> Reach:
    """Explore a variant, in a process that does nothing else."""
    broker = conforming_groups.as_one(task.broker)
    (CONFORMING if broker.is_conforming else DEFECTS)[broker.name] = broker
    began = time.process_time()
    reach = partial(Reach, broker.name, broker.protocol, task.spec, broker.is_conforming, is_asked=task.is_asked)
    try:
        systems = JudgedSystems(RunOptions(asked=SpecifiedSystem({"defect": broker.name})), register.bundled())
        systems.open({broker.protocol: [frozenset()]})
        offers, variants = systems.handshakes[broker.protocol].capabilities, [one.name for one in task.broker]
        disturbed = DisturbedTable.of(TABLES[task.spec], broker.protocol, offers, systems.profile, variants)
        if not disturbed.table.acts:
            return reach(0, round(time.process_time() - began, 2), trouble="it offers none of the acts")
        trials = Trials(disturbed.table, systems.by_protocol[broker.protocol].session, disturbed=disturbed)
        progress = search.drawn(trials, task.examples, task.length, task.seed, lambda _: True)
        seconds = round(time.process_time() - began, 2)
        if progress.finding is None:
            return reach(progress.count, seconds, trouble=str(progress.broke_off) if progress.broke_off else None)
        small = reduced(progress.finding, trials.find)
        return reach(progress.count, seconds, small.requirement, small.acts)
    except Exception as error:  # a defect can break whatever the reference is asked
        return reach(0, round(time.process_time() - began, 2), trouble=f"{type(error).__name__}: {error}")
