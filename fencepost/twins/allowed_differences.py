"""What a disturbance may change in a conforming system, with the reason, from `fixtures/twin_exceptions.yaml`."""

import functools
import re
from collections.abc import Collection, Iterable, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from pydantic import Field

from fencepost.adapters import registry
from fencepost.contract import register
from fencepost.contract.datafile import DataFileError, Row, line_of, load
from fencepost.contract.expression import Expression
from fencepost.contract.gherkin import bundled_for, requirement_of
from fencepost.reference.defects import CONFORMING

from . import disturbances


class TwinException(Row):
    """An observation that a disturbance may change in the scenarios of a requirement, or in one named by the beginning of its name.

    Without a requirement it is about all scenarios, because the disturbance can be met like this anywhere: by a known deviation of
    releases, by a conforming variant, or by every conforming system.
    """

    disturbances: tuple[str, ...] = Field(min_length=1, strict=False)
    requirement: str | None = None
    scenario: str | None = None
    profiles: tuple[str, ...] = Field(default=(), strict=False)
    """The profiles of the reference that need it, and whose releases do; empty if the text of the proposal does."""
    is_imitated: bool = True
    """Whether these profiles of the reference show it; otherwise only brokers of the releases do."""
    variants: tuple[str, ...] = Field(default=(), strict=False)
    """The conforming variants of the reference that need it; empty if the reference itself does."""
    seen: Expression = Field(min_length=1)
    reason: str = Field(min_length=1)

    def is_about(self, disturbance: str, requirement: str, scenario: str | None) -> bool:
        """Whether the entry is about such a twin; without a scenario, about one of some scenario."""
        is_named = self.scenario is None or scenario is None or scenario.startswith(self.scenario)
        return disturbance in self.disturbances and self.requirement in (None, requirement) and is_named

    def is_for(self, profile: str | None, variants: Collection[str] = (), *, on_broker: bool = False) -> bool:
        """Whether the entry applies to the reference with this profile and these variants, or to the release with this profile.

        A profile of None is a system that is no known release.
        """
        is_of_profile = not self.profiles or (profile in self.profiles and (self.is_imitated or on_broker))
        return is_of_profile and (not self.variants or not set(self.variants).isdisjoint(variants))

    def excuses(self, difference: str) -> bool:
        """Whether the entry covers this difference."""
        return re.search(self.seen, difference) is not None

    def __str__(self) -> str:
        scenario = f" {self.scenario}" if self.scenario else ""
        variants = f" of {', '.join(self.variants)}" if self.variants else ""
        return f"{', '.join(self.disturbances)} in {self.requirement or 'all requirements'}{scenario}{variants}"


def find(known: Iterable[TwinException], disturbance: str, requirement: str, scenario: str | None, difference: str) -> TwinException | None:
    """The entry that excuses a difference."""
    return next((one for one in known if one.is_about(disturbance, requirement, scenario) and one.excuses(difference)), None)


@functools.cache
def bundled() -> Sequence[TwinException]:
    """The bundled entries."""
    return read(resources.files("fencepost.fixtures").joinpath("twin_exceptions.yaml"))


def read(path: Path | Traversable) -> Sequence[TwinException]:
    """The entries of a file. Raises DataFileError for an unknown name."""
    rows, known = load(path, list[TwinException]), register.bundled()
    profiles = registry.find(registry.REFERENCE).profiles()
    for number, one in enumerate(rows):

        def refuse(key: str, why: str, at: int = number) -> DataFileError:
            return DataFileError(f"{path}:{line_of(path, at, key)}: {at + 1}.{key}: {why}")

        for name in one.disturbances:
            if name not in disturbances.bundled().by_name:
                raise refuse("disturbances", f"there is no disturbance {name!r}")
        for name in one.profiles:
            if name not in profiles:
                raise refuse("profiles", f"the reference has no profile {name!r}")
        for name in one.variants:
            if name not in CONFORMING:
                raise refuse("variants", f"the reference has no conforming variant {name!r}")
        if not (one.is_imitated or one.profiles):
            raise refuse("is_imitated", "only an exception for profiles can be one that they do not imitate")
        if one.requirement is None:
            if one.scenario:
                raise refuse("scenario", "an exception for all requirements names no scenario")
            continue
        if one.requirement not in known.by_id:
            raise refuse("requirement", f"{one.requirement} is in no register")
        rules = (rule for feature in bundled_for(known.spec_of(one.requirement)) for rule in feature.rules)
        names = [each.name for rule in rules if requirement_of(rule.tags) == one.requirement for each in rule.scenarios]
        if one.scenario and not any(name.startswith(one.scenario) for name in names):
            raise refuse("scenario", f"no scenario of {one.requirement} begins with {one.scenario!r}")
    return rows
