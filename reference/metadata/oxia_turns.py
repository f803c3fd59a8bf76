"""Turns to write to an Oxia: of all clients on this machine, one writes at a time.

A server of 0.14.0 that gets two writes at once may lose one from its log, and accepts none from then on: "oxia: invalid next offset in
wal". Seen with plain puts of four clients, of one process or of several; Oxia's issues 772 and 796 report the same error. So threads
take turns with a lock, and processes with one on a file whose name follows from the address.
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
    """Have the turn for as long as the block lasts. Raises TimeoutError if it did not come in time."""
    asked_at = time.monotonic()
    address = address.replace("localhost", "127.0.0.1")
    threads = _THREADS[address]
    if not threads.acquire(timeout=within_s):
        raise TimeoutError
    try:
        # Opened again each time: a file that a forked process inherits would be one lock for both.
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
    """The lock file for an address; it stays empty, and is never deleted."""
    return Path(tempfile.gettempdir()) / f"fencepost-oxia-{re.sub('[^0-9A-Za-z.]', '_', address)}.lock"


def _opened(path: Path) -> int:
    """Open the file, whichever user owns it: a process can lock a file that it may not write."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except PermissionError:  # where only its owner may open a file of a shared folder with O_CREAT
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
