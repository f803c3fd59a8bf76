"""The owner of a container: a label that shows, later and to another process, whether its owner still lives.

The owner is a process of one machine. Process ids are reused, so the label also has the time at which the process began; and several
machines or containers may share one Docker engine, so it has the machine and the process namespace. A process removes a container only if
it can see that the owner has ended.
"""

import os
import socket
from pathlib import Path

LABEL = "fencepost.owner"
_UNKNOWN = "unknown"


def this_process() -> str:
    """The label's value for containers of this process."""
    return f"{_place()} {os.getpid()} {_began(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the process that the label names has ended; False if this process cannot know."""
    match owner.split(" "):
        case [place, pid, began] if place == _place() and pid.isdecimal():
            return not _lives(int(pid)) or _began(int(pid)) != began
        case _:
            return False


def _place() -> str:
    """The machine and its process namespace, without spaces."""
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        namespace = _UNKNOWN
    return f"{socket.gethostname()}/{namespace}".replace(" ", "_")


def _began(pid: int) -> str:
    """When the process began, in the kernel's own count; unknown if there is no /proc, and then only the id counts."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return _UNKNOWN
    # The name in parentheses may have any characters; the start time is field 22, so the 20th after it.
    return stat.rpartition(")")[2].split()[19]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
