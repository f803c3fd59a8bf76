"""Sentences: each step turns words into one call on a probe, or judges one observation.

No protocol and no waiting loops here; those are the probe's. `sentence` says what a sentence is; `core`, `kafka` and `pulsar` are the
vocabularies that proposals share, and a proposal may have some sentences of its own in a folder of its name.

A proposal's sentences are for its own features: `globals().update(sentences("kip890"))` in the module that collects these makes them
known there, and nowhere else.
"""

import importlib
import pkgutil
from importlib.util import find_spec
from typing import Any

from fencepost.contract import proposals


def sentences(spec: str) -> dict[str, Any]:
    """What the modules of a proposal's sentences hold, by name: pytest-bdd finds sentences as fixtures of the module they stand in."""
    modules = [module for package in _packages(spec) for module in _modules(package)]
    return {name: value for module in modules for name, value in vars(module).items() if not name.startswith("__")}


def _packages(spec: str) -> list[str]:
    """The vocabularies that the proposal's features use: the shared ones of its `spec.yaml`, and its own where it has some."""
    named = dict.fromkeys((*proposals.bundled()[spec].vocabularies, spec))
    return [package for name in named if find_spec(package := f"{__name__}.{name}")]


def _modules(package: str) -> list[Any]:
    found = importlib.import_module(package)
    return [importlib.import_module(module.name) for module in pkgutil.iter_modules(found.__path__, f"{package}.")]
