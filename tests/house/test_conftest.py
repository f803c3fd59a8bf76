"""What the root's conftest.py promises: tests that cannot run here are skipped with their reason, or fail where they must run."""

import subprocess
import sys
from pathlib import Path

import pytest
from commands import CHECKOUT
from docker_here import require_docker
from forked import Finished, environment_of_users
from once import made_once

NO_IMAGE = "fencepost/no-such-image:1"


def test_without_an_image_a_test_is_skipped_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without brokers still runs the other tests."""
    monkeypatch.delenv("FENCEPOST_REQUIRE_CONTAINERS", raising=False)

    with pytest.raises(pytest.skip.Exception, match="Docker"):
        require_docker(NO_IMAGE)


def test_without_an_image_that_must_be_there_a_test_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """CI does not count a skip as a pass."""
    monkeypatch.setenv("FENCEPOST_REQUIRE_CONTAINERS", "1")

    with pytest.raises(pytest.fail.Exception, match="FENCEPOST_REQUIRE_CONTAINERS=1, and Docker"):
        require_docker(NO_IMAGE)


def run(folder: Path, test: str, *options: str) -> Finished:
    """A test in a separate folder, under the root's conftest.py."""
    (folder / "test_one.py").write_text(f"import pytest\n\n\n{test}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", f"--rootdir={folder}", "-rs", *options]
    done = subprocess.run(
        [*command, folder / "test_one.py"],
        cwd=CHECKOUT,
        env=environment_of_users(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


THOROUGH = "@pytest.mark.thorough\ndef test_one() -> None:\n    raise AssertionError('it ran')"


def test_what_ci_leaves_out_is_skipped_visibly_and_runs_when_asked_for(tmp_path: Path) -> None:
    """A skip with its reason, and not a missing test."""
    left_out, asked_for = run(tmp_path, THOROUGH), run(tmp_path, THOROUGH, "--thorough")

    assert (left_out.code, "CI leaves it to `make test-all`" in left_out.out) == (0, True), left_out
    assert (asked_for.code, "it ran" in asked_for.out) == (1, True), asked_for


@pytest.mark.parametrize(
    ("marker", "said"),
    [("docker", "expected pytest.mark.docker(IMAGE)"), ("docker('x:1')", "needs Docker, so it belongs to a file tests/systems/test_real_")],
)
def test_a_marker_that_is_wrong_stops_the_run(tmp_path: Path, marker: str, said: str) -> None:
    """One without an image would need none; one elsewhere would start brokers in addition to those of the other worker."""
    finished = run(tmp_path, f"@pytest.mark.{marker}\ndef test_one() -> None:\n    pass")

    assert finished.code == 4, finished
    assert said in finished.out + finished.err


def test_what_all_workers_read_is_made_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Where it cannot be made, the next test that needs it tries again."""
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        if len(made) == 1:
            raise RuntimeError("the first attempt")
        (folder / "it").touch()

    with pytest.raises(RuntimeError):
        made_once(tmp_path_factory, "of-the-test", make)
    folders = {made_once(tmp_path_factory, "of-the-test", make) for _ in range(2)}

    assert (len(made), len(folders)) == (2, 1)
    assert (folders.pop() / "it").exists()
