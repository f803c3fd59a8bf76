"""A broker of no protocol, as a process: it listens, counts in its data folder how often it was started, and reports to the test.

Its arguments are its port, the port of the test, its data folder, and how it lies: `honest`; `deaf` ignores SIGTERM;
`wrapped` is a child of the process that was started; `daemon` leaves that process; `restarted` is started again whenever it ends.
The connection to the tester ends when the process does.
"""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path


def serve(port: int, tester: int, data: Path) -> None:
    """Listen until it is killed."""
    starts = data / "starts"
    starts.write_text(starts.read_text(encoding="utf-8") + "x" if starts.exists() else "x", encoding="utf-8")
    with socket.create_server(("127.0.0.1", port)) as listener, socket.create_connection(("127.0.0.1", tester)) as reported:
        print("serving", flush=True)
        reported.sendall(f"{os.getpid()} {len(starts.read_text(encoding='utf-8'))}\n".encode())
        accepted = []
        while True:
            accepted.append(listener.accept())


def main(port: str, tester: str, data: str, how: str) -> None:
    """Be that kind of a broker."""
    again = [sys.executable, __file__, port, tester, data, "honest"]
    if how == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif how == "wrapped":
        sys.exit(subprocess.run(again, check=False).returncode)
    elif how == "restarted":
        while True:
            subprocess.run(again, check=False)
    elif how == "daemon":
        if os.fork():
            os._exit(0)
        os.setsid()
    serve(int(port), int(tester), Path(data))


if __name__ == "__main__":
    main(*sys.argv[1:])
