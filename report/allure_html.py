"""The Allure report as one HTML page, where Node and the pinned Allure are found."""

import json
import os
import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path

from fencepost.contract.errors import WrongUsage
from fencepost.contract.folder import Folder

from .allure_causes import Grouped
from .allure_overview import in_short, is_whole, verdicts
from .allure_page import tidied

HOW_TO_GET_IT = "no Allure report: Allure was not found. With Node 20 or newer: npm install allure@3, then run again"
_TIME_LIMIT_S = 120
_REPORT, _RESULTS = "allure-report", "allure-results"


def generate(claimed: Folder, title: str, grouped: Grouped) -> str:
    """Make `allure-report/index.html` from `allure-results` in a results folder, its reds grouped; answers a line for the user."""
    allure = _find()
    if allure is None:
        return HOW_TO_GET_IT
    results = claimed.path
    with tempfile.TemporaryDirectory() as folder:
        ours = Path(folder) / _RESULTS  # what else is next to our results is no verdict on this system
        ours.mkdir()
        for file in claimed.written(_RESULTS):
            if file.name.endswith("-result.json"):
                (ours / file.name).write_text(grouped.completed(file.read_text(encoding="utf-8")), encoding="utf-8")
            else:
                shutil.copyfile(file, ours / file.name)
        report = Path(folder) / "report"
        config = Path(folder) / "allurerc.mjs"
        layout = resources.files("fencepost.fixtures").joinpath("allurerc.mjs").read_text(encoding="utf-8")
        reported = {"title": f"{title}: {in_short(results)}", "verdicts": verdicts(results), "causes": grouped.titles}
        config.write_text(layout.replace("{run}", json.dumps(reported)), encoding="utf-8")
        command = [allure, "generate", "-c", str(config), "-o", str(report), str(ours)]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_TIME_LIMIT_S, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"no Allure report: {error}"
        pages = sorted(report.rglob("index.html"))
        if done.returncode != 0 or not pages:
            return f"no Allure report: allure generate ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"
        for page in pages:
            page.write_text(tidied(page.read_text(encoding="utf-8"), is_whole(results)), encoding="utf-8")
        try:
            for file in filter(Path.is_file, report.rglob("*")):
                shutil.copyfile(file, claimed.place(f"{_REPORT}/{file.relative_to(report).as_posix()}"))
        except WrongUsage as error:
            return f"no Allure report: {error}"
        return f"Allure report: {os.path.relpath(results / _REPORT / pages[0].relative_to(report))}"


def _find() -> str | None:
    """The checkout's own Allure before the machine's."""
    beside = Path("node_modules/.bin/allure")
    if beside.is_file() and shutil.which("node"):
        return str(beside.resolve())
    return shutil.which("allure")
