"""The wheel, built once for all tests that install it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import CHECKOUT
from once import made_once

_MADE = shutil.ignore_patterns(".*", "build", "results", "node_modules", "*.egg-info", "__pycache__")
_COMPILED = shutil.ignore_patterns("__pycache__")


def _left_out(folder: str, names: list[str]) -> set[str]:
    """What was made at the top of the checkout; a package may be called as such a folder is."""
    return _MADE(folder, names) if Path(folder) == CHECKOUT else _COMPILED(folder, names)


def built(factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy, since setuptools also packs what an earlier build has left in `build/`."""

    def make(folder: Path) -> None:
        source = shutil.copytree(CHECKOUT, folder / "source", ignore=_left_out)
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(source)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)

    return next(made_once(factory, "wheel", make).glob("*.whl"))


def constraints(wheel: Path, folder: Path) -> Path:
    """A file by which `pip install fencepost` takes this wheel, and what it needs in the versions that we test with."""
    file = folder / "constraints.txt"
    known = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8")
    file.write_text(f"{known}\nfencepost @ {wheel.as_uri()}\n", encoding="utf-8")
    return file
