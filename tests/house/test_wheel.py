"""The wheel: what is delivered holds every feature and data file, and judges the reference by itself."""

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from commands import CHECKOUT, verdicts


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy, since setuptools also packs what an earlier build has left in `build/`."""
    out = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns(".*", "build", "results", "node_modules", "*.egg-info", "__pycache__")
    source = shutil.copytree(CHECKOUT, tmp_path_factory.mktemp("source") / "fencepost", ignore=left_out)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(source)], check=True, capture_output=True, timeout=300
    )
    return next(out.glob("*.whl"))


def test_the_wheel_holds_every_feature_and_data_file(wheel: Path) -> None:
    """A missing data file would show only at a user's."""
    inside = set(zipfile.ZipFile(wheel).namelist())
    rooms = ("contract", "features", "fixtures", "reference", "adapters", "steps", "pipeline", "report", "wire", "fencepost")
    files = [
        path.relative_to(CHECKOUT).as_posix()
        for room in rooms
        for path in (CHECKOUT / room).rglob("*")
        if path.suffix in (".feature", ".yaml", ".json", ".ini", ".mjs", ".j2", ".properties", ".py", ".typed")
    ]

    assert [name for name in files if (name if name.startswith("fencepost/") else f"fencepost/{name}") not in inside] == []


def test_the_wheel_judges_the_reference_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """What a user installs runs a scenario, with nothing of the checkout in reach."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    constraints = ["--constraint", str(CHECKOUT / "constraints.txt")]
    subprocess.run([str(home / "bin/pip"), "install", "-q", *constraints, str(wheel)], check=True, capture_output=True, timeout=900)

    done = subprocess.run(
        [str(home / "bin/fencepost"), "run", "--only", "KIP890-060"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert verdicts(tmp_path / "results/reference") == {"KIP890-060": "met"}
