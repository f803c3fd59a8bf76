"""The keeper of one process: a small program that starts it, passes signals on, and ends all of it when its own owner has ended.

It is run by its path, `python -I -S keeper.py`, and imports no module of fencepost, so that it starts at once. Its standard input begins
with a line of JSON: `words`, `environment`, `folder`, `log`, `background`, `last` and `remove`. Orders follow, one a line: `signal N` for
all descendants of the process, `wait` (an end is expected), `leave` (the owner itself does what is due at the end). Its standard output has
`{"started": PID}` or `{"failed": WHY}`, later `{"ended": CODE, "left": [NAMES]}`, and `{"done": ORDER}` for orders.

The end of its standard input means the end of its owner, also after SIGKILL: it runs the words of `last`, kills what is left, and removes
`remove`. On Linux it adopts the orphans of its process, so none escapes by becoming a daemon; elsewhere it reaches the process group.
"""

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

_SUBREAPER, _DEATH_SIGNAL = 36, 1
"""PR_SET_CHILD_SUBREAPER and PR_SET_PDEATHSIG."""
_LAST_WITHIN_S = 20.0
_STOPPED_WITHIN_S = 10.0
_IS_LINUX = sys.platform == "linux"


def _prctl(option: int, value: int) -> None:
    if _IS_LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _say(**what: object) -> None:
    with contextlib.suppress(OSError):  # the owner may be gone
        os.write(1, json.dumps(what).encode() + b"\n")


def _parents() -> dict[int, int]:
    """Each process of this machine with its parent."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as stat:
                fields = stat.read().rpartition(b")")[2].split()
                if fields[0] != b"Z":
                    found[int(name)] = int(fields[1])
    return found


def descendants(of: int) -> set[int]:
    """All descendants of a process, without itself and without zombies."""
    if not _IS_LINUX:
        return set()
    parents = _parents()
    found, waiting = set(), [of]
    while waiting:
        parent = waiting.pop()
        young = [pid for pid, its in parents.items() if its == parent and pid not in found]
        found.update(young)
        waiting += young
    return found


def _name(pid: int) -> str:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm") as comm:
        return f"{comm.read().strip()} ({pid})"
    return str(pid)


def _is_stopped(pid: int) -> bool:
    """Whether no thread of the process runs."""
    with contextlib.suppress(OSError, IndexError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/stat", "rb") as stat:
                if stat.read().rpartition(b")")[2].split()[0] not in (b"T", b"Z", b"t", b"X"):
                    return False
    return True


class Keeper:
    """The process with the given id, and all its descendants."""

    def __init__(self, process: "subprocess.Popen[bytes]", background: bool) -> None:
        self._process = process
        self._background = background
        self._code: int | None = None
        self._is_notified = False
        self._end_is_expected = False

    def signal_all(self, number: int) -> None:
        """Send a signal to all descendants, as a terminal does; those that start meanwhile get it too."""
        if not _IS_LINUX:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, number)
        seen: set[int] = set()
        while young := descendants(os.getpid()) - seen:
            for pid in young:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)
            seen |= young

    def _await_stopped(self) -> None:
        """Wait until all threads have stopped: the kernel stops a thread when it next handles it, late on a busy machine."""
        end = time.monotonic() + _STOPPED_WITHIN_S
        while not all(map(_is_stopped, descendants(os.getpid()))) and time.monotonic() < end:
            time.sleep(0.001)

    def order(self, text: str) -> None:
        """Carry out one order."""
        match text.split():
            case ["signal", number]:
                self._end_is_expected |= int(number) in (signal.SIGTERM, signal.SIGKILL)
                self.signal_all(int(number))
                if int(number) == signal.SIGSTOP:
                    self._await_stopped()
            case ["wait"]:
                self._end_is_expected = True
        _say(done=text)

    def reap(self) -> None:
        """Reap ended children, and report when the process has ended, with its descendants."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    break
                if pid == self._process.pid:
                    self._code = os.waitstatus_to_exitcode(status)
        if self._code is None or self._is_notified:
            return
        left = sorted(descendants(os.getpid()))
        if left and self._end_is_expected:
            return  # a wrapper has ended, and the process that it wraps is about to
        self._is_notified = True
        names = [_name(pid) for pid in left]
        if left and not self._background:
            self.kill()
        _say(ended=self._code, left=names)

    def kill(self) -> None:
        """Kill all descendants, until none is left."""
        while True:
            self.signal_all(signal.SIGKILL)
            try:
                pid, status = os.waitpid(-1, 0)
            except ChildProcessError:
                return
            if pid == self._process.pid:
                self._code = os.waitstatus_to_exitcode(status)


def _begin(reported: "dict[str, Any]") -> "subprocess.Popen[bytes]":
    with open(str(reported["log"]), "ab") as log:
        return subprocess.Popen(  # noqa: S603 - it is the user's own command
            reported["words"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=reported["environment"],
            cwd=str(reported["folder"]),
            start_new_session=True,
            preexec_fn=lambda: _prctl(_DEATH_SIGNAL, signal.SIGKILL),
        )


def _run_last(words: "list[str]", reported: "dict[str, Any]") -> None:
    """Run the command that ends a broker which is no child of this process, for a limited time."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - it is the user's own command
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=reported["environment"],
            cwd=str(reported["folder"]),
            timeout=_LAST_WITHIN_S,
        )


def main() -> None:
    """Keep one process."""
    # Handled and not ignored: the kept process would inherit an ignored signal as ignored.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, lambda *_: None)
    _prctl(_SUBREAPER, 1)
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    received = b""
    while b"\n" not in received:
        more = os.read(0, 65536)
        if not more:
            return
        received += more
    first, _, received = received.partition(b"\n")
    reported = json.loads(first)
    try:
        process = _begin(reported)
    except OSError as error:
        _say(failed=error.strerror or str(error))
        return
    _say(started=process.pid)
    keeper, leaves = Keeper(process, reported["background"]), False
    while True:
        keeper.reap()
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(woken, 4096)
            continue
        more = os.read(0, 65536)
        if not more:
            break
        received += more
        *orders, received = received.split(b"\n")
        for order in orders:
            leaves |= order == b"leave"
            keeper.order(order.decode())
    if reported["last"] and not leaves:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _run_last(reported["last"], reported)
    keeper.kill()
    if reported["remove"] and not leaves:
        # Other keepers of the same owner may remove it at the same moment.
        for _ in range(5):
            shutil.rmtree(reported["remove"], ignore_errors=True)
            if not os.path.exists(reported["remove"]):
                break
            time.sleep(0.1)


if __name__ == "__main__":
    main()
