"""Looking again at what is settled later: on some systems an answered end is seen only after a while, and nobody can be asked when.

Nobody is judged for a moment there. But what must never be seen counts as soon as it is.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from fencepost.contract.ports import PassesTime, Time


def let_pass(time: Time, seconds: float) -> None:
    """Let so many seconds pass in which nothing is asked: at once where time is virtual."""
    if isinstance(time, PassesTime):
        time.let_pass(seconds * 1000)
        return
    for _ in time.attempts(seconds):
        pass


def settled(look: Callable[[], Sequence[str]], expected: Sequence[str], time: Time, *, later: bool) -> Sequence[str]:
    """What a look shows; where outcomes come later, the first look that shows all that is expected, or something else, or the last one.

    A look leaves traces, so each is twice as late as the one before.
    """
    found = look()
    for number in time.attempts() if later else ():
        if Counter(found) - Counter(expected) or not Counter(expected) - Counter(found):
            break
        if number.bit_count() == 1:  # 1, 2, 4, 8, ...
            found = look()
    return found
