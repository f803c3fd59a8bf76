"""The page of the real bugs: what has happened in the field, the defects that do it again, and the requirements that find it."""

import functools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from fencepost.contract.register import Register

from . import addresses
from .page_writer import Entry, Writer

ADDRESS = "bugs.html"
_NUMBER = re.compile(r"\b(KAFKA-\d+|apache/(?:kafka|pulsar)#\d+)")


@dataclass
class Bug:
    """A bug by its number, with the defects that it was the model of, and the requirements that each of these breaks."""

    name: str
    defects: list[tuple[str, str, str, tuple[str, ...]]] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        return addresses.slug(self.name)

    @property
    def link(self) -> str:
        """Where it was reported or mended."""
        if self.name.startswith("KAFKA-"):
            return f"https://issues.apache.org/jira/browse/{self.name}"
        project, _, number = self.name.partition("#")
        return f"https://github.com/{project}/issues/{number}"

    @property
    def requirements(self) -> tuple[str, ...]:
        """All that are broken by any of its defects."""
        return tuple(dict.fromkeys(one for *_, broken in self.defects for one in broken))


@functools.cache
def known() -> tuple[Bug, ...]:
    """All bugs that the origin of a defect names, Kafka's first, each by its number."""
    from fencepost.reference.defects import DEFECTS

    found: dict[str, Bug] = {}
    for defect in DEFECTS.values():
        for name in dict.fromkeys(_NUMBER.findall(defect.origin)):
            found.setdefault(name, Bug(name)).defects.append((defect.name, defect.story, defect.origin, tuple(defect.breaks)))
    return tuple(sorted(found.values(), key=lambda bug: (not bug.name.startswith("KAFKA"), int(re.split(r"[-#]", bug.name)[-1]))))


def caught_by(requirement: str) -> Iterator[Bug]:
    """The bugs that a requirement finds."""
    return (bug for bug in known() if requirement in bug.requirements)


def write(site: Writer, register: Register, shown: Collection[str]) -> None:
    """The page; of requirements only those that have a page are links."""
    bugs = [bug for bug in known() if not frozenset(shown).isdisjoint(bug.requirements)]
    places = {one: (addresses.requirement(one), register[one].statement) for bug in bugs for one in bug.requirements if one in shown}
    site.page(
        ADDRESS,
        "bugs",
        "Real bugs",
        found_by=Entry("Real bugs", ADDRESS, "bugs", " ".join(bug.name for bug in bugs)),
        bugs=bugs,
        places=places,
    )
