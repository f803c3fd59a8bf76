"""The disturbances of `fixtures/disturbances.yaml`: what is done, what a system must offer for it, and where in a scenario it may be."""

import functools
import re
from collections.abc import Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from pydantic import Field

from fencepost.adapters.twins.performers import performers_of
from fencepost.contract import proposals
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.datafile import DataFileError, Row, line_of, load
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.expression import Expression
from fencepost.contract.gherkin import GherkinStep

_SET_UP = frozenset({"compaction", "two-nodes"})

ALL = "all"
"""The name of all disturbances on the command line."""


class NotAfter(Row):
    """A step after which a disturbance may not be, for one step or until the end; if protocols are named, only in these."""

    step: Expression
    how_long: Literal["a step", "good"] = Field(alias="for")
    protocols: tuple[str, ...] = Field(default=(), strict=False)
    because: str = Field(min_length=1)


class NotWith(Row):
    """A capability whose scenarios have no twin with this disturbance."""

    capability: str
    because: str = Field(min_length=1)


class Disturbance(Row):
    """One disturbance."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]+$")
    family: Literal["replay", "repeat", "split", "prelude", "crowd", "form"]
    meaning: str = Field(min_length=1)
    needs: tuple[str, ...] = Field(default=(), strict=False)
    protocols: tuple[str, ...] = Field(min_length=1, strict=False)
    proposals: tuple[str, ...] = Field(default=(), strict=False)
    stands: Literal["between", "throughout"]
    brings_down: Literal["crash", "stop"] | None = None
    moves: tuple[Literal["epoch", "leader-epoch", "listed", "place", "transaction"], ...] = Field(default=(), strict=False)
    not_after: tuple[NotAfter, ...] = Field(default=(), strict=False)
    not_with: tuple[NotWith, ...] = Field(default=(), strict=False)

    @property
    def set_up(self) -> frozenset[str]:
        """What it needs for which a system has to be set up before the scenario, even one that offers every fault at any time."""
        return _SET_UP.intersection(self.needs)

    def fits(self, spec: str, protocol: str) -> bool:
        """Whether it can be in scenarios of this proposal that are asked under this protocol."""
        return protocol in self.protocols and (not self.proposals or spec in self.proposals)

    def positions(self, steps: Sequence[GherkinStep], needs: frozenset[str], protocol: str) -> list[int | None]:
        """Its positions in a scenario of these steps: before the step of that number, counted from 0; None for throughout."""
        if any(one.capability in needs for one in self.not_with):
            return []
        if self.stands == "throughout":
            return [None]
        return [number for number in range(1, len(steps)) if not self._is_kept_out(steps[:number], protocol)]

    def _is_kept_out(self, before: Sequence[GherkinStep], protocol: str) -> bool:
        return any(
            re.search(one.step, step.text)
            for one in self.not_after
            if not one.protocols or protocol in one.protocols
            for step in (before if one.how_long == "good" else before[-1:])
        )


class Disturbances:
    """All disturbances, by name."""

    def __init__(self, rows: Sequence[Disturbance]) -> None:
        self.by_name = {one.name: one for one in rows}

    def named(self, names: Sequence[str], specs: Sequence[str], protocols: Sequence[str]) -> tuple[Disturbance, ...]:
        """Those that a user names, as words or lists with commas; `all` are those that fit the selection.

        Raises UnknownName, and WrongUsage for one that fits none of the selected proposals.
        """
        wanted = [name.strip() for each in names for name in each.split(",") if name.strip()]
        if not wanted:
            raise WrongUsage(f"--twins is empty: expected {ALL}, or some of {', '.join(self.by_name)}")
        binding = {spec: set(proposals.bundled().protocols_of(spec)) & set(protocols) for spec in specs}
        fitting = {
            name: any(one.fits(spec, protocol) for spec, those in binding.items() for protocol in those)
            for name, one in self.by_name.items()
        }
        for name in wanted:
            if name != ALL and name not in self.by_name:
                raise UnknownName("disturbance", name, [*self.by_name, ALL], shown_by="fencepost explain twins")
            if name != ALL and not fitting[name]:
                asked, there = self.by_name[name], ", ".join(each for each, fits in fitting.items() if fits) or "none"
                about = f"for {', '.join(asked.proposals)}" if asked.proposals else f"for {' and '.join(asked.protocols)}"
                raise WrongUsage(f"--twins {name} is {about}, and {', '.join(specs)} is selected; for these there are: {there}")
        return tuple(one for name, one in self.by_name.items() if name in wanted or (ALL in wanted and fitting[name]))


@functools.cache
def bundled() -> Disturbances:
    """The bundled disturbances."""
    return read(resources.files("fencepost.fixtures").joinpath("disturbances.yaml"))


def read(path: Path | Traversable) -> Disturbances:
    """Those of a file. Raises DataFileError for one that no code performs, or with an unknown name."""
    rows = load(path, list[Disturbance])
    known_proposals = proposals.bundled()
    for number, one in enumerate(rows):

        def refuse(key: str, why: str, at: int = number) -> DataFileError:
            return DataFileError(f"{path}:{line_of(path, at, key)}: {at + 1}.{key}: {why}")

        if sum(other.name == one.name for other in rows) > 1:
            raise refuse("name", f"{one.name} appears twice")
        for need in (*one.needs, *(each.capability for each in one.not_with)):
            if need not in CAPABILITIES:
                raise refuse("needs", f"there is no capability {need!r}")
        for spec in one.proposals:
            if spec not in known_proposals.by_spec:
                raise refuse("proposals", f"there is no proposal {spec!r}")
        for protocol in one.protocols:
            if one.name not in performers_of(protocol):
                raise refuse("protocols", f"nothing performs {one.name} on {protocol}")
    return Disturbances(rows)
