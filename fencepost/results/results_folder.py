"""The results folder of a run: its content, and how it is claimed.

`contract/folder.py` has the rule of what may be deleted, for every command that writes a folder. The verdict on histories of `run --check`
is a folder of `fencepost check` in it, with its own marker.
"""

from collections.abc import Callable
from pathlib import Path

from fencepost.contract import disk_reserve, folder
from fencepost.contract.folder import Folder, FolderLayout
from fencepost.pipeline.layout import CHECK

COMPLIANCE, JUNIT, ENVIRONMENT = "compliance.json", "junit.xml", "environment.json"
HISTORIES, ALLURE_RESULTS, ALLURE_REPORT, BROKER_LOGS = "history", "allure-results", "allure-report", "broker-logs"
EXCHANGES = "exchanges"
"""The exchanges of each scenario of Kafka, as they went over the wire."""
VERDICT_OF_HISTORIES = "check"
RUN = FolderLayout(
    "run",
    "--results",
    (COMPLIANCE, JUNIT, ENVIRONMENT, disk_reserve.RESERVE),
    (HISTORIES, EXCHANGES, ALLURE_RESULTS, ALLURE_REPORT, BROKER_LOGS),
)
_UNFINISHED_JUNIT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="fencepost" tests="1" errors="1" failures="0" skipped="0"><testcase classname="fencepost" name="run">\
<error message="the run has not ended: it is still going on, or it was killed"/></testcase></testsuite></testsuites>
"""


def look(path: Path, check: bool) -> None:
    """Check whether a run may use the folder; nothing is changed. Raises WrongUsage."""
    folder.look(path, RUN)
    if check:
        folder.look(path / VERDICT_OF_HISTORIES, CHECK)


def noting(path: Path | None) -> Callable[[str], None]:
    """Notes the names of Allure's results as Fencepost's, if they go to a results folder; each process that writes some has its own."""
    claimed = Folder(path) if path else None
    return lambda name: claimed.note(f"{ALLURE_RESULTS}/{name}") if claimed else None


def claim(path: Path, compliance: str) -> Folder:
    """Prepare the folder for a run, with this compliance.json in it from the first moment. Raises WrongUsage."""
    claimed = folder.claim(path, RUN, {JUNIT: _UNFINISHED_JUNIT, COMPLIANCE: compliance})
    with folder.reported(path):
        disk_reserve.take(claimed)
    folder.give_up(path / VERDICT_OF_HISTORIES, CHECK)
    return claimed
