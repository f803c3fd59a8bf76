"""A restart command: kills the served reference at a port, or starts it, as FENCEPOST_FAULT says, and notes its arguments.

Its arguments are a folder for its notes, the protocol, and the ports as `fencepost serve` takes them. It ends when the reference serves.
The reference has no disk, so it restarts empty: a broker that loses everything in a crash.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def main(folder: Path, *served: str) -> None:
    with (folder / "reported").open("a", encoding="utf-8") as reported:
        reported.write(f"{os.environ['FENCEPOST_FAULT']} {os.environ['FENCEPOST_BROKER']}\n")
    pid = folder / "pid"
    if os.environ["FENCEPOST_FAULT"] == "start":
        command = [str(Path(sys.executable).parent / "fencepost"), "serve", *served]
        with (folder / "log").open("a", encoding="utf-8") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout is not None
        if not process.stdout.readline():
            sys.exit((folder / "log").read_text(encoding="utf-8"))
        pid.write_text(str(process.pid), encoding="utf-8")
    elif pid.exists():
        number = int(pid.read_text(encoding="utf-8"))
        pid.unlink()
        os.kill(number, signal.SIGKILL)
        while Path(f"/proc/{number}").exists() and "Z" not in _state(number):
            time.sleep(0.01)


def _state(number: int) -> str:
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
