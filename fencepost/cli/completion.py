"""Shell completion of Fencepost's names, read without heavy imports, since a person waits at each press of the key."""

import re
from collections.abc import Iterable, Iterator
from importlib import resources
from importlib.metadata import entry_points
from importlib.resources.abc import Traversable

_SYSTEMS = ("reference", "kafka", "pulsar")
_THEMES = ("commits", "aborts", "fencing", "recovery", "retention", "sealing")
_ID = re.compile(r"^- id: *(\S+)", re.MULTILINE)
_DEFECT = re.compile(r"^@(defect|pair|core_pair)\(.*?^class (\w+)", re.MULTILINE | re.DOTALL)
_PREFIXES = {"defect": ("",), "pair": ("key-", "scalable-key-"), "core_pair": ("core-pulsar-", "core-scalable-")}
"""A pair is two defects, for both kinds of coordinators: `reference/defects/transaction_key/pair.py` and `core/pair.py` name them."""


def complete_system(incomplete: str) -> list[str]:
    """A bundled system, or one of an installed package."""
    return _that_begin((*_SYSTEMS, *(entry.name for entry in entry_points(group="fencepost.systems"))), incomplete)


def complete_proposal(incomplete: str) -> list[str]:
    folders = resources.files("fencepost.features").iterdir()
    return _that_begin((folder.name for folder in folders if folder.joinpath("spec.yaml").is_file()), incomplete)


def complete_requirement(incomplete: str) -> list[str]:
    """An id of the registers, in upper or lower case."""
    found: list[str] = []
    for folder in resources.files("fencepost.features").iterdir():
        rows = folder.joinpath("requirements.yaml")
        if rows.is_file():
            found += _ID.findall(rows.read_text(encoding="utf-8"))
    return _that_begin(found, incomplete.upper())


def complete_level(incomplete: str) -> list[str]:
    return _that_begin(("MUST", "SHOULD", "MAY"), incomplete.upper())


def complete_theme(incomplete: str) -> list[str]:
    """A theme, with or without the sign of a tag."""
    return _that_begin(_THEMES, incomplete.lower().removeprefix("@"))


def complete_profile(incomplete: str) -> list[str]:
    releases = resources.files("fencepost.fixtures") / "releases"
    files = [*releases.iterdir(), *(releases / "pulsar").iterdir()]
    return _that_begin({file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml")}, incomplete)


def complete_defect(incomplete: str) -> list[str]:
    """A defect of the reference, or a conforming variant."""
    return _that_begin(_defects(resources.files("fencepost.reference") / "defects"), incomplete)


def _defects(folder: Traversable) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _defects(entry)
        elif entry.name.endswith(".py"):
            for decorator, class_name in _DEFECT.findall(entry.read_text(encoding="utf-8")):
                name = re.sub(r"\B(?=[A-Z])", "-", class_name).lower()
                yield from (prefix + name for prefix in _PREFIXES[decorator])


def _that_begin(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
