"""The page of the real bugs: what has happened in the field, the defects that do it again, and the requirements that find it."""

from collections.abc import Collection, Iterator

from fencepost.contract.register import Register
from fencepost.museum import bugs as museums
from fencepost.museum.bugs import Bug, BugKind
from fencepost.reference.defects import DEFECTS

from . import addresses
from .page_writer import PageWriter, SearchEntry

ADDRESS = "bugs.html"


def anchor(bug: Bug) -> str:
    """Where a bug stands on the page."""
    return addresses.slug(bug.id)


def caught_by(requirement: str) -> Iterator[Bug]:
    """The bugs that a requirement finds."""
    return (bug for bug in museums.bundled().played if requirement in bug.requirements)


def write(site: PageWriter, register: Register, shown: Collection[str]) -> None:
    """The page; of requirements only those that have a page are links, and of bugs that are played only theirs are there."""
    museum = museums.bundled()
    bugs = [bug for bug in museum.played if not frozenset(shown).isdisjoint(bug.requirements)]
    places = {one: (addresses.requirement(one), register[one].statement) for bug in bugs for one in bug.requirements if one in shown}
    site.page(
        ADDRESS,
        "bugs",
        "Real bugs",
        found_by=SearchEntry("Real bugs", ADDRESS, "bugs", " ".join(ticket for bug in museum.bugs for ticket in bug.tickets)),
        systems={system: [bug for bug in theirs if bug in bugs] for system, theirs in museum.systems.items()},
        count=len(bugs),
        waiting=museum.waiting,
        out_of_reach={kind.in_words: museum.out_of_reach(kind) for kind in BugKind},
        anchor=anchor,
        defects=DEFECTS,
        places=places,
    )
