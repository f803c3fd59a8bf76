"""What changed between two runs of one system: requirement by requirement, what each run found of what both asked.

`fencepost compare --verdicts LEFT RIGHT` prints it, and the site shows it on the page of a run, against that system's run before it.

A run that did not finish, an older kit and another selection are no errors here: what only one run asked is counted and not compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fencepost.console.phrases import counted
from fencepost.contract.errors import WrongUsage, first_of
from fencepost.contract.verdict import Verdict
from fencepost.report.compliance.templates import clean

from . import compliance_document
from .compliance_document import Compliance, RequirementEntry

_NAMED = 5
"""At most this many of the requirements that only one run asked are named."""


@dataclass(frozen=True)
class Change:
    """A requirement that two runs asked and did not find the same; both verdicts may be the same where other scenarios gave them."""

    id: str
    before: Verdict
    after: Verdict
    scenarios: tuple[str, ...]
    """The scenarios whose verdict is another, and those that only one of the two runs asked; by name."""
    reason: str | None
    """Why it is not met: of the later run, or of the earlier one where the later one found it met."""

    @property
    def is_new_red(self) -> bool:
        """Whether the later run found red what was not."""
        return self.after.is_red and not self.before.is_red


@dataclass(frozen=True)
class Changes:
    """All that differs between an earlier and a later run."""

    changed: tuple[Change, ...]
    same: int
    """How many requirements both runs asked and found the same."""
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    notes: tuple[str, ...]
    """What else differs that a reader has to know, a sentence each: versions, profiles, images, defects, a run that did not finish."""

    @property
    def new_reds(self) -> tuple[Change, ...]:
        return tuple(one for one in self.changed if one.is_new_red)


def between(before: Compliance, after: Compliance) -> Changes:
    """What changed from one run to the other, in the order of the later run's requirements."""
    earlier = {row.id: row for row in before.requirements if row.is_asked}
    later = {row.id: row for row in after.requirements if row.is_asked}
    both = [(earlier[name], row) for name, row in later.items() if name in earlier]
    changed = tuple(change for one, other in both if (change := _change(one, other)))
    return Changes(
        changed,
        len(both) - len(changed),
        tuple(name for name in earlier if name not in later),
        tuple(name for name in later if name not in earlier),
        tuple(_notes(before, after)),
    )


def _change(before: RequirementEntry, after: RequirementEntry) -> Change | None:
    found = [{one.name: one.verdict for one in row.scenarios} for row in (before, after)]
    differ = tuple(name for name in dict.fromkeys([*found[0], *found[1]]) if found[0].get(name) is not found[1].get(name))
    if before.verdict is after.verdict and (before.verdict is Verdict.MET or not differ):
        return None
    reason = f"before: {before.reason}" if after.verdict is Verdict.MET and before.reason else after.reason
    return Change(after.id, before.verdict, after.verdict, differ, reason)


def _notes(before: Compliance, after: Compliance) -> list[str]:
    notes = []
    for name, run in (("earlier", before), ("later", after)):
        if not run.complete:
            notes.append(f"The {name} run did not finish{f' ({run.stopped})' if run.stopped else ''}; what it left out is not compared.")
    pairs = (
        ("version", before.system.version, after.system.version),
        ("profile", before.system.profile, after.system.profile),
        ("image", _image(before), _image(after)),
        ("defect", before.system.defect or "none", after.system.defect or "none"),
        ("version of Fencepost", before.fencepost, after.fencepost),
    )
    notes += [f"The {what} was {one or 'not known'}, and is {other or 'not known'}." for what, one, other in pairs if one != other]
    return notes


def _image(run: Compliance) -> str | None:
    image = run.system.image
    return f"{image.name}{f' ({image.digest})' if image.digest else ''}" if image else None


def show(old: Path, new: Path) -> int:
    """Print what changed. Returns 1 if anything is red now that was not, else 0. Raises WrongUsage for runs of two systems."""
    before, after = compliance_document.read_two(old, new)
    if before.system.name != after.system.name:
        raise WrongUsage(
            f"{old} is a run of {before.system}, and {new} one of {after.system}: name two runs of one system; "
            "fencepost report puts several systems side by side"
        )
    changes = between(before, after)
    if not (changes.same or changes.changed):
        raise WrongUsage(f"no requirement was tested in both runs: {_asked(old, before)}, {_asked(new, after)}")
    _print(before, after, changes)
    return 1 if changes.new_reds else 0


def _asked(folder: Path, run: Compliance) -> str:
    return f"{folder} tested {counted(len(run.asked), 'requirement')}"


def _print(before: Compliance, after: Compliance, changes: Changes) -> None:
    console = Console(highlight=False, soft_wrap=True)

    def say(line: str, style: str = "") -> None:
        console.print(Text(clean(line), style=style))

    say(f"{before.system}, {before.began}, and {after.system}, {after.began}")
    for note in changes.notes:
        say(note)
    for one in changes.changed:
        words = f"{one.before.words}, now {one.after.words}" if one.before is not one.after else f"{one.after.words}, in other scenarios"
        say(f"{one.id}: {words}", "red" if one.is_new_red else "")
        for line in (*one.scenarios, *filter(None, [one.reason])):
            say(f"  {line}")
    for folder, names in (("earlier", changes.only_before), ("later", changes.only_after)):
        if names:
            say(f"only the {folder} run tested {named(names)}")
    say(f"{len(changes.changed)} changed, {len(changes.new_reds)} newly red, {changes.same} the same")


def named(names: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    return first_of(names, _NAMED)
