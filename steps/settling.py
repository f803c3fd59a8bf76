"""Repeated looks at what is settled later: on some systems an answered end is visible only after a while, and no client can ask when.

There, one look alone is not judged. But what must never be seen counts as soon as it is seen.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from fencepost.contract.ports import PassesTime, Time

_JUST_BEFORE_MS = 100


def let_pass(time: Time, seconds: float) -> None:
    """Let so many seconds pass without requests: at once where time is virtual."""
    if isinstance(time, PassesTime):
        time.let_pass(seconds * 1000)
        return
    for _ in time.attempts(seconds):
        pass


def pass_until_just_before(time: Time, moment_ms: float) -> None:
    """Where time is virtual, let it pass at once until just before a moment that comes within patience, instead of looking all the time."""
    left_ms = moment_ms - time.now_ms()
    if isinstance(time, PassesTime) and _JUST_BEFORE_MS < left_ms < 1000 * time.patience_s:
        time.let_pass(left_ms - _JUST_BEFORE_MS)


def settled(look: Callable[[], Sequence[str]], expected: Sequence[str], time: Time, *, later: bool) -> Sequence[str]:
    """What a look shows; where outcomes are visible later, the first look that shows all that is expected, or something else, or the last
    one.

    A look leaves traces, so the pause before each is twice as long as the one before.
    """
    found = look()
    for number in time.attempts() if later else ():
        if Counter(found) - Counter(expected) or not Counter(expected) - Counter(found):
            break
        if number.bit_count() == 1:  # 1, 2, 4, 8, ...
            found = look()
    return found
