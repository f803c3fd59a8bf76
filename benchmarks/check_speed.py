"""`make bench-check`: how fast and in how much memory `fencepost check` judges a large history.

    python -m benchmarks.check_speed [--transactions 214000] [--times 1] [--memory 2560m] [--one-log]

Prints records per second after Spark's start, the largest memory of all its processes together, and with `--times 10`
the ratio to a history of ten times the size.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from .check_generate import RECORDS
from .peak import peak_of

_STARTED = "reading and sorting"
AIM, MOST = 15.0, 20.0


@dataclass(frozen=True)
class SpeedFigures:
    """What one check took."""

    records: int
    seconds: float
    start: float
    peak_mb: float

    def __str__(self) -> str:
        rate = self.records / self.seconds
        took = f"{self.seconds:6.1f} s after Spark's start of {self.start:.1f} s"
        return f"{self.records:>10} records: {took}, {rate:9.0f} records/s, peak {self.peak_mb:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transactions", type=int, default=214_000)
    parser.add_argument("--times", type=int, default=1, help="also judge a history of that many times the size")
    parser.add_argument("--memory", default="2560m")
    parser.add_argument("--one-log", action="store_true", help="all records in one log, which plans judge from 2 million on")
    given = parser.parse_args()
    figures = []
    for times in sorted({1, given.times}):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            command = [
                sys.executable,
                "-m",
                "benchmarks.check_generate",
                str(folder / "in"),
                "--transactions",
                str(given.transactions * times),
            ]
            one_log = ["--one-log"] if given.one_log else []
            subprocess.run([*command, "--aborted", "5", "--lost", "3", *one_log], check=True)
            figures.append(measured(folder, given.memory))
            print(figures[-1], flush=True)
    if len(figures) > 1:
        print(f"{given.times} times the size took {figures[1].seconds / figures[0].seconds:.1f} times as long")
    print(f"{RECORDS} records a transaction; for 2.57 million the aim is {AIM:.0f} s, and {MOST:.0f} s is the most")


def measured(folder: Path, memory: str) -> SpeedFigures:
    """Check the history in `folder`/in."""
    command = [
        str(Path(sys.executable).parent / "fencepost"),
        "check",
        str(folder / "in"),
        "--results",
        str(folder / "out"),
        "--memory",
        memory,
    ]
    began = time.monotonic()
    started = 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process, peak_of(process.pid) as peak:
        for line in process.stderr or ():
            print(line, end="", file=sys.stderr)
            if _STARTED in line:
                started = time.monotonic() - began
        process.wait()
    if process.returncode != 1:
        raise SystemExit(f"fencepost check ended with {process.returncode}, expected 1: the history has anomalies")
    verdict = json.loads((folder / "out/verdict.json").read_text(encoding="utf-8"))
    return SpeedFigures(verdict["records"], time.monotonic() - began - started, started, peak.mb)


if __name__ == "__main__":
    main()
