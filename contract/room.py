"""Results on a disk that gets full: the run stops, and what was judged until then is still written.

When a run begins, it takes room that it gives back before its last files are written (`take`, `give_back`). What finds no room meanwhile is
left out, and the run is asked to stop after the scenario that is under way (`writing`).
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
    """Take the room. Where there is not even so much, the run would find none soon, so this raises OSError."""
    claimed.put(RESERVE, bytes(_SIZE))


def give_back(folder: Path) -> None:
    """Make room for the last files."""
    with contextlib.suppress(OSError):
        (folder / RESERVE).unlink()


@contextlib.contextmanager
def writing(folder: Path, stop: Callable[[str], None]) -> Iterator[None]:
    """What is written in here may find no room: then `stop` is told why, with the remedy."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        stop(f"there is no room for the results in {folder} ({error.strerror}): make some, or name another folder with --results")
