"""What each release is known to do otherwise, by proposal: the matrix of a site that is built without results of real brokers.

It is made from what the kit itself has: `fixtures/expectations` for Apache's releases, `docs/findings` for other brokers. Which proposals a
release is tested for follows from what the reference offers with the profile of that release.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Annotated

from packaging.version import Version
from pydantic import Field

from fencepost.contract import proposals
from fencepost.contract.datafile import Row, load
from fencepost.contract.register import Register
from fencepost.deviations import known_deviations
from fencepost.findings.manual_checks import Checked

from . import addresses, release_offers
from .release_pages import ReleaseLine

_PAGE = re.compile(r"^# (?P<name>\S+) (?P<version>\S+): findings$.*?\bStarted (?P<started>\d{4}-\d{2}-\d{2}) ", re.M | re.S)
_DIGEST = re.compile(r"^v0\.0\.0-(\d{8})\d{6}-([0-9a-f]{12})$")
"""A pseudo-version of Go: the day and the commit."""
_NOT_TESTED = "not tested"


class JudgedRun(Row):
    """A row of `fixtures/judged.yaml`: a whole run of a release, with the edition of each proposal that it asked."""

    system: str
    version: str
    started: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    editions: dict[str, str] = Field(min_length=1)


@dataclass(frozen=True)
class KnownCell:
    """What a release is known to break of a proposal: `words` say how many requirements; `address` has them, if there are any."""

    words: str
    address: str | None = None


@dataclass(frozen=True)
class KnownColumn:
    """A release; `judged` has a line for each run that it was last compared with, and `by_spec` what it breaks of each proposal."""

    name: str
    address: str
    judged: tuple[str, ...]
    by_spec: Mapping[str, KnownCell]


def columns_of(register: Register, specs: Sequence[str], lines: Iterable[ReleaseLine]) -> list[KnownColumn]:
    """The releases in their order, then the other brokers that have findings."""
    return [*(_of_line(register, specs, line) for line in lines), *_of_findings(register, specs)]


def _of_line(register: Register, specs: Sequence[str], line: ReleaseLine) -> KnownColumn:
    asked = release_offers.offered_by(line.system, line.version)
    runs = tuple(
        f"{one.version}, {one.started}, {_editions(one.editions)}"
        for one in judged_runs()
        if one.system == line.system and line.holds(one.version) and not one.editions.keys().isdisjoint(specs)
    )
    cells = {}
    for spec in specs:
        own = [one for one in line.known if one.address and register.spec_of(one.requirement) == spec]
        always = {one.requirement for one in own if not one.deviation.is_intermittent}
        at_times = {one.requirement for one in own} - always
        words = ", ".join(f"{len(ids)} {how}" for ids, how in ((always, "always"), (at_times, "now and then")) if ids)
        cells[spec] = KnownCell(words, f"{line.address}#{spec}") if words else KnownCell("none known" if spec in asked else _NOT_TESTED)
    return KnownColumn(line.name, line.address, runs, cells)


def _of_findings(register: Register, specs: Sequence[str]) -> Iterator[KnownColumn]:
    """The brokers whose reds people have checked, except those whose releases have entries."""
    folder = resources.files("fencepost.docs").joinpath("findings")
    released = {file.removesuffix(".yaml") for file, _, _ in known_deviations.everything()}
    for page in sorted(folder.iterdir(), key=lambda one: one.name):
        name = page.name.removesuffix(".md")
        said = _PAGE.search(page.read_text(encoding="utf-8")) if page.name.endswith(".md") else None
        if said is None or name in released:
            continue
        with resources.as_file(folder.joinpath(f"{name}.yaml")) as path:
            checked = Checked.read(path, register).of_rows
        rows = {row.partition(" ")[0] for row, check in checked.items() if check.checked == "true"}
        address = addresses.document(f"findings/{name}")
        cells = {}
        for spec in specs:
            own = rows & {row.id for row in register.by_spec[spec]}
            cells[spec] = KnownCell(f"{len(own)} checked", address) if own else KnownCell(_NOT_TESTED)
        if any(cell.address for cell in cells.values()):
            version = _DIGEST.sub(r"\1 (\2)", said["version"])
            yield KnownColumn(said["name"], address, (f"{version}, {said['started']}",), cells)


def _editions(by_spec: Mapping[str, str]) -> str:
    titles = ", ".join(proposals.bundled().title_of(spec) for spec in by_spec)
    return f"{titles}: edition {', '.join(sorted(set(by_spec.values())))}"


@functools.cache
def judged_runs() -> tuple[JudgedRun, ...]:
    """The rows of `fixtures/judged.yaml`, the newest release of a line last."""
    rows = load(resources.files("fencepost.fixtures").joinpath("judged.yaml"), list[JudgedRun])
    return tuple(sorted(rows, key=lambda one: (one.system, Version(one.version))))
