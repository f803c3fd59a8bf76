"""How long `fencepost report` takes for many runs, and in how much memory. By hand, since it takes minutes:

    python -m benchmarks.report_speed [--runs 10000] [--versions 40] [--memory 1g] [--folder GENERATED]

Prints seconds, and the largest memory of all its processes together.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .peak import peak_of
from .report_generate import generate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--versions", type=int, default=40)
    parser.add_argument("--memory", default="1g")
    parser.add_argument("--folder", type=Path, help="results that were generated before")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch, "runs")
        if given.folder is None:
            generate(folder, given.runs, given.versions)
        seconds, peak = measured(folder, Path(scratch, "report"), given.memory)
        reported = json.loads(Path(scratch, "report/report.json").read_text(encoding="utf-8"))
        page = Path(scratch, "report/index.html").stat().st_size
    print(f"{reported['runs']} runs of {len(reported['systems'])} versions: {seconds:.0f} s, peak {peak:.0f} MB, page {page / 1e6:.1f} MB")


def measured(folder: Path, out: Path, memory: str) -> tuple[float, float]:
    """Report on the runs in `folder`: the seconds, and the most megabytes at any moment."""
    command = [str(Path(sys.executable).parent / "fencepost"), "report", str(folder), "--out", str(out), "--memory", memory]
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process, peak_of(process.pid) as peak:
        process.wait()
    if process.returncode != 0:
        raise SystemExit(f"fencepost report ended with {process.returncode}, expected 0")
    return time.monotonic() - began, peak.mb


if __name__ == "__main__":
    main()
