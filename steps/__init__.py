"""Sentences: each step turns words into one call on a probe, or judges one observation.

No protocol and no waiting loops here; those are the probe's. `sentence` says what a sentence is; `core`, `kafka` and `pulsar` are the
vocabularies that proposals share, and a proposal may have some sentences of its own in a folder of its name.

A proposal's sentences are for its own features: `globals().update(sentences("kip890"))` in the module that collects these makes them
known there, and nowhere else.
"""

from typing import Any

from .vocabularies import modules_of


def sentences(spec: str) -> dict[str, Any]:
    """What the modules of a proposal's sentences hold, by name: pytest-bdd finds sentences as fixtures of the module they stand in."""
    return {name: value for module in modules_of(spec) for name, value in vars(module).items() if not name.startswith("__")}
