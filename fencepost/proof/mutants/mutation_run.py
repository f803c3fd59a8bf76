"""Draws mutants and judges them: the result of each, and whether enough of them were killed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from fencepost.adapters import registry
from fencepost.proof.forkserver import keeping_results

from . import known_mutants, reference_sources
from .judge_process import Failed
from .known_mutants import KnownMutants
from .line_coverage import LineReach
from .mutant_verdicts import Outcome
from .mutation_sites import MutantKey, MutationSite, draw, places_in
from .mutations import KINDS
from .process_pool import KitFailed, StartedProcesses
from .tasks import Honest, MutantJudge, Note

HARMLESS = "harmless"
"""As a kind of change: those that fixtures/mutants/harmless.yaml lists, whatever they change."""

ENOUGH = 0.9
"""The share of the mutants that break a promise that verdicts must kill."""


@dataclass(frozen=True)
class Drawn:
    """The mutants that are tried, the number of possible ones, and what is known of single changes."""

    places: tuple[MutationSite, ...]
    possible: int
    seed: int
    known: KnownMutants

    @classmethod
    def of(cls, count: int, seed: int, only: Sequence[str] = ()) -> "Drawn":
        """Draw `count` mutants, from all or from these files, folders and kinds. Raises WrongUsage and DataFileError.

        Loops are drawn only by name, since it is not yet listed which of them are harmless, and with `harmless` only what is listed.
        """
        everywhere = places_of_files()
        known = known_mutants.load(everywhere)
        kinds = set(KINDS).intersection(only) or {*KINDS} - (set() if HARMLESS in only else {"loop"})
        files = [one for one in only if one not in (*KINDS, HARMLESS)]
        places = [place for place in (places_of_files(files) if files else everywhere) if place.kind in kinds]
        if HARMLESS in only:
            places = [place for place in places if place.key in known.harmless]
        return cls(tuple(draw(places, count, seed)), len(places), seed, known)


@dataclass(frozen=True)
class MutationTrial:
    """The results of the mutants that were drawn. `unreached` are those whose code no scenario runs, or whose loop with one item alone."""

    drawn: Drawn
    outcomes: tuple[Outcome, ...]
    unreached: frozenset[MutantKey] = frozenset()

    @property
    def known(self) -> KnownMutants:
        return self.drawn.known

    @property
    def stopped(self) -> str | None:
        """Why the trial is incomplete, in words; None if every mutant was judged."""
        done, due = len(self.outcomes), len(self.drawn.places)
        return None if done == due else f"stopped after {done} of {due} mutants"

    @cached_property
    def harmless(self) -> list[Outcome]:
        """Those that break no promise: their file lists them, or a release merely keeps a promise that it is known to break."""
        return [one for one in self.outcomes if self.is_conforming(one)]

    def is_conforming(self, one: Outcome) -> bool:
        return one.place.key in self.known.harmless or one.state == "mended"

    @cached_property
    def harmful(self) -> list[Outcome]:
        return [one for one in self.outcomes if not self.is_conforming(one)]

    @cached_property
    def killed(self) -> list[Outcome]:
        return [one for one in self.harmful if one.is_killed]

    @cached_property
    def broke(self) -> list[Outcome]:
        return [one for one in self.harmful if one.broke]

    @cached_property
    def survivors(self) -> list[Outcome]:
        return [one for one in self.harmful if one.state == "survived"]

    @cached_property
    def unseen(self) -> list[Outcome]:
        """The survivors whose code no scenario reaches, or of whose loop none reaches a second item."""
        return [one for one in self.survivors if one.place.key in self.unreached]

    @property
    def share_of_reached(self) -> float | None:
        """As `share`, without those that no scenario reaches."""
        reached = len(self.harmful) - len(self.unseen)
        return len(self.killed) / reached if reached else None

    @property
    def share(self) -> float | None:
        """The share of the mutants that break a promise that was killed by a verdict; None if there are none."""
        return len(self.killed) / len(self.harmful) if self.harmful else None

    @cached_property
    def not_conforming(self) -> list[Outcome]:
        """Entries of conforming changes that were killed."""
        return [one for one in self.harmless if one.is_killed]

    @cached_property
    def escaped(self) -> list[Outcome]:
        """Mutants that were killed before and are not now."""
        return [one for one in self.harmful if not one.is_killed and one.place.key in self.known.killed]

    @property
    def holds(self) -> bool:
        return not (self.stopped or self.not_conforming or self.escaped) and (self.share is None or self.share >= ENOUGH)


def places_of_files(only: Sequence[str] = ()) -> list[MutationSite]:
    """Every place where the reference can be mutated, or those in these files and folders."""
    return [place for name, path in reference_sources.files(only).items() for place in places_in(name, path.read_bytes())]


def profiles() -> list[str]:
    """The profiles of the bundled reference; the conforming one is first, since it is used most."""
    return sorted(registry.find(registry.REFERENCE).profiles(), key=lambda name: (name != "seed", name))


def run(
    drawn: Drawn, thorough: bool, workers: int, report: Callable[[Outcome, int], None], in_profiles: Sequence[str] | None = None
) -> MutationTrial:
    """Judge these mutants, in all profiles or in these. `report` is called for each as it ends, with its number.

    An interrupt, or the death of the process that holds the suites, ends it early: the trial then has fewer outcomes than were drawn.
    """
    asked_in = profiles() if in_profiles is None else in_profiles
    found: dict[MutantKey, Outcome] = {}
    unreached: set[MutantKey] = set()

    def heard(one: Outcome) -> None:
        found[one.place.key] = one
        report(one, len(found))

    with keeping_results(), StartedProcesses(asked_in) as processes:
        ready = processes.ready()
        honest = _noted(processes, asked_in, workers)
        reach = LineReach(ready.at_start, {one.profile: one.lines for one in honest})
        usual = {one.profile: one.verdicts for one in honest}
        tasks = []
        for place in drawn.places:
            if asked := reach.asked(place, thorough):
                tasks.append((MutantJudge(place, asked, usual, thorough), reach.is_at_start(place)))
            else:
                unreached.add(place.key)
                heard(Outcome(place))
        _judge(processes, tasks, workers, heard)
    return MutationTrial(drawn, tuple(found[place.key] for place in drawn.places if place.key in found), frozenset(unreached))


def _noted(processes: StartedProcesses, order: Sequence[str], workers: int) -> list[Honest]:
    """The verdicts and the reached code of the scenarios on the unchanged reference, by profile in this order."""
    waiting = list(enumerate(order, 1))
    results: dict[int, Honest] = {}
    under_way = 0
    while waiting or under_way:
        while waiting and under_way < workers:
            number, profile = waiting.pop(0)
            processes.begin(number, Note(profile))
            under_way += 1
        number, result = processes.next()
        under_way -= 1
        if isinstance(result, Failed):
            raise KitFailed(f"the honest reference cannot be judged in profile {order[number - 1]}: {result.why}")
        results[number] = result
    return [results[number] for number in sorted(results)]


def _judge(processes: StartedProcesses, tasks: Sequence[tuple[MutantJudge, bool]], workers: int, heard: Callable[[Outcome], None]) -> None:
    waiting, under_way = list(enumerate(tasks)), 0
    while waiting or under_way:
        while waiting and under_way < workers:
            number, (task, from_import) = waiting.pop(0)
            (processes.begin_from_import if from_import else processes.begin)(number, task)
            under_way += 1
        number, result = processes.next()
        under_way -= 1
        heard(Outcome(tasks[number][0].place, died=result.why) if isinstance(result, Failed) else result)
