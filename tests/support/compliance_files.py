"""Results of runs, made for tests: the `compliance.json` of a run, as its published schema has it."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VERDICTS = ("met", "violated", "known_deviation", "not_offered", "blocked", "inconclusive", "harness_error", "not_run", "excluded")


def reported(verdicts: Mapping[str, str], **other: Any) -> dict[str, Any]:
    """The results of a run that gave these verdicts. `other` replaces what a complete run of kafka 4.3.1 says."""
    counts = Counter(verdicts.values())
    said = {
        "schema_version": 1,
        "fencepost": "0.1.0",
        "complete": True,
        "started": "2026-11-20T03:00:00+00:00",
        "seconds": 12.3,
        "system": {"name": "kafka", "version": "4.3.1", "profile": "kafka-4.3"},
        "selection": {"specs": ["kip890"], "only": [], "levels": []},
        "totals": {verdict: counts[verdict] for verdict in VERDICTS},
        "requirements": [
            {
                "id": name,
                "level": "MUST",
                "source": "text",
                "verdict": verdict,
                "reason": None if verdict == "met" else f"because it is {verdict} (https://example.org/{name})",
                "evidence": 2,
                "scenarios": [{"feature": "kip890/ending.feature", "name": "[1] One", "verdict": verdict, "seconds": 0.1}],
            }
            for name, verdict in verdicts.items()
        ],
    }
    return said | other


def write(folder: Path, verdicts: Mapping[str, str], **other: Any) -> Path:
    """The same, in a results folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compliance.json").write_text(json.dumps(reported(verdicts, **other)), encoding="utf-8")
    return folder


def system(version: str | None, name: str = "kafka", profile: str | None = None) -> dict[str, Any]:
    """The system of a run."""
    return {"name": name, "version": version, "profile": profile}
