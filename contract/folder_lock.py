"""One command at a time writes in a results folder.

The lock is the system's own, on the folder itself: no file is left over, and it is released when the process ends, even when it is
killed. A file system without such locks is used without one.
"""

import errno
import fcntl
import os
from pathlib import Path
from typing import Self
from weakref import WeakValueDictionary

from .errors import WrongUsage


class Lock:
    """Held as long as an object in this process refers to it. Made by `hold`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def of(cls, path: Path) -> Self:
        """Lock this existing folder. Raises BlockingIOError if another process has it, and OSError."""
        descriptor = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EBADF, errno.EINVAL):
                os.close(descriptor)
                raise
        return cls(descriptor)

    def __del__(self) -> None:
        os.close(self._descriptor)


_held: WeakValueDictionary[tuple[int, int], Lock] = WeakValueDictionary()


def hold(path: Path, option: str) -> Lock:
    """Lock an existing folder against other processes; this one may hold it more than once. Raises WrongUsage and OSError."""
    found = path.stat()
    which = (found.st_dev, found.st_ino)
    lock = _held.get(which)
    if lock is None:
        try:
            lock = Lock.of(path)
        except BlockingIOError:
            raise WrongUsage(
                f"another fencepost command is writing in {path}; wait until it has ended, or name another folder with {option}"
            ) from None
        _held[which] = lock
    return lock
