"""A scenario's tags as pytest's markers, for `pytest -p fencepost.plugin -m 'MUST and not needs_crash'`.

Levels are MUST, SHOULD and MAY; a theme is its name, such as sealing; a need `@needs:crash-points` is `needs_crash_points`, since pytest
ends a marker's name at a colon; a requirement is its id, such as KIP890-060, and a proposal the name of its folder. All are registered, so
that strict pytest refuses a misspelt one.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fencepost.contract.capabilities import ALONE, CAPABILITIES
from fencepost.contract.register import Register
from fencepost.contract.themes import THEMES

from .selection import LEVELS

_NEED = "needs:"


def register_all(config: pytest.Config, register: Register) -> None:
    """Make every marker known to pytest."""
    for level in LEVELS:
        config.addinivalue_line("markers", f"{level}: scenarios of requirements that say {level}")
    for theme, reported in THEMES.items():
        config.addinivalue_line("markers", f"{theme}: {reported}")
    for capability, reported in CAPABILITIES.items():
        config.addinivalue_line("markers", f"{_named(_NEED + capability)}: {reported}")
    config.addinivalue_line("markers", f"{ALONE}: scenarios during which nothing else may run")
    for spec, rows in register.by_spec.items():
        config.addinivalue_line("markers", f"{spec}: scenarios of that proposal")
        for row in rows:
            config.addinivalue_line("markers", f"{row.id}: scenarios of that requirement")


def mark(function: Callable[..., Any], tag: str, register: Register) -> None:
    """Give a scenario's function the marker of one of its tags."""
    if tag in register.by_id:
        _give(function, register.spec_of(tag))
    if tag in register.by_id or is_known(tag) or tag.removeprefix(_NEED) in CAPABILITIES:
        _give(function, _named(tag))


def is_known(tag: str) -> bool:
    """Whether a tag is a level or a theme, or marks a scenario that runs alone."""
    return tag in LEVELS or tag in THEMES or tag == ALONE


def _give(function: Callable[..., Any], name: str) -> None:
    marker: pytest.MarkDecorator = getattr(pytest.mark, name)
    marker.with_args("a tag")(function)  # with an argument, since Allure would make another tag of one without


def _named(tag: str) -> str:
    return tag.replace(":", "_").replace("-", "_") if tag.startswith(_NEED) else tag
