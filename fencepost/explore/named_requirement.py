"""The requirement that a finding names, on the reference, where bundled scenarios can be played at once."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from fencepost.contract.verdict import Verdict
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection
from fencepost.steps.acts.act import Table, script_of

from .trial import ExploredFinding


def named(finding: ExploredFinding, table: Table[Any], protocol: str, options: RunOptions) -> str:
    """The requirement of the line that failed; but if its bundled scenarios are met, the first one of the sequence whose are not.

    The line that notices a fault may be about another matter, as readers' records are after a crash that loses a transaction.
    """
    asked = [line.requirement for line, _ in script_of(table, finding.acts).lines if line.requirement]
    return next(_violated((finding.requirement, *asked), protocol, options), finding.requirement)


def _violated(requirements: Iterable[str], protocol: str, options: RunOptions) -> Iterator[str]:
    """Those of these of which the system violates a bundled scenario."""
    for requirement in dict.fromkeys(requirements):
        with Plays(replace(options, selection=Selection(only=(requirement,)))) as plays:
            if any(play.protocol == protocol and plays.judge(play).result.verdict is Verdict.VIOLATED for play in plays):
                yield requirement
