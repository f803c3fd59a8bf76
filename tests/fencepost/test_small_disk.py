"""A disk that gets full: one line says so with the remedy, and what was judged until then is kept."""

from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from commands import CHECKOUT, compliance, fencepost, python

from fencepost.contract.disk_reserve import RESERVE

SMALL_DISK = CHECKOUT / "tests" / "fakes" / "small_disk.py"
RESERVED = 4 << 20
TOLD = "(No space left on device): free some, or name another folder with --results"


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_was_judged_is_kept(tmp_path: Path, workers: tuple[str, ...]) -> None:
    """With space for some scenarios: compliance.json and junit.xml have these, and the run is reported as not finished."""
    results = tmp_path / "r"
    asked = ("run", "--only", "KIP890-0*", "--no-html", "--results", results, *workers)

    done = python(SMALL_DISK, RESERVED + 400_000, results, *asked, expect=4)

    found = compliance(results)
    assert TOLD in found["stopped"]
    assert 0 < found["scenarios"]["judged"] < found["scenarios"]["selected"]
    assert sum(row["verdict"] == "met" for row in found["requirements"]) > 0
    cases = Xml.parse(results / "junit.xml").getroot().iter("testcase")  # noqa: S314 - ours
    beyond = len(list(cases)) - found["scenarios"]["judged"] - 1
    assert 0 <= beyond <= len(workers), "a worker's scenario that was running may be in the one file and not in the other"
    assert done.out.count(TOLD) == 1
    assert "Traceback" not in done.out + done.err
    assert not (results / RESERVE).exists()


def test_without_any_space_nothing_is_judged(tmp_path: Path) -> None:
    """It is wrong usage, reported before a system is started."""
    done = python(SMALL_DISK, 200_000, tmp_path / "r", "run", "--only", "CORE-01", "--no-html", "--results", tmp_path / "r", expect=2)

    assert f"the results folder {tmp_path / 'r'} cannot be written to: No space left on device" in done.err


def test_a_whole_run_leaves_no_reserve(tmp_path: Path) -> None:
    """It is only held while the run goes on."""
    fencepost("run", "--only", "CORE-01", "--no-html", "--results", tmp_path / "r", expect=0)

    assert not (tmp_path / "r" / RESERVE).exists()
