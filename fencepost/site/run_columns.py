"""The runs whose verdicts are shown, each a column: all runs in the folders that the user named."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from fencepost.contract.errors import WrongUsage
from fencepost.contract.register import Register
from fencepost.contract.verdict import Verdict
from fencepost.pipeline.compliance import folders
from fencepost.pipeline.compliance.folders import UnreadableFolder
from fencepost.results.compliance_document import Compliance, RequirementEntry, read

from .addresses import slug


@dataclass(frozen=True)
class Tally:
    """How a run does on some requirements of the edition: how many were met, of how many that were asked, and the worst verdict, if any."""

    met: int
    asked: int
    worst: Verdict | None

    @property
    def words(self) -> str:
        return f"{self.met} of {self.asked} met" if self.asked else "not tested"


@dataclass(frozen=True)
class RunColumn:
    """One run. `folder` is the part of the address that its pages have in common; `source` is the name of its results where another run is
    of the same system.
    """

    run: Compliance
    results: Path
    folder: str
    source: str = ""

    @property
    def name(self) -> str:
        """The system and its version, with the profile where it is the reference's, and the results where these are several."""
        profile = f" as {self.run.system.profile}" if self.run.system.name == "reference" and self.run.system.profile else ""
        source = f" ({self.source})" if self.source else ""
        return f"{self.run.system}{profile}{source}"

    @property
    def address(self) -> str:
        return f"runs/{self.folder}/index.html"

    @cached_property
    def rows(self) -> dict[str, RequirementEntry]:
        return {row.id: row for row in self.run.requirements}

    def red(self, requirement: str) -> str:
        """The page of a requirement that this run found not met."""
        return f"runs/{self.folder}/{slug(requirement)}.html"

    def verdict(self, requirement: str) -> Verdict:
        """What the run says of a requirement; one that its kit did not know was not run."""
        row = self.rows.get(requirement)
        return row.verdict if row else Verdict.NOT_RUN

    def tally(self, requirements: Sequence[str]) -> Tally:
        """How the run does on these, provisional ones aside, which count in no edition yet."""
        rows = [row for requirement in requirements if (row := self.rows.get(requirement)) and not row.provisional]
        asked = [row.verdict for row in rows if row.is_asked and row.verdict is not Verdict.NOT_OFFERED]
        return Tally(asked.count(Verdict.MET), len(asked), next((verdict for verdict in Verdict if verdict in asked), None))

    def strange(self, register: Register) -> list[str]:
        """The requirements that this kit does not know: the run was made by another version of it."""
        return sorted(self.rows.keys() - register.by_id.keys())


@dataclass(frozen=True)
class RunColumns:
    """All runs in the order in which they were named, and what could not be read."""

    all: tuple[RunColumn, ...] = ()
    unreadable: tuple[UnreadableFolder, ...] = ()

    def before(self, column: RunColumn) -> RunColumn | None:
        """The last earlier run of this system, of the same version if there is one, that shares a requirement with this run."""
        earlier = [
            one
            for one in self.all
            if one.run.system.name == column.run.system.name and one.run.started < column.run.started and one.run.asked & column.run.asked
        ]
        return max(earlier, key=lambda one: (one.run.system.version == column.run.system.version, one.run.started), default=None)

    @classmethod
    def of(cls, named: Sequence[str]) -> "RunColumns":
        """The runs in these folders. Raises WrongUsage for a path that does not exist, or where no run can be read."""
        if not named:
            return cls()
        found = folders.find(named)
        columns: list[RunColumn] = []
        sources: list[str] = []
        unreadable = list(found.unreadable)
        taken: set[str] = set()
        for source in found.sources:
            try:
                run = read(source.path)
            except WrongUsage as error:
                unreadable.append(UnreadableFolder(source.run, str(error).removeprefix(f"{source.path} ")))
                continue
            sources.append(source.run if source.run != "." else "")
            folder = _free(slug(f"{run.system} {sources[-1]}"), taken)
            columns.append(RunColumn(run, source.path.parent, folder))
        if not columns:
            reported = "; ".join(f"{one.path}: {one.reason}" for one in unreadable[:5])
            raise WrongUsage(f"no results of a run can be read: {reported}; leave the folders out for the specification alone")
        of_name = Counter(one.name for one in columns)
        named_apart = (replace(one, source=source if of_name[one.name] > 1 else "") for one, source in zip(columns, sources, strict=True))
        return cls(tuple(named_apart), tuple(unreadable))


def _free(wanted: str, taken: set[str]) -> str:
    """An unused name."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    taken.add(name)
    return name
