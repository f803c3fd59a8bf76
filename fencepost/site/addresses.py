"""Where each page stands: a requirement keeps its address as long as its edition is published, such as `2026.12/kip890/060.html`."""

import functools
import re
from importlib import resources

from fencepost.contract import register

FIRST_EDITION = "2026.12"
"""The edition of a proposal that has no frozen one yet."""

_EDITION = re.compile(r"(\d{4})-(\d{2})\.yaml")
_LONGEST = 60


@functools.cache
def edition_of(spec: str) -> str:
    """The newest edition of a proposal: `features/<proposal>/editions/2026-12.yaml` is `2026.12`."""
    folder = resources.files("fencepost.features") / spec / "editions"
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    found = sorted(f"{match[1]}.{match[2]}" for name in names if (match := _EDITION.fullmatch(name)))
    return found[-1] if found else FIRST_EDITION


def proposal(spec: str) -> str:
    return f"{edition_of(spec)}/{spec}/index.html"


def requirement(identifier: str) -> str:
    spec = register.bundled().spec_of(identifier)
    return f"{edition_of(spec)}/{spec}/{identifier.rpartition('-')[2]}.html"


def release(system: str, line: str) -> str:
    return f"releases/{system}-{line}.html"


def vocabulary(name: str) -> str:
    return f"sentences/{name}.html"


def module(file: str) -> str:
    """The page of a module of the reference: `reference/kafka/end_txn_rules.py` is `reference/kafka/end_txn_rules.html`."""
    return f"{file.removesuffix('.py')}.html"


def document(name: str) -> str:
    """The page of `docs/NAME.md`; `name` may have a folder, such as `findings/kafka`."""
    return f"docs/{name}.html"


def slug(text: str) -> str:
    """A text as a part of an address: small letters, digits, dots and dashes, never empty and never too long."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:_LONGEST].strip("-.") or "unnamed"
