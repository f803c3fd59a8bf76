"""How long the suite takes on the reference, beside the same scenarios with empty steps.

`make bench`. Both are run in turn, several times, each as a process of its own. For the suite its `seconds` in compliance.json are
taken, and for the other pytest's own duration; both leave out the start-up. The empty steps are the same features and the same step
definitions with functions that do nothing: what pytest, pytest-bdd, which asks every step definition about every step, and Allure cost.
"""

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
ROUNDS = 5
EMPTY = """
from pytest_bdd import scenarios
from pytest_bdd.steps import step_function_context_registry
from fencepost.steps import sentences

globals().update(sentences("kip890"))
scenarios(".")
for context in step_function_context_registry.values():
    context.step_func, context.target_fixture = (lambda: None), None
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty"
        shutil.copytree(CHECKOUT / "features" / "kip890", empty, ignore=shutil.ignore_patterns("*.py", "*.yaml", "__pycache__"))
        (empty / "test_empty.py").write_text(EMPTY, encoding="utf-8")
        plain = ["-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider", "--import-mode=importlib", str(empty)]
        plain += [f"--rootdir={folder}", f"--alluredir={folder}/allure"]
        suite = ["-m", "fencepost.cli", "run", "--no-html", "--spec", "kip890", "--results", f"{folder}/results"]
        suites, empties, wholes = [], [], []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            _run(suite, folder)
            wholes.append(time.perf_counter() - began)
            suites.append(json.loads((Path(folder) / "results/compliance.json").read_text(encoding="utf-8"))["seconds"])
            empties.append(_seconds(plain, folder))
    print(f"the suite on the reference: {_told(suites)}; as a whole process, with start-up and report: {_told(wholes)}")
    print(f"the same scenarios, empty:  {_told(empties)}")
    print(f"ratio of the medians:       {statistics.median(suites) / statistics.median(empties):.2f}")


def _run(arguments: list[str], folder: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def _seconds(arguments: list[str], folder: str) -> float:
    told = _run(arguments, folder)
    found = re.search(r"\d+ passed.* in ([\d.]+)s", told)
    if not found:
        raise SystemExit(told)
    return float(found[1])


def _told(seconds: list[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f}, {len(seconds)} rounds)"


if __name__ == "__main__":
    main()
