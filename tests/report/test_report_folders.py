"""Which runs a report is about: every one that was asked for, once, and nothing dropped in silence."""

import os
from pathlib import Path

import pytest
from compliance_files import write

from fencepost.contract.errors import WrongUsage
from fencepost.pipeline.compliance import folders

MET = {"KIP890-060": "met"}


def names(*asked: object) -> list[str]:
    """What the runs are called that are found for this."""
    return sorted(source.run for source in folders.find([str(one) for one in asked]).sources)


def reasons(*asked: object) -> dict[str, str]:
    """What is answered with a reason instead."""
    return {one.path: one.reason for one in folders.find([str(one) for one in asked]).unreadable}


def test_a_run_is_found_at_any_depth_and_by_a_pattern(tmp_path: Path) -> None:
    """A folder, a folder of folders, a file outright, a pattern: all lead to the same runs."""
    write(tmp_path / "nightly/01/kafka", MET)
    write(tmp_path / "nightly/02/kafka", MET)

    assert names(tmp_path) == names(tmp_path / "nightly") == names(tmp_path / "nightly/*/kafka") == ["01/kafka", "02/kafka"]
    assert names(tmp_path / "**/compliance.json") == ["01/kafka", "02/kafka"]
    assert names(tmp_path / "nightly/01/kafka") == ["kafka"]


def test_a_run_that_is_named_twice_is_one_run(tmp_path: Path) -> None:
    """By its folder and by a folder above it, or through a link."""
    write(tmp_path / "in/one", MET)
    os.symlink(tmp_path / "in", tmp_path / "link")

    assert names(tmp_path / "in", tmp_path / "in/one", tmp_path / "link/one") == ["one"]
    assert reasons(tmp_path / "in", tmp_path / "in/one") == {}


def test_a_folder_without_results_is_named(tmp_path: Path) -> None:
    """One that holds nothing, and one in which a run began and was ended before its system answered; the others are read."""
    write(tmp_path / "good", MET)
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed/junit.xml").touch()
    (tmp_path / "nothing/at/all").mkdir(parents=True)

    assert names(tmp_path / "good", tmp_path / "nothing", tmp_path / "killed") == ["good"]
    assert reasons(tmp_path) == {"killed": "has the other files of a run, but no compliance.json: it was ended before its system answered"}
    assert reasons(tmp_path / "good", tmp_path / "nothing") == {"nothing": "has no compliance.json in it or below it"}


def test_a_file_that_is_no_run_is_named(tmp_path: Path) -> None:
    """Empty, far too large, or a link that leads nowhere: refused before Spark opens it."""
    for name in ("empty", "huge", "lost"):
        (tmp_path / name).mkdir()
    (tmp_path / "empty/compliance.json").touch()
    with (tmp_path / "huge/compliance.json").open("wb") as stream:
        stream.truncate(folders.LARGEST + 1)
    os.symlink(tmp_path / "gone", tmp_path / "lost/compliance.json")
    write(tmp_path / "good", MET)

    reported = reasons(tmp_path)

    assert names(tmp_path) == ["good"]
    assert set(reported) == {"empty", "huge", "lost"}
    assert reported["empty"] == "is empty"
    assert "larger than 64 MB" in reported["huge"]
    assert "cannot be read" in reported["lost"]


def test_what_does_not_exist_is_the_users_mistake(tmp_path: Path) -> None:
    """A misspelt path or a pattern that matches nothing is not an empty report."""
    write(tmp_path / "good", MET)

    for asked in ("nowhere", "*/nothing-*"):
        with pytest.raises(WrongUsage, match="does not exist"):
            folders.find([str(tmp_path / "good"), str(tmp_path / asked)])
