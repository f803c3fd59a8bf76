"""How long the suite takes on the reference, beside the same scenarios with empty steps.

`make bench`. Both are run in turn, several times, each as a process of its own, and pytest's own duration is taken, which leaves
out the start-up. The empty steps are the same features and the same step definitions with functions that do nothing: what pytest,
pytest-bdd, which asks every step definition about every step, and Allure cost.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

CHECKOUT = Path(__file__).resolve().parents[1]
ROUNDS = 5
EMPTY = """
from pytest_bdd import scenarios
from pytest_bdd.steps import step_function_context_registry
from fencepost.features.step_definitions import define

define("kip890")
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
        plain += [f"--rootdir={folder}", f"--alluredir={folder}/allure", f"--junit-xml={folder}/empty.xml"]
        suite = ["-m", "fencepost", "run", "--no-html", "--spec", "kip890", "--results", f"{folder}/results"]
        suites, empties, wholes = [], [], []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            _run(suite, folder)
            wholes.append(time.perf_counter() - began)
            suites.append(_seconds_in(Path(folder) / "results" / "junit.xml"))
            _run(plain, folder)
            empties.append(_seconds_in(Path(folder) / "empty.xml"))
    print(f"the suite on the reference: {_told(suites)}; as a whole process, with start-up and report: {_told(wholes)}")
    print(f"the same scenarios, empty:  {_told(empties)}")
    print(f"ratio of the medians:       {statistics.median(suites) / statistics.median(empties):.2f}")


def _run(arguments: list[str], folder: str) -> None:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)


def _seconds_in(junit: Path) -> float:
    """pytest's own duration, of the whole session."""
    suite = ElementTree.parse(junit).getroot().find("testsuite")  # noqa: S314 - pytest has just written it
    if suite is None:
        raise SystemExit(f"{junit} has no testsuite")
    return float(suite.attrib["time"])


def _told(seconds: list[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f}, {len(seconds)} rounds)"


if __name__ == "__main__":
    main()
