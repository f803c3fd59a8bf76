"""`fencepost` on a disk that is full when the folder has that many bytes: it refuses whole files.

python tests/fakes/small_disk.py BYTES FOLDER run --results FOLDER ...
"""

import errno
import os
import sys
from pathlib import Path

from fencepost.__main__ import main

ROOM, FOLDER = int(sys.argv.pop(1)), Path(sys.argv.pop(1)).resolve()
write_bytes, write_text = Path.write_bytes, Path.write_text


def _refuse(path: Path, size: int) -> None:
    if path.resolve().is_relative_to(FOLDER):
        taken = sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file())
        if taken + size > ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def _bytes(path: Path, data: bytes) -> int:
    _refuse(path, len(data))
    return write_bytes(path, data)


def _text(path: Path, data: str, encoding: str | None = None, errors: str | None = None, newline: str | None = None) -> int:
    _refuse(path, len(data.encode()))
    return write_text(path, data, encoding, errors, newline)


Path.write_bytes = _bytes  # type: ignore[assignment, method-assign]  # it is the disk that lies
Path.write_text = _text  # type: ignore[assignment, method-assign]
main()
