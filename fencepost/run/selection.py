"""Which requirements a run selects: some proposals, some ids, some levels, some themes, and what is skipped.

Values may be in upper or lower case, as lists (`A,B`) and in repeated options, and ids also as shell patterns: `KIP890-06*`,
`KIP890-06[0-3]`.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import cached_property

from fencepost.contract import themes as known_themes
from fencepost.contract.errors import UnknownName, WrongUsage, hint
from fencepost.contract.register import Register, Requirement

LEVELS = ("MUST", "SHOULD", "MAY")


def listed(values: Iterable[str] | None, case: Callable[[str], str]) -> tuple[str, ...]:
    """The listed values, once each: `("A,B", "b")` in the case `str.upper` is `("A", "B")`."""
    parts = (part.strip() for value in values or () for part in value.split(","))
    return tuple(dict.fromkeys(case(part) for part in parts if part))


def proposals_named(values: Iterable[str] | None) -> tuple[str, ...]:
    """The proposals that users name, by the names of their folders."""
    return listed(values, str.lower)


def themes_named(values: Iterable[str] | None) -> tuple[str, ...]:
    """The themes that users name, also as tags: `@sealing` is `sealing`."""
    return listed(values, lambda value: value.lower().removeprefix("@"))


@dataclass(frozen=True)
class Selection:
    """Which requirements a run selects; an empty part leaves nothing out. `only` and `skip` have ids and patterns of ids."""

    specs: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    smoke: tuple[str, ...] = ()
    """The requirements of a smoke run, for this system; empty for any other run."""
    themes: tuple[str, ...] = ()

    @classmethod
    def said(
        cls,
        specs: Iterable[str] = (),
        only: Iterable[str] = (),
        levels: Iterable[str] = (),
        skip: Iterable[str] = (),
        themes: Iterable[str] = (),
    ) -> "Selection":
        """The selection of a user's values, in upper or lower case."""
        ids, left_out = listed(only, str.upper), listed(skip, str.upper)
        return cls(proposals_named(specs), ids, listed(levels, str.upper), left_out, themes=themes_named(themes))

    def check(self, register: Register) -> None:
        """Raises UnknownName for an unknown proposal, level or theme, WrongUsage for a pattern that matches no requirement, and if nothing
        is left to judge.
        """
        register.rows(self.specs)
        for option, patterns in (("--only", self.only), ("--skip", self.skip)):
            for pattern in patterns:
                if pattern not in register.by_id and not any(fnmatchcase(identifier, pattern) for identifier in register.by_id):
                    raise WrongUsage(f"{option} {pattern}: no such requirement{hint(pattern, register.by_id)}")
        for level in self.levels:
            if level not in LEVELS:
                raise UnknownName("level", level, LEVELS)
        known_themes.check(self.themes)
        if not any(row.is_tested and self.holds(row, register.spec_of(row.id)) for row in register.rows()):
            raise WrongUsage(f"nothing is selected by {self._said()}: {self._why_nothing(register)}; see `fencepost list`")

    def holds(self, row: Requirement, spec: str) -> bool:
        """Whether a requirement of that proposal is selected."""
        return self._names(row, spec) and not self.is_skipped(row.id)

    def proposals_in(self, register: Register) -> frozenset[str]:
        """The proposals of which a requirement is selected: what the others have need not be read."""
        return frozenset(spec for spec, rows in register.by_spec.items() if any(self.holds(row, spec) for row in rows))

    def is_skipped(self, requirement: str) -> bool:
        return bool(self.skip) and self._skipped.fullmatch(requirement) is not None

    def why_not(self, row: Requirement, spec: str) -> str:
        """Why a requirement is not selected."""
        return f"not selected: skipped (--skip {','.join(self.skip)})" if self._names(row, spec) else "not selected"

    def _names(self, row: Requirement, spec: str) -> bool:
        return (
            (not self.specs or spec in self.specs)
            and (not self.only or self._chosen.fullmatch(row.id) is not None)
            and (not self.levels or row.level in self.levels)
            and (not self.smoke or row.id in self.smoke)
            and (not self.themes or row.id in self._of_themes)
        )

    def _why_nothing(self, register: Register) -> str:
        named = [row for row in register.rows() if self._names(row, register.spec_of(row.id))]
        left = [row for row in named if not self.is_skipped(row.id)]
        if left:
            return f"no scenario tests {', '.join(row.id for row in left[:5])} yet"
        if named:
            return "all of it is skipped"
        return "no requirement has all of that"

    def _said(self) -> str:
        """The selection as options."""
        parts = {"--spec": self.specs, "--only": self.only, "--level": self.levels, "--theme": self.themes, "--skip": self.skip}
        said = [f"{option} {','.join(names)}" for option, names in parts.items() if names]
        return " ".join([*said, "--smoke"] if self.smoke else said)

    @cached_property
    def _chosen(self) -> re.Pattern[str]:
        return _any_of(self.only)

    @cached_property
    def _of_themes(self) -> frozenset[str]:
        return frozenset(requirement for theme in self.themes for requirement in known_themes.requirements_of(theme))

    @cached_property
    def _skipped(self) -> re.Pattern[str]:
        return _any_of(self.skip)


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))
