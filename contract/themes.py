"""Themes: topics across all proposals. A Rule carries the tag of each theme that its requirement belongs to, such as `@sealing`.

A proposal describes how one system is built, a theme what a user can lose: a reader interested in sealing wants the rows of every
proposal about it.
"""

import functools
from collections.abc import Iterable, Mapping

from . import gherkin
from .errors import UnknownName

THEMES: Mapping[str, str] = {
    "commits": "what a commit makes durable, and that nothing undoes it",
    "aborts": "what an abort undoes, and that it undoes nothing else",
    "fencing": "late requests of clients that have lost a transaction, a name or a place",
    "recovery": "what a system still has after a crash, a stop, a reload or a move to another node",
    "retention": "what is kept and what may be removed as a log ages: compaction, deletion, expiry",
    "sealing": "logs that accept no more writes: topics that are terminated, segments that are split, merged and pruned",
}
"""Every theme, and what it is about."""


def themes_in(tags: Iterable[str]) -> tuple[str, ...]:
    """Those of a Rule's tags that are themes, in the order of `THEMES`."""
    found = frozenset(tags)
    return tuple(theme for theme in THEMES if theme in found)


def themes_of(requirement: str) -> tuple[str, ...]:
    """The themes of a requirement; none if it has no Rule."""
    return _by_requirement().get(requirement, ())


def requirements_of(theme: str) -> tuple[str, ...]:
    """The requirements of a theme, in the order of the features. Raises UnknownName."""
    check((theme,))
    return tuple(requirement for requirement, themes in _by_requirement().items() if theme in themes)


def folded(requirements: Iterable[str]) -> dict[str, list[str]]:
    """Requirements by their first theme, in the order of `THEMES`; those without one are the last, under `other`."""
    found: dict[str, list[str]] = {theme: [] for theme in (*THEMES, "other")}
    for requirement in requirements:
        found[next(iter(themes_of(requirement)), "other")].append(requirement)
    return {theme: of for theme, of in found.items() if of}


def check(themes: Iterable[str]) -> None:
    """Raises UnknownName for an unknown theme."""
    for theme in themes:
        if theme not in THEMES:
            raise UnknownName("theme", theme, THEMES)


@functools.cache
def _by_requirement() -> dict[str, tuple[str, ...]]:
    rules = [rule for feature in gherkin.bundled() for rule in feature.rules]
    return {gherkin.requirement_of(rule.tags) or "": themes_in(rule.tags) for rule in rules}
