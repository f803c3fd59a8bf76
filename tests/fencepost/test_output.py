"""Where the output goes changes no verdict: a reader that leaves, and a stream that has few letters."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = str(Path(sys.executable).parent / "fencepost")


def test_a_reader_that_leaves_is_no_failure_of_the_kit() -> None:
    """`fencepost list --format json | head -1`: no traceback, and neither the code of a verdict nor that of a defect of ours."""
    with subprocess.Popen([COMMAND, "list", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait() == 4


def test_a_stream_in_ascii_shows_numbers_for_what_it_has_no_letters_for() -> None:
    """LANG=C with PYTHONIOENCODING=ascii, as some CI machines have it."""
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "COLUMNS": "80"}
    done = subprocess.run([COMMAND, "sentences"], env=ascii_only, capture_output=True, check=True)

    assert b"\\u2026" in done.stdout
    assert done.stderr == b""
