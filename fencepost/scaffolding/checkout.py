"""A checkout of Fencepost that is written to. Nothing that exists is replaced, and either all files are written or none."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from fencepost.contract.errors import WrongUsage

Files = Mapping[str, str]
"""The text of each file, by its path from the checkout."""


def find(folder: Path) -> Path:
    """The checkout that this folder is. Raises WrongUsage where it is none."""
    project = folder / "pyproject.toml"
    try:
        name = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["name"]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError):
        name = None
    if name != "fencepost" or not (folder / "features").is_dir():
        raise WrongUsage(f"{folder} is no checkout of Fencepost: run this in a clone, or name one with --checkout DIR")
    return folder


def text_of(checkout: Path, path: str) -> str:
    """What a file of the checkout holds; empty where there is none."""
    file = checkout / path
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def write(checkout: Path, new: Files, changed: Files) -> list[str]:
    """Write these files; answers their paths, and which files are new.

    Raises WrongUsage, before anything is written, for a new one that exists.
    """
    for path in new:
        if (checkout / path).exists():
            raise WrongUsage(f"{path} exists already: choose another name, or remove it")
    written = []
    for path, text in {**new, **changed}.items():
        file = checkout / path
        written.append(path if file.exists() else f"{path}, a new file")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return written
