"""What recorded the histories that are judged: the system of each results folder, else the name of the file."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

_RESULTS = "compliance.json"
_SHOWN_AT_MOST = 50


def systems_of(paths: Sequence[Path]) -> list[str]:
    """For each path the system with its version, when its run began, and the path; the first fifty."""
    named = list(_named(paths))
    rest = len(named) - _SHOWN_AT_MOST
    return [*named[:_SHOWN_AT_MOST], *([f"and {rest} more"] if rest > 0 else [])]


def _named(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        folders = [one for one in (path, path.parent) if (one / _RESULTS).is_file()]
        inside = sorted(path.glob(f"*/{_RESULTS}")) if path.is_dir() and not folders else []
        if not folders and not inside:
            yield f"{path}, which does not say of which system it is"
        for folder in folders[:1] or [one.parent for one in inside]:
            yield _of_run(folder)


def _of_run(folder: Path) -> str:
    try:
        run = json.loads((folder / _RESULTS).read_text(encoding="utf-8"))
        system = run["system"]
        return f"{system['name']} {system.get('version') or ''}".strip() + f", {run['started']}, {folder}"
    except (OSError, ValueError, LookupError, TypeError):
        return f"{folder}, whose {_RESULTS} cannot be read"
