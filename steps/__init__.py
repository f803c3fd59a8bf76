"""Sentences: each step turns words into one call on a probe, or judges one observation.

No protocol and no waiting loops here; those are the probe's. Uses `adapters.ports`, a protocol's values and probe, `adapters.core`, and
`evidence` from the front door.

A proposal's sentences are for its own features: `globals().update(sentences("kip890"))` in the module that collects these makes them
known there, and nowhere else.
"""

import importlib
import pkgutil
from typing import Any


def sentences(spec: str) -> dict[str, Any]:
    """What the modules of a proposal's sentences hold, by name: pytest-bdd finds sentences as fixtures of the module they stand in."""
    package = importlib.import_module(f"{__name__}.{spec}")
    modules = [importlib.import_module(module.name) for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]
    return {name: value for module in modules for name, value in vars(module).items() if not name.startswith("__")}
