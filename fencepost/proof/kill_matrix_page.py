"""The page of `fencepost prove`: each requirement with the defects that prove it, by proposal and theme, and a grid for each theme."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from jinja2 import Environment

from fencepost import __version__
from fencepost.contract import gherkin, proposals, register

from .defect_proof import Proof, Seen


@dataclass(frozen=True)
class Theme:
    """The requirements of a feature, with the variants that break one of them; their position in the list is their number in the grid."""

    proposal: str
    title: str
    requirements: tuple[str, ...]
    proof: Proof

    @cached_property
    def defects(self) -> tuple[Seen, ...]:
        """In the order of the requirements that they break."""
        found = {one.defect.name: one for row in self.requirements for one in self.proof.seen if row in one.defect.breaks}
        return tuple(found.values())

    def number(self, one: Seen) -> int:
        return [other.defect.name for other in self.defects].index(one.defect.name) + 1

    def breaking(self, row: str) -> list[Seen]:
        return [one for one in self.defects if row in one.defect.breaks]

    def cell(self, row: str, one: Seen) -> str:
        """The effect of a variant on a requirement: its name in the legend."""
        if one.proves(row):
            return "proves"
        if row in one.defect.breaks:
            return "missed"
        if row in one.reds:
            return "also"
        return "green" if row in one.verdicts else "unasked"


def themes(proof: Proof) -> Iterator[Theme]:
    """All that is in question, in the order of the features."""
    left = dict.fromkeys(proof.requirements)
    for feature in gherkin.bundled():
        rows = (gherkin.requirement_of(rule.tags) or "" for rule in feature.rules)
        if here := tuple(dict.fromkeys(row for row in rows if row in left)):
            left = {row: None for row in left if row not in here}
            yield Theme(proposals.bundled().title_of(feature.spec), feature.name, here, proof)


def page(proof: Proof, mutants: Mapping[str, Any] | None = None) -> str:
    """One page without scripts. `mutants` is what `prove --mutants` wrote about its last trial, if there was one."""
    template = resources.files("fencepost.fixtures").joinpath("prove.html.j2").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        proof=proof,
        themes=list(themes(proof)),
        conforming=[one for one in proof.seen if one.defect.is_conforming],
        holes={row: proof.holes_of(row) for row in proof.unproved},
        version=__version__,
        rows=register.bundled(),
        mutants=mutants,
    )
