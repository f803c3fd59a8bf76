"""Which files in a results folder fencepost wrote, so that it never deletes any other.

A folder is claimed by the file `.fencepost-results` in it: a line of JSON with the command and version that claimed it, then the
name of each file that fencepost writes there, one a line and noted *before* the file is written. So the list is right even when a process
is killed. A file that is not listed belongs to the user and stays; if it is in the way, the folder is refused before anything is changed.

Spark's file names are not known before it writes: `tables/**/part-*` means all such files below `tables`, a folder that Spark replaces
as a whole, and that may hold no other files.

With a name comes what is written before it is moved into place, `.NAME.tmp` or `NAME.tmp`.

One command at a time has a folder: see `folder_lock.py`.

A symbolic link in a results folder belongs to the user as well: nothing is followed out of the folder, and no link is removed.
"""

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from .errors import WrongUsage
from .folder_lock import Lock, hold
from .version import VERSION

MARKER = ".fencepost-results"
_VERSION = 1
_BELOW = "/**/"
_SPARK = ("part-*", ".part-*", "_SUCCESS", "._SUCCESS.crc")


@dataclass(frozen=True)
class FolderLayout:
    """What a command writes at the top of its folder, and the option that names another folder.

    `folders` may hold the user's files next to ours. `trees` are replaced as a whole.
    """

    command: str
    option: str
    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()


class Folder:
    """A claimed folder. Every process that writes there may have its own object; the one that claimed it has the lock."""

    def __init__(self, path: Path, noted: Iterable[str] = (), lock: Lock | None = None) -> None:
        self.path = path
        self._noted = set(noted)
        self._lock = lock

    def note(self, *names: str) -> None:
        """Note that these files are ours, before they are written. One write, so that several processes may note at the same time."""
        fresh = [name for name in names if name not in self._noted]
        if not fresh:
            return
        lines = "".join(json.dumps(name) + "\n" for name in fresh).encode()
        with (self.path / MARKER).open("ab", buffering=0) as marker:
            written = marker.write(lines) or 0
            if written < len(lines):  # a full disk stores only a part, after which no other process's line may follow
                marker.truncate(marker.tell() - written)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._noted.update(fresh)

    def place(self, name: str) -> Path:
        """Where to write the file of this name, which is noted. Raises WrongUsage if the user has a file there."""
        path = self.path / name
        if name not in self._noted and os.path.lexists(path):
            raise WrongUsage(f"{path} is not fencepost's and would be overwritten; move it away")
        self.note(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def written(self, below: str) -> Iterator[Path]:
        """The files in this folder of it that we wrote, whichever process did."""
        for name in map(json.loads, (self.path / MARKER).read_text(encoding="utf-8").splitlines()[1:]):
            if name.startswith(f"{below}/") and _is_plain(self.path, self.path / name):
                yield self.path / name

    def put(self, name: str, content: str | bytes) -> None:
        """Write a file in one step, so that neither a reader nor a kill ever finds half of it."""
        whole = self.place(name)
        half = whole.with_name(f".{whole.name}.tmp")
        try:
            half.write_bytes(content if isinstance(content, bytes) else content.encode())
            half.replace(whole)
        except OSError:
            half.unlink(missing_ok=True)
            raise


def look(path: Path, layout: FolderLayout, keep: Sequence[str] = ()) -> None:
    """Check whether the command may have this folder; nothing is changed. `keep` has the trees that stay. Raises WrongUsage."""
    instead = f"name another folder with {layout.option}"
    with reported(path):
        if path.resolve() in (Path("/"), Path("~").expanduser().resolve()):
            raise WrongUsage(f"{layout.option} {path}: this folder is used for other things; {instead}, such as results/{layout.command}")
        if path.parts[:1] == ("~",):  # to remove a folder of that name is a way to lose one's home
            raise WrongUsage(f"{layout.option} {path} would be a folder that is called ~, since no shell replaced it; write the path out")
        if path.exists() and not path.is_dir():
            raise WrongUsage(f"{layout.option} {path} is a file, and results need a folder; {instead}")
        if path.exists():
            hold(path, layout.option)  # and let go at once: checking does not claim
        ours = _listed(path, layout)
        for name in (*layout.files, *layout.folders, *layout.trees):
            if name in keep or not os.path.lexists(path / name) or _is_empty(path / name):
                continue
            if ours is None:
                raise WrongUsage(f"{path} has {_strange(path, name)}; {instead}, or move {name} away")
            if strange := _in_the_way(path, name, layout, ours):
                raise WrongUsage(f"{strange} is not fencepost's, and is in the way; {instead}, or move it away")


def claim(path: Path, layout: FolderLayout, first: Mapping[str, str] | None = None, keep: Sequence[str] = ()) -> Folder:
    """Prepare the folder: remove what we wrote there before, and write the files in `first`.

    They replace their predecessors before anything is removed, so that no moment shows half-removed results. Raises WrongUsage.
    """
    look(path, layout, keep)
    beginning = first or {}
    with reported(path):
        path.mkdir(parents=True, exist_ok=True)
        lock = hold(path, layout.option)
        before = _listed(path, layout)
        if before is None:
            _mark(path, layout, ())
        claimed = Folder(path, before or ())
        for name, text in beginning.items():
            claimed.put(name, text)
        stays = [name for name in before or () if name in beginning or name.partition("/")[0] in keep]
        remove(path, [name for name in before or () if name not in stays])
        _mark(path, layout, (*beginning, *stays))
    return Folder(path, (*beginning, *stays), lock)


def give_up(path: Path, layout: FolderLayout) -> None:
    """Remove all that we wrote in a folder that we claimed, and the folder if it is empty then. Any other folder is left alone."""
    if (path / MARKER).is_file() and not path.is_symlink():
        remove(path, [*(_listed(path, layout) or ()), MARKER])
        with contextlib.suppress(OSError):
            path.rmdir()


def spark(*trees: str) -> tuple[str, ...]:
    """What Spark writes in folders of these names, to be noted before it does."""
    return tuple(f"{tree}{_BELOW}{name}" for tree in trees for name in _SPARK)


def remove(path: Path, names: Iterable[str]) -> None:
    """Remove these files of a folder if they exist, then the folders below it that are empty."""
    for name in names:
        tree, is_tree, pattern = name.partition(_BELOW)
        for file in [one for one in _files(path / tree) if fnmatchcase(one.name, pattern)] if is_tree else _with_halves(path / name):
            if _is_plain(path, file):
                file.unlink()
                _tidy(path, file.parent)
        if is_tree and not (path / tree).is_symlink():
            for current, _, _ in os.walk(path / tree, topdown=False):
                _tidy(path, Path(current))


def _is_empty(folder: Path) -> bool:
    """Whether it is a folder in which there is no file at any depth: nothing can be lost there."""
    return folder.is_dir() and not folder.is_symlink() and next(_files(folder), None) is None


def _with_halves(file: Path) -> tuple[Path, ...]:
    return file, file.with_name(f"{file.name}.tmp"), file.with_name(f".{file.name}.tmp")


def _tidy(top: Path, folder: Path) -> None:
    with contextlib.suppress(OSError):  # something else is in it
        while folder != top:
            folder.rmdir()
            folder = folder.parent


def _files(folder: Path) -> Iterator[Path]:
    """All files and links below a folder; none where it is a link itself."""
    if folder.is_symlink():
        return
    for current, folders, names in os.walk(folder):
        links = [name for name in folders if Path(current, name).is_symlink()]
        yield from (Path(current, name) for name in sorted([*names, *links]))


def _is_plain(top: Path, file: Path) -> bool:
    """Whether it is a file, reached through no symbolic link below `top`."""
    if any(folder.is_symlink() for folder in file.parents if folder != top and folder.is_relative_to(top)):
        return False
    return os.path.lexists(file) and stat.S_ISREG(file.lstat().st_mode)


def _in_the_way(path: Path, name: str, layout: FolderLayout, ours: Sequence[str]) -> Path | None:
    """What exists under this name in a claimed folder and is not ours, if anything does."""
    if name in layout.files:
        return None if name in ours and _is_plain(path, path / name) else path / name
    if path.joinpath(name).is_symlink() or not path.joinpath(name).is_dir():
        return path / name
    if name in layout.folders:
        return None
    patterns = [one.partition(_BELOW)[2] for one in ours if one.startswith(name + _BELOW)]
    unlisted = (file for file in _files(path / name) if file.relative_to(path).as_posix() not in ours)
    return next((file for file in unlisted if not any(fnmatchcase(file.name, pattern) for pattern in patterns)), None)


def _listed(path: Path, layout: FolderLayout) -> list[str] | None:
    """The files that the marker lists as ours; None if there is no marker. Raises WrongUsage if it is another command's, or damaged."""
    if not os.path.lexists(path / MARKER):
        return None
    try:
        # An unfinished last line was not written to its end, and so no file was written under that name.
        head, *names = map(json.loads, _text(path / MARKER).rpartition("\n")[0].splitlines())
        command, version = head["command"], head["schema_version"]
        if version != _VERSION or not all(map(_is_inside, names)):
            raise ValueError(version)
    except (ValueError, KeyError, TypeError):
        raise WrongUsage(
            f"{path / MARKER} cannot be understood, so it is unknown what in {path} is fencepost's; "
            f"name another folder with {layout.option}, or remove this one yourself"
        ) from None
    if command != layout.command:
        raise WrongUsage(f"{path} has the results of `fencepost {command}`; name another folder with {layout.option}")
    return list(names)


def _text(marker: Path) -> str:
    if not _is_plain(marker.parent, marker):
        raise ValueError("no file")
    return marker.read_text(encoding="utf-8")


def _is_inside(name: object) -> bool:
    return isinstance(name, str) and bool(name) and not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts


def _mark(path: Path, layout: FolderLayout, names: Iterable[str]) -> None:
    head = {"schema_version": _VERSION, "fencepost": VERSION, "command": layout.command}
    half = path / f"{MARKER}.tmp"
    half.write_text("".join(json.dumps(line) + "\n" for line in (head, *names)), encoding="utf-8")
    half.replace(path / MARKER)


def _strange(path: Path, name: str) -> str:
    """What is in the way in an unclaimed folder."""
    try:
        document = json.loads((path / name).read_text(encoding="utf-8"))
        is_older = isinstance(document, dict) and {"schema_version", "fencepost"} <= document.keys()
    except (OSError, ValueError):
        is_older = False
    return f"{name} of an older fencepost, which did not note what it wrote" if is_older else f"{name}, which is not fencepost's"


@contextlib.contextmanager
def reported(path: Path) -> Iterator[None]:
    """Errors of writing to a results folder are raised as WrongUsage."""
    try:
        yield
    except (OSError, RuntimeError) as error:  # a loop of symbolic links is a RuntimeError before Python 3.13
        why = error.strerror if isinstance(error, OSError) else error
        raise WrongUsage(f"the results folder {path} cannot be written to: {why}") from error
