"""Two commands at a time would remove each other's results, so the second is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from fencepost.contract.errors import WrongUsage
from fencepost.contract.folder import FolderLayout, claim, look

LAYOUT = FolderLayout("run", "--results", ("report.json",), ("history",))
OTHER_PROCESS = """
import sys
from pathlib import Path
from fencepost.contract.folder import FolderLayout, claim
folder = claim(Path(sys.argv[1]), FolderLayout("run", "--results", ("report.json",), ("history",)), {"report.json": "theirs"})
print("claimed", flush=True)
sys.stdin.read()
"""


def test_a_folder_that_another_process_writes_in_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    """By a look and by a claim, until that process has ended, and also when it was killed."""
    with subprocess.Popen(
        [sys.executable, "-c", OTHER_PROCESS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "claimed\n"
        for attempt in (look, claim):
            with pytest.raises(WrongUsage, match=r"another fencepost command is writing in .*; wait until it has ended, or name another"):
                attempt(tmp_path, LAYOUT)
        assert (tmp_path / "report.json").read_text(encoding="utf-8") == "theirs"
        other.kill()

    claim(tmp_path, LAYOUT, {"report.json": "ours"})

    assert (tmp_path / "report.json").read_text(encoding="utf-8") == "ours"


def test_one_process_may_claim_a_folder_twice(tmp_path: Path) -> None:
    """Such as a run in a user's own test, whose folder has not been released yet."""
    first = claim(tmp_path, LAYOUT)

    assert claim(tmp_path, LAYOUT).path == first.path


def test_a_tilde_that_no_shell_replaced_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`rm -r ~` would be the natural way to remove that folder."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(WrongUsage, match=r"--results ~/results would be a folder that is called ~, since no shell replaced it"):
        claim(Path("~/results"), LAYOUT)

    assert not list(tmp_path.iterdir())
