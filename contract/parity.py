"""Parity rows: requirements whose source is one implementation, and no proposal.

A system that is another implementation may differ there and conform to the proposal all the same. So these rows are counted and shown
separately, and keep a run from conforming only if the system is a build of that implementation, or if the user asks for that (`--parity`).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .verdict import Verdict

SOURCE = "implementation"
MAY_DIFFER = (Verdict.VIOLATED, Verdict.BLOCKED, Verdict.INCONCLUSIVE, Verdict.KNOWN_DEVIATION, Verdict.NOT_OFFERED)
"""Verdicts of a parity row that do not count against the proposal. A harness error is never the system's."""
_UNASKED = (Verdict.NOT_RUN, Verdict.EXCLUDED, Verdict.NOT_OFFERED)


UNCOUNTED = "a parity row, which does not count here"
"""Appended to the verdict of a parity row that does not count."""


def counted(number: int, words: str, uncounted: int) -> str:
    """`100 violated (50 of them parity rows, which do not count)`, for so many requirements with a verdict."""
    if not uncounted:
        return f"{number} {words}"
    if uncounted == number:
        return f"{number} {words} ({'a parity row, which does' if number == 1 else 'parity rows, which do'} not count)"
    return f"{number} {words} ({uncounted} of them {'a parity row, which does' if uncounted == 1 else 'parity rows, which do'} not count)"


@dataclass(frozen=True)
class Parity:
    """How many parity rows were asked, and how many of these differ or are not known."""

    asked: int = 0
    differ: int = 0
    unknown: int = 0

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> "Parity":
        """From the verdicts of all parity rows."""
        counted = Counter(verdicts)
        asked = sum(number for verdict, number in counted.items() if verdict not in _UNASKED)
        return cls(asked, counted[Verdict.VIOLATED], counted[Verdict.INCONCLUSIVE])

    def __str__(self) -> str:
        """`3 of 100 parity rows differ, 1 is inconclusive`; empty if all agree."""
        reported = [
            f"{self.differ} of {self.asked} parity rows differ{'s' if self.differ == 1 else ''}" if self.differ else "",
            f"{self.unknown} of {self.asked} parity rows {'is' if self.unknown == 1 else 'are'} inconclusive" if self.unknown else "",
        ]
        return ", ".join(filter(None, reported))
