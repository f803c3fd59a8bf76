"""Results of as many runs as wanted, for `benchmarks.report_speed`: each a `compliance.json` as `fencepost run` writes it.

    python -m benchmarks.report_generate FOLDER [--runs 10000] [--versions 40]

The requirements are those of the register. A version is judged again and again over a year; most requirements are met, some are known
deviations with a reason, few are violated, and one run in fifty was cut off.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fencepost.contract.register import Requirement, bundled

ORDER = ("met", "violated", "known_deviation", "not_offered", "inconclusive", "harness_error", "not_run", "excluded")
REASON = "A coordinator that fences by itself bumps the epoch twice, so the marker skips an epoch. (https://example.org/deviation)"
YEAR = timedelta(days=365)


def generate(folder: Path, runs: int, versions: int) -> int:
    """Write the runs; returns their size in bytes."""
    chance = random.Random(7)
    rows = bundled().rows()
    size = 0
    for number in range(runs):
        path = folder / f"{number // 1000:03}" / f"run-{number:05}"
        path.mkdir(parents=True)
        started = datetime(2026, 1, 1, tzinfo=UTC) + number * YEAR / runs
        reported = json.dumps(compliance(rows, f"4.{number % versions}.0", started, chance), indent=1)
        size += (path / "compliance.json").write_text(reported, encoding="utf-8")
    return size


def compliance(rows: tuple[Requirement, ...], version: str, started: datetime, chance: random.Random) -> dict[str, Any]:
    """The results of one run."""
    whole = chance.random() > 0.02
    asked = len(rows) if whole else chance.randrange(len(rows))
    judged = list(_judged(rows, asked, chance))
    counts = Counter(row["verdict"] for row in judged)
    return {
        "schema_version": 1,
        "fencepost": "0.1.0",
        "complete": whole,
        "started": started.isoformat(timespec="seconds"),
        "seconds": 35.0,
        "system": {"name": "kafka", "version": version, "profile": f"kafka-{version[:-2]}"},
        "selection": {"specs": ["core", "kip890"], "only": [], "levels": []},
        "totals": {verdict: counts[verdict] for verdict in ORDER},
        "requirements": judged,
    }


def _judged(rows: tuple[Requirement, ...], asked: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(rows):
        ran = number < asked and row.is_tested
        drawn = chance.choices(ORDER[:4], (950, 4, 26, 20))[0] if ran else "excluded" if row.excluded else "not_run"
        names = ("[1] The common case", "[2] After a crash") if ran else ()
        scenarios = [{"feature": "kip890/ending.feature", "name": name, "verdict": drawn, "seconds": 0.0123} for name in names]
        reason = row.excluded or ("not collected" if drawn == "not_run" else REASON if drawn != "met" else None)
        yield {
            "id": row.id,
            "level": row.level,
            "source": row.source,
            "verdict": drawn,
            "reason": reason,
            "evidence": 4 * len(names),
            "scenarios": scenarios,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--versions", type=int, default=40)
    given = parser.parse_args()
    print(f"{given.runs} runs, {generate(given.folder, given.runs, given.versions) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
