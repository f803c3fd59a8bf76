"""A reserve of space for results on a disk that fills up: the run stops, and what was judged until then is still written.

When a run begins, it reserves space that it frees before it writes its last files (`take`, `give_back`). What finds no space meanwhile is
left out, and the run is asked to stop after the current scenario (`writing`).
"""

import contextlib
import errno
from collections.abc import Callable, Iterator
from pathlib import Path

from .folder import Folder

RESERVE = ".fencepost-reserve"
_SIZE = 4 << 20
"""More than compliance.json, environment.json and junit.xml of a whole run that is red all over, the last of them twice."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def take(claimed: Folder) -> None:
    """Reserve the space. Raises OSError if there is not even so much, since the run would soon find none."""
    claimed.put(RESERVE, bytes(_SIZE))


def give_back(folder: Path) -> None:
    """Free the space for the last files."""
    with contextlib.suppress(OSError):
        (folder / RESERVE).unlink()


@contextlib.contextmanager
def writing(folder: Path, stop: Callable[[str], None]) -> Iterator[None]:
    """What is written in the block may find no space: then `stop` is called with the reason and the remedy."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        stop(f"the disk has no space for the results in {folder} ({error.strerror}): free some, or name another folder with --results")
