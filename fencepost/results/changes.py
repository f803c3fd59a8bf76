"""What changed from one run to another, requirement by requirement.

A requirement that was not asked before and is red now is newly red: somebody must look at it. One that was not asked before and is met
is no news. One that was asked and is not any more is told, for nobody knows any longer whether it is met.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fencepost.contract.verdict import Verdict

from .compliance_document import Compliance

_UNASKED = (Verdict.NOT_RUN, Verdict.EXCLUDED)


@dataclass(frozen=True)
class Change:
    """A requirement that has another verdict than before."""

    requirement: str
    before: Verdict
    now: Verdict

    @property
    def kind(self) -> str | None:
        """What it is called; None where it is no news."""
        asked_before = self.before not in _UNASKED
        if self.now.is_red:
            return "still red, in another way" if self.before.is_red else "newly red"
        match self.now:
            case Verdict.MET if asked_before:
                return "newly met"
            case Verdict.KNOWN_DEVIATION:
                return "newly a known deviation"
            case Verdict.NOT_OFFERED if asked_before:
                return "newly not offered"
            case Verdict.NOT_RUN | Verdict.EXCLUDED if asked_before:
                return "not asked any more"
            case _:
                return None


KINDS = ("newly red", "still red, in another way", "newly not offered", "not asked any more", "newly a known deviation", "newly met")
"""What wants attention comes first."""


def between(before: Compliance, now: Compliance) -> Iterator[tuple[str, list[Change]]]:
    """Each kind of change that there is, with its requirements in the order of the register."""
    was, is_now = before.verdicts, now.verdicts
    both = (Change(name, was.get(name, Verdict.NOT_RUN), is_now.get(name, Verdict.NOT_RUN)) for name in {**is_now, **was})
    changed = [change for change in both if change.before is not change.now]
    for kind in KINDS:
        if found := [change for change in changed if change.kind == kind]:
            yield kind, found
