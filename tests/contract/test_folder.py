"""Whose a file is: what fencepost wrote is removed by the next claim, and nothing else ever is."""

import json
import os
from pathlib import Path

import pytest

from fencepost.contract import folder
from fencepost.contract.errors import WrongUsage
from fencepost.contract.folder import MARKER, Folder, FolderLayout, claim, look

LAYOUT = FolderLayout("run", "--results", ("report.json",), ("history",), ("tables",))
OTHER = FolderLayout("check", "--results", ("report.json",))


def content(top: Path) -> dict[str, str]:
    """All files below a folder, without the marker."""
    files = (path for path in sorted(top.rglob("*")) if path.is_file() and path.name != MARKER)
    return {path.relative_to(top).as_posix(): path.read_text(encoding="utf-8") for path in files}


def used(top: Path) -> Path:
    """A folder that a command has used, with foreign files next to its own."""
    claimed = claim(top, LAYOUT, {"report.json": "old"})
    claimed.put("history/a.jsonl", "a")
    claimed.note(*folder.spark("tables"))
    (top / "tables" / "ops").mkdir(parents=True)
    (top / "tables" / "ops" / "part-0001.parquet").write_text("p", encoding="utf-8")
    (top / "tables" / "ops" / ".part-0001.parquet.crc").write_text("c", encoding="utf-8")
    (top / "history" / "notes.md").write_text("mine", encoding="utf-8")
    (top / "README").write_text("mine", encoding="utf-8")
    return top


def test_a_claim_removes_what_was_written_before_and_keeps_what_was_not(tmp_path: Path) -> None:
    """Also in the folders that ours stand in."""
    claim(used(tmp_path), LAYOUT, {"report.json": "new"})

    assert content(tmp_path) == {"report.json": "new", "history/notes.md": "mine", "README": "mine"}
    assert not (tmp_path / "tables").exists()


def test_what_was_half_written_when_a_process_was_killed_is_ours(tmp_path: Path) -> None:
    """The name is noted before, so the next claim knows it, and what it was to be called while it was written."""
    claimed = claim(tmp_path, LAYOUT)
    claimed.place("history/a.jsonl").with_name(".a.jsonl.tmp").write_text("hal", encoding="utf-8")

    claim(tmp_path, LAYOUT)

    assert content(tmp_path) == {}


def test_another_process_notes_in_the_same_list(tmp_path: Path) -> None:
    """A worker process has no separate list."""
    claim(tmp_path, LAYOUT, {"report.json": ""})
    Folder(tmp_path).put("history/a.jsonl", "a")
    Folder(tmp_path).put("history/b.jsonl", "b")

    claim(tmp_path, LAYOUT)

    assert content(tmp_path) == {}


def test_what_we_wrote_is_distinguished_from_files_next_to_it(tmp_path: Path) -> None:
    """Whichever process wrote it; a link, what is noted and not there, and what is in another folder are left out."""
    claimed = claim(tmp_path, LAYOUT, {"report.json": ""})
    Folder(tmp_path).put("history/a.jsonl", "a")
    Folder(tmp_path).note("history/b.jsonl", "history/c.jsonl")
    (tmp_path / "history" / "notes.md").write_text("mine", encoding="utf-8")
    (tmp_path / "history" / "c.jsonl").symlink_to(tmp_path / "history" / "notes.md")

    assert list(claimed.written("history")) == [tmp_path / "history" / "a.jsonl"]


@pytest.mark.parametrize("name", ["report.json", "history", "tables"])
def test_an_unclaimed_folder_is_refused_where_our_names_are_taken(tmp_path: Path, name: str) -> None:
    """With the remedy, and nothing is touched."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "notes.md").write_text("mine", encoding="utf-8")

    with pytest.raises(WrongUsage, match=rf"has {name}, which is not fencepost's; name another folder with --results, or move {name} away"):
        claim(tmp_path, LAYOUT, {"report.json": ""})

    assert content(tmp_path) == {f"{name}/notes.md": "mine"}
    assert not (tmp_path / MARKER).exists()


def test_a_folder_with_files_that_are_not_in_the_way_can_be_claimed(tmp_path: Path) -> None:
    """`--results .` in a folder with other files changes none of them."""
    (tmp_path / "README").write_text("mine", encoding="utf-8")

    claim(tmp_path, LAYOUT, {"report.json": "new"})
    claim(tmp_path, LAYOUT, {"report.json": "newer"})

    assert content(tmp_path) == {"README": "mine", "report.json": "newer"}


def test_results_of_an_older_version_are_not_adopted(tmp_path: Path) -> None:
    """It did not note what it wrote, so the user's files cannot be recognised; the line says that an older fencepost wrote them."""
    (tmp_path / "report.json").write_text('{"schema_version": 1, "fencepost": "0.1.0"}', encoding="utf-8")

    with pytest.raises(WrongUsage, match=r"report\.json of an older fencepost, which did not note what it wrote; name another folder"):
        look(tmp_path, LAYOUT)


def test_the_results_of_another_command_are_refused(tmp_path: Path) -> None:
    """A check in the folder of a run would remove the histories that it is to judge."""
    claim(tmp_path, LAYOUT, {"report.json": "run"})

    with pytest.raises(WrongUsage, match="has the results of `fencepost run`; name another folder with --results"):
        claim(tmp_path, OTHER)

    assert content(tmp_path) == {"report.json": "run"}


@pytest.mark.parametrize("place", ["report.json", "tables/ops/notes.md"])
def test_a_foreign_file_in_the_way_of_a_claimed_folder_is_refused_before_anything_is_removed(tmp_path: Path, place: str) -> None:
    """A file that we would overwrite, or one in a folder that Spark replaces as a whole."""
    used(tmp_path)
    marker = (tmp_path / MARKER).read_text(encoding="utf-8").replace('"report.json"\n', "")
    (tmp_path / MARKER).write_text(marker if place == "report.json" else marker + '"report.json"\n', encoding="utf-8")
    (tmp_path / place).write_text("mine", encoding="utf-8")
    before = content(tmp_path)

    with pytest.raises(WrongUsage, match=f"{place} is not fencepost's, and is in the way"):
        claim(tmp_path, LAYOUT)

    assert content(tmp_path) == before


def test_no_link_is_followed_or_removed(tmp_path: Path) -> None:
    """A folder that became a link to somewhere else is refused; a file that did stays, and so does what it leads to."""
    mine, elsewhere = tmp_path / "results", tmp_path / "elsewhere"
    used(mine)
    (mine / "history" / "a.jsonl").unlink()
    (mine / "history" / "a.jsonl").symlink_to(mine / "README")
    claim(mine, LAYOUT)
    assert (mine / "history" / "a.jsonl").is_symlink()

    (mine / "history").rename(elsewhere)
    (mine / "history").symlink_to(elsewhere)
    with pytest.raises(WrongUsage, match="history is not fencepost's, and is in the way"):
        claim(mine, LAYOUT)
    assert content(elsewhere)["notes.md"] == "mine"


@pytest.mark.parametrize("names", ['"../victim"', '"/etc/victim"', '"history/../../victim"', "7", '""', "not JSON"])
def test_a_list_that_leads_out_of_the_folder_is_not_believed(tmp_path: Path, names: str) -> None:
    """A person may have written it by hand."""
    results, victim = tmp_path / "results", tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    claim(results, LAYOUT)
    with (results / MARKER).open("a", encoding="utf-8") as marker:
        marker.write(f"{names}\n")

    with pytest.raises(WrongUsage, match=r"cannot be understood, so it is unknown what in .* is fencepost's"):
        claim(results, LAYOUT)

    assert victim.read_text(encoding="utf-8") == "mine"


def test_a_name_that_was_not_noted_to_its_end_is_none(tmp_path: Path) -> None:
    """A full disk may cut a line short; nothing was written under that name."""
    claim(tmp_path, LAYOUT, {"report.json": ""})
    with (tmp_path / MARKER).open("a", encoding="utf-8") as marker:
        marker.write('"history/a.js')

    claim(tmp_path, LAYOUT, {"report.json": "new"})

    assert content(tmp_path) == {"report.json": "new"}


def test_a_file_of_the_user_is_not_overwritten(tmp_path: Path) -> None:
    """One that came since the claim, under a name that was not noted."""
    claimed = claim(tmp_path, LAYOUT)
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "a.jsonl").write_text("mine", encoding="utf-8")

    with pytest.raises(WrongUsage, match=r"history/a.jsonl is not fencepost's and would be overwritten; move it away"):
        claimed.put("history/a.jsonl", "ours")

    assert content(tmp_path) == {"history/a.jsonl": "mine"}


def test_places_that_are_no_folder_for_results_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The root, the home, a file, a place below a file, and a link that leads to itself."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    for place, reported in {
        Path("/"): "this folder is used for other things; name another folder with --results, such as results/run",
        tmp_path: "this folder is used for other things",
        tmp_path / "file": "is a file, and results need a folder",
        tmp_path / "file" / "below": "cannot be written to: Not a directory",
        tmp_path / "loop": "cannot be written to",
        tmp_path / ("long" * 99): "cannot be written to: File name too long",
    }.items():
        with pytest.raises(WrongUsage, match=reported):
            claim(place, LAYOUT)

    assert sorted(os.listdir(tmp_path)) == ["file", "loop"]


def test_the_tables_that_a_check_starts_from_are_kept(tmp_path: Path) -> None:
    """And they are still ours afterwards."""
    claim(used(tmp_path), LAYOUT, keep=("tables",))
    assert "tables/ops/part-0001.parquet" in content(tmp_path)

    claim(tmp_path, LAYOUT)
    assert content(tmp_path) == {"history/notes.md": "mine", "README": "mine"}


def test_folders_that_spark_left_empty_belong_to_no_user(tmp_path: Path) -> None:
    """They are removed with their files, and do not count as foreign: a check that could read everything has an empty `quarantine`."""
    results = used(tmp_path / "results")
    (results / "tables" / "_temporary" / "0").mkdir(parents=True)
    folder.give_up(results, LAYOUT)
    assert not (results / "tables").exists()

    (results / "tables" / "_temporary" / "0").mkdir(parents=True)
    (results / "history" / "notes.md").unlink()
    claim(results, LAYOUT, {"report.json": "new"})
    assert content(results) == {"README": "mine", "report.json": "new"}


def test_what_is_given_up_leaves_nothing_of_ours(tmp_path: Path) -> None:
    """Not even the folder, where it was only ours."""
    claim(tmp_path / "alone", LAYOUT, {"report.json": ""})
    folder.give_up(tmp_path / "alone", LAYOUT)
    folder.give_up(used(tmp_path / "shared"), LAYOUT)
    (tmp_path / "foreign").mkdir()
    folder.give_up(tmp_path / "foreign", LAYOUT)

    assert content(tmp_path) == {"shared/history/notes.md": "mine", "shared/README": "mine"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["foreign", "shared"]


def test_the_marker_says_who_claimed_the_folder(tmp_path: Path) -> None:
    """For a person who finds it, and for a later version."""
    claim(tmp_path, LAYOUT, {"report.json": ""})
    head, name = map(json.loads, (tmp_path / MARKER).read_text(encoding="utf-8").splitlines())

    assert (head["schema_version"], head["command"], name) == (1, "run", "report.json")
