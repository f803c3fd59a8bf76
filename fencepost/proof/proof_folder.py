"""The results folder of `fencepost prove`. Each of its modes writes one or two files, and leaves those of the others."""

from pathlib import Path

from fencepost.contract.folder import Folder, FolderLayout, claim

MATRIX, MATRIX_PAGE = "prove.json", "prove.html"
"""What `fencepost prove` writes without a mode."""

MUTANTS, MUTANTS_PAGE = "mutants.json", "mutants.html"
"""What `--mutants` writes."""

EXPLORED = "explored.json"
"""What `--explore` writes."""

TWINS = "twins.json"
"""What `--twins` writes."""

AT_PROFILE = "profile.json"
"""What `--profile` writes."""

MUSEUM = "museum.json"
"""What `--museum` writes."""

MUSEUM_TWINS = "museum-twins.json"
"""What `--museum --twins` writes."""

_LAYOUT = FolderLayout(
    "prove", "--results", (MATRIX, MATRIX_PAGE, MUTANTS, MUTANTS_PAGE, EXPLORED, TWINS, AT_PROFILE, MUSEUM, MUSEUM_TWINS)
)


def claimed(where: Path, *written: str) -> Folder:
    """The folder, for a mode that writes these files: what they held before is removed."""
    return claim(where, _LAYOUT, keep=[name for name in _LAYOUT.files if name not in written])
