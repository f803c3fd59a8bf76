"""Who writes to an Oxia: one at a time, among all that run on this machine.

A server of 0.14.0 that gets two writes at once may lose one from its log, and takes none from then on: "oxia: invalid next offset in wal".
Seen with plain puts of four clients, of one process or of several; Oxia's issues 772 and 796 tell of the same error. So threads take
turns by a lock, and processes by one on a file that all find by the address.
"""

import fcntl
import os
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

_THREADS: defaultdict[str, Lock] = defaultdict(Lock)


@contextmanager
def turn(address: str, within_s: float) -> Iterator[None]:
    """Have the turn for as long as the block lasts. Raises TimeoutError when it came too late for anybody to wait for it still."""
    asked_at = time.monotonic()
    address = address.replace("localhost", "127.0.0.1")
    threads = _THREADS[address]
    if not threads.acquire(timeout=within_s):
        raise TimeoutError
    try:
        # Opened anew each time: what a forked process inherits is one lock for both.
        file = _opened(lock_file(address))
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if time.monotonic() - asked_at > within_s:
                raise TimeoutError
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
            os.close(file)
    finally:
        threads.release()


def lock_file(address: str) -> Path:
    """The file that stands for an address; it stays empty, and lies there when nobody needs it any more."""
    return Path(tempfile.gettempdir()) / f"fencepost-oxia-{re.sub('[^0-9A-Za-z.]', '_', address)}.lock"


def _opened(path: Path) -> int:
    """Of whomever it is: to lock a file, one need not be allowed to write it."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except PermissionError:  # where only its owner may open a file of a shared folder as one that may have to be made
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
