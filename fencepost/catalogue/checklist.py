"""The checklist of a run's exchanges: which arrays and which refusals of the protocols its scenarios have asked about.

Two patterns of what other suites miss are counted here, from what was sent and answered and not from tags:

* *The last of several.* An array whose entries have kinds is covered by a message in which the last entry alone is of another kind than
  those before it; any other array by a message in which it has two entries or more. `checklist_of_kafka` and `checklist_of_pulsar` say
  what kinds are.
* *A refusal moves nothing.* An error of a request is covered by a play in which the transaction that the request is about, by its
  id or else by a topic, has data when it is refused, and the transaction or a log is looked at, or the end is requested, afterwards. A
  request that names neither is about every open transaction.

What is not covered has a reason in `fixtures/checklist.yaml`, and what has a reason there is not covered. A run of everything on the
reference has all protocols; the requests of one protocol are compared with its reasons alone.

    python -m fencepost.catalogue.checklist RESULTS...
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from fencepost.adapters.replay.replay_programs import protocol_of
from fencepost.contract import history_files
from fencepost.contract.datafile import Row, load
from fencepost.results.results_folder import EXCHANGES

from . import checklist_of_kafka, checklist_of_pulsar
from .checklist_moment import ExchangeMoment


@dataclass
class Checklist:
    """The arrays and refusals, each with the plays that cover it; none for what is not covered."""

    arrays: dict[str, set[str]] = field(default_factory=dict)
    refusals: dict[str, set[str]] = field(default_factory=dict)
    protocols: set[str] = field(default_factory=set)

    @property
    def uncovered(self) -> list[str]:
        """The names of what no play covers."""
        return sorted(name for name, plays in (*self.arrays.items(), *self.refusals.items()) if not plays)

    def problems(self, reasons: Mapping[str, str]) -> list[str]:
        """What is neither covered nor excluded, and each reason that is not needed."""
        known, uncovered = self.arrays | self.refusals, self.uncovered
        missing = [
            f"{name}: no scenario asks about it, and fixtures/checklist.yaml has no reason" for name in uncovered if name not in reasons
        ]
        needless = [
            f"{name}: fixtures/checklist.yaml excludes it, and {min(known.get(name, ()), default='no request of the run')} has it"
            for name in reasons
            if name not in uncovered
        ]
        return missing + needless


def of_results(folders: Iterable[Path], protocols: Iterable[str] = ()) -> Checklist:
    """The checklist of the exchanges that runs have kept; only those of some protocols, if these are named."""
    checklist, wanted = Checklist(), set(protocols)
    for path in sorted(path for folder in folders for path in (folder / EXCHANGES).glob(f"*{history_files.ENDING}")):
        lines = list(map(json.loads, history_files.text_of(path).splitlines()))
        protocol = protocol_of(lines)
        if not wanted or protocol in wanted:
            moments = checklist_of_kafka.moments if protocol == "kafka" else checklist_of_pulsar.moments
            checklist.protocols.add(protocol)
            add(checklist, history_files.stem_of(path), moments(lines, str(path)))
    return checklist


class Exclusion(Row):
    """Arrays and refusals that no scenario asks about, with one reason for all of them."""

    reason: str
    excluded: list[str]


def reasons(protocols: Iterable[str]) -> dict[str, str]:
    """What is excluded for these protocols, with the reason."""
    rows = load(resources.files("fencepost.fixtures").joinpath("checklist.yaml"), dict[str, list[Exclusion]])
    return {name: row.reason for protocol in protocols for row in rows.get(protocol, ()) for name in row.excluded}


def add(checklist: Checklist, play: str, moments: Iterable[ExchangeMoment]) -> None:
    """Count what one play has asked."""
    opened: dict[str, set[str]] = {}
    waiting: set[str] = set()
    for moment in moments:
        for name, is_covered in moment.arrays.items():
            covered = checklist.arrays.setdefault(name, set())
            if is_covered:
                covered.add(play)
        if moment.is_look:
            for refusal in waiting:
                checklist.refusals[refusal].add(play)
            waiting.clear()
        for refusal in moment.refusals:
            checklist.refusals.setdefault(refusal, set())
            if opened if not moment.about else any(moment.about & names for names in opened.values()):
                waiting.add(refusal)
        if moment.wrote:
            opened.setdefault(moment.wrote[0], set()).update(moment.wrote)
        if moment.ended:
            opened.pop(moment.ended, None)


def main(arguments: Sequence[str]) -> int:
    """Print the checklist of these results; 1 when something is neither covered nor excluded, or a reason is not needed."""
    checklist = of_results(map(Path, arguments))
    excluded = reasons(checklist.protocols)
    for name, plays in sorted((checklist.arrays | checklist.refusals).items()):
        first = min(plays, default="")
        print(f"{name}: {f'{first}, and {len(plays) - 1} more' if plays else 'excluded: ' + excluded.get(name, 'NO REASON')}")
    problems = checklist.problems(excluded)
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
