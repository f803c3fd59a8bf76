"""What a piece of code costs, counted instead of measured: the same on every machine and at every load."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines(act: Callable[[], object]) -> int:
    """How many lines of Python ran for it; a line that runs several times, as in a loop on one line, counts each time."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count
