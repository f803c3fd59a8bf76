"""The results folder of a run and of a proof: nothing of the user's is ever deleted, and what is refused is refused with the remedy."""

from pathlib import Path

import pytest
from commands import compliance, fencepost

from fencepost.contract.disk_reserve import RESERVE
from fencepost.contract.folder import MARKER

ONE = ("run", "--only", "KIP890-060", "--no-html")


def foreign(top: Path, *names: str) -> dict[Path, str]:
    """Files of the user's, with what stands in them."""
    files = {top / name: f"mine: {name}" for name in names}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return files


@pytest.mark.parametrize("name", ["history/notes.md", "junit.xml", "allure-results/theirs-result.json"])
def test_a_folder_with_results_of_others_is_refused(tmp_path: Path, name: str) -> None:
    """Exit code 2, one line with the remedy, and nothing is touched."""
    files = foreign(tmp_path, name, "README.md")
    top = name.partition("/")[0]

    finished = fencepost(*ONE, "--results", ".", expect=2, cwd=tmp_path)

    assert f"has {top}, which is not fencepost's; name another folder with --results, or move {top} away" in finished.out + finished.err
    assert {path: path.read_text(encoding="utf-8") for path in files} == files
    left = {path for path in tmp_path.rglob("*") if path.is_file() and ".hypothesis" not in path.parts}  # kio's, where that is installed
    assert left == files.keys()


def test_a_run_again_removes_its_own_files_and_no_other(tmp_path: Path) -> None:
    """Foreign files stay in the folder, among the histories and among Allure's results; the results of the first run are gone."""
    fencepost(*ONE, "--results", tmp_path, expect=0)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    files = foreign(tmp_path, "notes.md", "history/notes.md", "history/theirs.jsonl", "allure-results/theirs-result.json", "check/notes.md")

    fencepost("run", "--only", "KIP890-061", "--no-html", "--results", tmp_path, expect=0)

    assert {path: path.read_text(encoding="utf-8") for path in files} == files
    assert not [path for path in before if path.exists() and "KIP890-060" in path.name], "the histories of the first run are gone"
    after = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file() and path not in files} - {MARKER}
    listed = (tmp_path / MARKER).read_text(encoding="utf-8").splitlines()[1:]
    assert after | {RESERVE} == {name.strip('"') for name in listed}, "what is listed is there, except the reserve that was freed"
    assert compliance(tmp_path)["totals"]["met"] == 1


def test_the_folder_of_a_run_is_no_folder_for_a_proof(tmp_path: Path) -> None:
    """Nor is one with another tool's prove.html."""
    results, theirs = tmp_path / "run", tmp_path / "theirs"
    fencepost(*ONE, "--results", results, expect=0)
    files = foreign(theirs, "prove.html")

    assert "has the results of `fencepost run`" in fencepost("prove", "--results", results, expect=2).err
    assert "has prove.html, which is not fencepost's" in fencepost("prove", "--results", theirs, expect=2).err

    assert compliance(results)["complete"] is True
    assert {path: path.read_text(encoding="utf-8") for path in theirs.iterdir()} == files
