"""`fencepost prove --twins`: which losses at a replay are noticed by twins, and that twins notice nothing in a broker that conforms.

A loss is a broker that reads one field of one durable record as if it had never been set (`reference/defects/replay.py`). Each is played
with the disturbances of the family `replay` until a twin differs. Every profile of the reference and every conforming variant must be
silent, with twins drawn by the seed, or with all twins if `--all` is given. Where an exception names a conforming variant, all twins of
its requirement are played there, and one that none of them needs is red.
"""

import contextlib
import functools
import json
import logging
import os
import random
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import Field
from rich.console import Console

from fencepost.adapters import registry
from fencepost.contract import proposals
from fencepost.contract.datafile import DataFileError, Row, line_of, load
from fencepost.contract.errors import Exit
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import Verdict
from fencepost.reference.defects import CONFORMING, Defect
from fencepost.reference.defects.replay import DURABLE, losses, variants
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection
from fencepost.twins import allowed_differences, disturbances
from fencepost.twins.allowed_differences import TwinException
from fencepost.twins.drawn_twins import DrawnTwins, places
from fencepost.twins.twin import Twins, TwinVerdict

from . import conforming_groups, forkserver
from .proof_folder import TWINS, claimed
from .proof_part import ProofPart, only

_DRAWN = 2
"""How many twins of each scenario are played on a conforming broker, unless all are."""
_CPU_S = 20.0
"""How much CPU time a loss has, unless all twins are played. Nearly all that are noticed are so within two seconds."""


class HarmlessLoss(Row):
    """A loss that no client can ever see, with the reason, from `fixtures/harmless_losses.yaml`."""

    loss: str
    reason: str = Field(min_length=1)


@functools.cache
def harmless() -> dict[str, str]:
    """The reasons of the bundled harmless losses, by their names."""
    return read_harmless(resources.files("fencepost.fixtures").joinpath("harmless_losses.yaml"))


def read_harmless(path: Path | Traversable) -> dict[str, str]:
    """Those of a file. Raises DataFileError for an unknown loss."""
    rows = load(path, list[HarmlessLoss])
    known = {one.name for protocol in DURABLE for one in losses(protocol)}
    for number, one in enumerate(rows):
        if one.loss not in known:
            raise DataFileError(f"{path}:{line_of(path, number, 'loss')}: {number + 1}.loss: there is no loss {one.loss!r}")
    return {one.loss: one.reason for one in rows}


@dataclass(frozen=True)
class Noticed:
    """The result of one broker: after how many twins one differed, in which requirement, with which disturbance and where.

    `stale` has the exceptions for it that none of its twins needed. `by_itself` is whether a scenario that itself restarts the broker was
    red before; `trouble` is why a broker could not be played.
    """

    name: str
    protocol: str
    is_conforming: bool
    twins: int
    seconds: float
    requirement: str | None = None
    disturbance: str | None = None
    where: str | None = None
    difference: str | None = None
    by_itself: bool = False
    trouble: str | None = None
    stale: tuple[str, ...] = ()

    @property
    def is_noticed(self) -> bool:
        return self.requirement is not None or self.by_itself

    def __str__(self) -> str:
        gone = f"{self.twins:,} twins, {self.seconds:.1f} s"
        if self.trouble:
            return f"! {self.name}: cannot be played: {self.trouble}"
        if self.stale:
            return f"X {self.name}: no twin needs {'; '.join(self.stale)}: remove it from fixtures/twin_exceptions.yaml"
        if self.requirement is None and self.by_itself:
            return f"{'X' if self.is_conforming else '+'} {self.name}: no twin differs in {gone}, and a scenario is red by itself"
        if not self.is_noticed:
            reason = f": {harmless()[self.name]}" if self.name in harmless() else ""
            sign = "+" if self.is_conforming or reason else "-"
            return f"{sign} {self.name}: nothing noticed in {gone}{reason}"
        found = f"{self.requirement}, {self.disturbance} {self.where}, after {gone}: {self.difference}"
        return f"{'X' if self.is_conforming else '+'} {self.name}: {found}"


@dataclass(frozen=True)
class PlayedBroker:
    """A broker to be played: the reference with a profile and a variant. `most` is how many twins of each scenario; None for all."""

    name: str
    protocol: str
    selection: Selection
    disturbances: tuple[str, ...]
    is_conforming: bool
    seed: int
    most: int | None
    variant: tuple[str, ...] = ()
    """By name, because a generated class cannot be sent to another process."""
    profile: str | None = None

    @property
    def passes(self) -> tuple[int | None, ...]:
        """How many twins of each scenario are played in each pass: first one of each, if it is enough that any twin differs."""
        return (self.most,) if self.is_conforming else (1, self.most)


def tasks(specs: Sequence[str], seed: int, everything: bool) -> list[PlayedBroker]:
    """The losses, then the conforming brokers, of the protocols that these proposals bind and that twins support."""
    known = proposals.bundled()
    named = tuple(specs) or tuple(known.by_spec)
    speaking: dict[str, list[str]] = {}
    for profile in registry.find(registry.REFERENCE).profiles():
        for protocol in registry.protocols_of(registry.REFERENCE, SpecifiedSystem(profile=profile)):
            speaking.setdefault(protocol, []).append(profile)
    protocols = {name: tuple(spec for spec in named if name in known.protocols_of(spec)) for name in speaking}
    most = None if everything else _DRAWN
    found: list[PlayedBroker] = []
    for protocol, about in protocols.items():
        fitting = [one for one in disturbances.bundled().by_name.values() if any(one.fits(spec, protocol) for spec in about)]
        names = tuple(one.name for one in fitting)
        if not names:
            continue
        if protocol in DURABLE:
            replayed = tuple(one.name for one in fitting if one.family == "replay")
            found += [
                PlayedBroker(one.name, protocol, Selection(specs=about), replayed, False, seed, None, (one.name,))
                for one in variants(protocol)
            ]
        conforming = partial(
            PlayedBroker, protocol=protocol, selection=Selection(specs=about), disturbances=names, is_conforming=True, seed=seed, most=most
        )
        found += [conforming(f"profile {name} ({protocol})", profile=name) for name in speaking[protocol]]
        groups = conforming_groups.groups(one for one in CONFORMING.values() if one.protocol == protocol)
        found += [conforming("+".join(one.name for one in group), variant=tuple(one.name for one in group)) for group in groups]
    return found


def show(specs: Sequence[str], seed: int, everything: bool, workers: int, where: Path, part: ProofPart, names: Sequence[str] = ()) -> Exit:
    """Prove, print and write `twins.json`; with names, only for these brokers.

    Exits with 1 if a conforming broker was noticed, or less than 95 % of the losses were.
    """
    wanted = part.of(only(tasks(specs, seed, everything), names, lambda one: one.name))
    results = claimed(where, TWINS)
    console, began, found = Console(highlight=False), time.monotonic(), list[Noticed]()
    with forkserver.keeping_results():
        for one in _noticed(wanted, workers):
            found.append(one)
            console.print(f"  {one}"[:400], markup=False, soft_wrap=True)
    is_whole = len(found) == len(wanted)
    conforming = [one for one in found if one.is_conforming]
    lost = [one for one in found if one not in conforming and one.name not in harmless()]
    false = [one for one in conforming if one.is_noticed or one.trouble or one.stale]
    stale = [one.name for one in found if one.name in harmless() and one.is_noticed]
    noticed = [one for one in lost if one.is_noticed]
    reported: dict[str, Any] = {"complete": is_whole, "seed": seed, "part": str(part), "losses": len(lost), "noticed": len(noticed)}
    results.put(TWINS, json.dumps(reported | {"brokers": [asdict(one) for one in found]}, indent=1) + "\n")
    console.print()
    alone = sum(one.requirement is not None for one in noticed)
    share = f" ({100 * len(noticed) / len(lost):.0f} %)" if lost else ""
    console.print(
        f"  {len(noticed)} of {len(lost)} losses at a replay noticed{share}, {alone} of them by a twin, the others by scenarios alone"
    )
    unseen = sum(one.name in harmless() for one in found)
    if unseen:
        console.print(f"  {unseen} more that no client can see, for the reasons in fixtures/harmless_losses.yaml")
    for name in stale:
        console.print(f"  X {name} was noticed: remove it from fixtures/harmless_losses.yaml", markup=False)
    count = len(conforming)
    console.print(f"  noticed in {len(false)} of {count} brokers that conform" if false else f"  silent on {count} brokers that conform")
    console.print(f"{time.monotonic() - began:.0f} s; {os.path.relpath(where)}/{TWINS}")
    if not is_whole:
        console.print(f"  stopped after {len(found)} of {len(wanted)} brokers")
        return Exit.NOT_FINISHED
    return Exit.DOES_NOT if false or stale or len(noticed) < 0.95 * len(lost) else Exit.CONFORMS


def _noticed(wanted: Sequence[PlayedBroker], workers: int) -> Iterator[Noticed]:
    with forkserver.pool(workers) as pool:
        for _, one in pool.in_order(play, wanted, lambda task: conforming_groups.named(task.variant) if task.variant else task.name):
            yield one


def play(task: PlayedBroker) -> Noticed:
    """Play the twins of a broker until one differs, in a dedicated process."""
    options: dict[str, str] = {}
    if task.variant:
        broker = conforming_groups.as_one(_variants(task))
        CONFORMING[broker.name] = broker
        options["defect"] = broker.name
    began, reported = time.process_time(), partial(Noticed, task.name, task.protocol, task.is_conforming)
    count, by_itself = 0, False
    needed = set[int]()
    try:
        asked = SpecifiedSystem(options, task.profile)
        with _without_log(), Plays(RunOptions(asked=asked, selection=task.selection)) as plays:
            chosen = [disturbances.bundled().by_name[name] for name in task.disturbances]
            twins = Twins(plays.systems, compares=not (task.is_conforming and task.variant), variants=task.variant)
            mine = [play for play in plays if play.protocol == task.protocol]
            excepted = _exceptions_of(task, {play.requirement for play in mine})
            entire = {one.requirement for one in excepted}
            random.Random(task.seed).shuffle(mine)  # noqa: S311 - so that a loss is not looked for by the order of the features
            for play, most in ((play, most) for most in task.passes for play in mine):
                if not task.is_conforming and task.most is not None and time.process_time() - began > _CPU_S:
                    break
                plain = twins.plain(play)
                by_itself |= plain.verdict.is_red
                if plain.verdict is not Verdict.MET:
                    continue
                drawn_most = None if play.requirement in entire else most
                drawn = DrawnTwins(places(twins, play, chosen), drawn_most, task.seed, play)
                for result in drawn.results(partial(twins.put, plain)):
                    count += result.was_played
                    needed.update(map(id, result.exceptions))
                    if result.verdict is TwinVerdict.DIFFERS:
                        seconds, where = round(time.process_time() - began, 2), f"in {play.name}, {result.where}"
                        return reported(count, seconds, play.requirement, result.disturbance, where, result.difference, by_itself)
        stale = tuple(str(one) for one in excepted if id(one) not in needed)
        return reported(count, round(time.process_time() - began, 2), by_itself=by_itself, stale=stale)
    except Exception as error:  # a loss can break whatever the reference does
        trouble = f"{type(error).__name__}: {error}"
        return reported(count, round(time.process_time() - began, 2), by_itself=by_itself, trouble=trouble)


@contextlib.contextmanager
def _without_log() -> Iterator[None]:
    """What a broker logs of records that it cannot read is expected of a loss, and would be most of the output."""
    log = logging.getLogger("fencepost")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _exceptions_of(task: PlayedBroker, requirements: Collection[str]) -> list[TwinException]:
    """The exceptions for a conforming variant of the task, all of whose twins are played: those of a requirement that it is asked, and
    those of all requirements if no twins are drawn.
    """
    named = set(task.variant) if task.is_conforming else set()
    asked = {*requirements, None} if task.most is None else set(requirements)
    return [one for one in allowed_differences.bundled() if named & set(one.variants) and one.requirement in asked]


def _variants(task: PlayedBroker) -> tuple[Defect, ...]:
    known = CONFORMING if task.is_conforming else {one.name: one for one in variants(task.protocol)}
    return tuple(known[name] for name in task.variant)
