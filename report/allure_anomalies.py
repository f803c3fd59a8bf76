"""An anomaly in the history of a green scenario, as a separate failed result next to the scenario."""

import time
from collections.abc import Callable
from pathlib import Path

from fencepost.contract.anomalies import ReportedAnomaly
from fencepost.contract.register import Register

from .allure_results import AllureWriter, labels, same, unnoted


def add_to_report(reported: ReportedAnomaly, register: Register, folder: Path, note: Callable[[str], None] = unnoted) -> None:
    """Write the anomaly into a folder of Allure results."""
    now = int(time.time() * 1000)
    AllureWriter(folder, note).result(
        {
            "historyId": same(reported.title),
            "testCaseId": same(reported.title),
            "fullName": reported.title,
            "name": f"{reported.scenario.name}: {reported.finding.anomaly} in its history",
            "status": "failed",
            "statusDetails": {"message": f"Anomaly: {reported.finding.witness}"},
            "description": f"{reported.counts}; every witness is drawn in check/index.html, next to compliance.json.",
            "labels": labels(register, reported.scenario, (reported.finding.anomaly,)),
            "start": now,
            "stop": now,
        }
    )
