"""The folder of a run for its processes: data, settings, logs. It is removed with the run, or by a later run if the run was killed."""

import contextlib
import shutil
import tempfile
from pathlib import Path

from . import owners

_PREFIX = "fencepost-run-"
_OWNER = "owner"


def make() -> Path:
    """A new folder that only this user may read; removes folders that killed runs have left."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # another user's, or swept by another run at the same moment
            if owners.is_gone((left / _OWNER).read_text(encoding="utf-8")):
                shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    (folder / _OWNER).write_text(owners.this_process(), encoding="utf-8")
    return folder


def remove(folder: Path) -> None:
    """Remove a folder, with its content."""
    shutil.rmtree(folder, ignore_errors=True)
