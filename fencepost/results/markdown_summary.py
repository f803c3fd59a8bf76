"""`--summary FILE.md`: one run on one page of Markdown, as a CI service shows it.

It is made from compliance.json, by a run at its end and by `fencepost summary` afterwards, so the two cannot differ. It is appended, as
GitHub's step summary requires: two runs in one step are both shown, and the file keeps what it had.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract import editions, parity, register
from fencepost.contract.errors import WrongUsage
from fencepost.contract.verdict import Verdict, conclusion, offers_nothing
from fencepost.deviations.baseline import TO_BE_WRITTEN

from .compliance_document import RED, Compliance, RequirementEntry, SystemEntry, read
from .markdown import MarkdownPage, text

LIMIT = 1 << 20
"""The largest summary of a step that GitHub shows, in bytes; it shows nothing of a larger file."""
SEEN = (
    Verdict.MET,
    Verdict.VIOLATED,
    Verdict.BLOCKED,
    Verdict.INCONCLUSIVE,
    Verdict.HARNESS_ERROR,
    Verdict.KNOWN_DEVIATION,
    Verdict.NOT_OFFERED,
)
_UNASKED = (Verdict.NOT_RUN, Verdict.EXCLUDED)
_HEADS = ("requirement", "verdict", "expected", "seen")
_LONG = 5_000
"""For a list of ids, which is cut only if a user's register is larger than the bundled one."""
_THERE = "in compliance.json"


@dataclass(frozen=True)
class VerdictChange:
    """A requirement whose verdict has changed."""

    requirement: str
    before: Verdict
    now: Verdict

    @property
    def kind(self) -> str | None:
        """The name of the change; None if it is not news."""
        asked_before = self.before not in _UNASKED
        if self.now.is_red:
            return "still red, in another way" if self.before.is_red else "newly red"
        match self.now:
            case Verdict.MET if asked_before:
                return "newly met"
            case Verdict.KNOWN_DEVIATION:
                return "newly a known deviation"
            case Verdict.NOT_OFFERED if asked_before:
                return "newly not offered"
            case Verdict.NOT_RUN | Verdict.EXCLUDED if asked_before:
                return "no longer tested"
            case _:
                return None


KINDS = ("newly red", "still red, in another way", "newly not offered", "no longer tested", "newly a known deviation", "newly met")
"""What needs attention comes first."""


@dataclass(frozen=True)
class SummaryRequest:
    """A summary to be written: its file, and the run that it is compared with."""

    path: Path
    before: Compliance | None = None

    def append(self, run: Compliance) -> None:
        """Append the summary of `run` to the file. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        held = self.path.stat().st_size if self.path.is_file() else 0
        # A file that is never emptied grows for ever; a summary then has a quarter of the limit. GitHub's files begin empty.
        markdown = render(run, self.before, max(LIMIT - held, LIMIT // 4) - 2)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(("\n\n" if held else "") + markdown)


def wanted(path: Path | None, previous: Path | None, results: Path | None = None) -> SummaryRequest | None:
    """The summary that the options ask for, checked before a run creates its results folder. Raises WrongUsage; creates nothing."""
    if path is None:
        if previous is not None:
            raise WrongUsage(f"--previous {previous} is for the summary: give --summary FILE.md too")
        return None
    reported = f"--summary {path}"
    if path.is_dir():
        raise WrongUsage(f"{reported}: this is a folder; expected a file, such as summary.md")
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if there != path and not there.is_dir():
        raise WrongUsage(f"{reported}: {there} is a file, and no folder; name another file")
    if there not in (path, path.parent) and (results is None or not path.is_relative_to(results)):
        raise WrongUsage(f"{reported}: there is no folder {path.parent}; name a file in a folder that is there")
    if not os.access(there, os.W_OK):
        raise WrongUsage(f"{reported}: {there} may not be written to; name another file")
    return SummaryRequest(path, None if previous is None else read(previous))


def show(results: Path, previous: Path | None) -> int:
    """Print the summary of that run. Returns 0."""
    print(render(read(results), None if previous is None else read(previous)), end="")
    return 0


def render(run: Compliance, before: Compliance | None = None, limit: int = LIMIT) -> str:
    """The summary as Markdown, in at most `limit` bytes; with what changed since `before`, if given."""
    page = MarkdownPage(limit)
    page.paragraph(f"## Fencepost: {text(str(run.system))} {ending(run)}")
    page.paragraph(f"{asked(run)}.")
    if not run.complete or run.stopped:
        page.paragraph(f"**The run did not finish**{f': {text(run.stopped)}' if run.stopped else ''}. This is what it found until then.")
    page.paragraph(f"{identity(run.system)}Started {run.began}, {run.seconds:.0f} s, Fencepost {text(run.fencepost)}.")
    if before is not None:
        _write_changes(page, run, before)
    _write_reds(page, run)
    if unwritten := sum((row.reason or "").startswith(TO_BE_WRITTEN) for row in run.having(Verdict.KNOWN_DEVIATION)):
        page.paragraph(f"**Known deviations without a reason: {unwritten}**; replace TO BE WRITTEN.")
    page.folded("Known deviations", by_reason(run.having(Verdict.KNOWN_DEVIATION)), _THERE)
    page.folded("Not offered", by_reason(run.having(Verdict.NOT_OFFERED)), _THERE)
    return str(page)


def asked(run: Compliance) -> str:
    """The verdicts with all requirements as denominator: `150 of 195 requirements tested: 149 met, 1 known deviation; 45 not offered`."""
    count = {verdict: len(run.counted(verdict)) for verdict in SEEN}
    not_offered = count.pop(Verdict.NOT_OFFERED)
    judged, in_all = sum(count.values()), sum(count.values()) + not_offered + run.unreached
    seen = ", ".join(parity.counted(number, verdict.words, _uncounted(run, verdict)) for verdict, number in count.items() if number)
    rest = ", ".join(f"{number} {words}" for number, words in ((not_offered, "not offered"), (run.unreached, "not reached")) if number)
    of_provisional = ", ".join(f"{number} {verdict.words}" for verdict, number in run.provisional.items())
    provisional = of_provisional and f"{sum(run.provisional.values())} provisional: {of_provisional}"
    return "; ".join(
        filter(None, (f"{judged} of {in_all} requirement{'' if in_all == 1 else 's'} tested: {seen or 'no verdict'}", rest, provisional))
    )


def _uncounted(run: Compliance, verdict: Verdict) -> int:
    """How many of the requirements with this verdict are parity rows, which do not prevent the run from conforming."""
    return 0 if run.gate.parity or verdict not in parity.MAY_DIFFER else sum(one.source == parity.SOURCE for one in run.counted(verdict))


def ending(run: Compliance) -> str:
    """Whether the system conforms, in words that follow its name, by the run's gate."""
    objections = [f"{number} {verdict.words}" for verdict, number in run.failing.items()]
    if run.anomalies:
        objections.append(f"{len(run.anomalies)} {'anomaly' if len(run.anomalies) == 1 else 'anomalies'} in the histories")
    odd = str(run.parity)
    if objections:
        failing = {*run.failing, *((Verdict.VIOLATED,) if run.anomalies else ())}
        return f"{conclusion(failing, objections, run.are_stale)}{f' ({odd})' if odd and run.gate.parity else ''}"
    if not run.complete or run.stopped:
        return "has no verdict: the run did not finish"
    if run.asks_only_provisional:
        return "has no verdict: no tested requirement counts yet in an edition"
    if offers_nothing(run.verdicts.values()):
        return "has no verdict: no selected requirement could be tested on it"
    if not run.counted(Verdict.MET):
        return "does not conform: nothing is met"
    return f"conforms as far as it was tested{run.cited}{f'; {odd}' if odd else ''}"


def identity(system: SystemEntry) -> str:
    """What was judged, except what the headline already has."""
    image = system.image and f"image {system.image.name}" + (f" ({system.image.digest})" if system.image.digest else "")
    profile = system.profile and f"profile {system.profile}"
    known_as = system.known_as and f"known as {system.known_as}"
    labels = [f"{name} {value}" for name, value in system.labels.items()]
    reported = ", ".join(text(part) for part in (profile, image, known_as, *labels) if part)
    return f"Judged: {reported}. " if reported else ""


def _write_changes(page: MarkdownPage, run: Compliance, before: Compliance) -> None:
    unfinished = "" if before.complete else ", which did not finish"
    page.paragraph(f"### Since the run of {before.began} on {text(str(before.system))}{unfinished}")
    found = list(changes_between(before, run))
    if not found:
        page.paragraph("Nothing changed.")
    page.table(("change", "verdicts", "requirements"), (cells for kind, those in found for cells in _changed(kind, those)), _THERE)


def _changed(kind: str, those: Iterable[VerdictChange]) -> Iterator[tuple[str, str, str]]:
    """A row for each pair of verdicts."""
    ids: dict[str, list[str]] = {}
    for change in those:
        ids.setdefault(f"was {change.before.words}, is {change.now.words}", []).append(change.requirement)
    for verdicts, names in ids.items():
        yield f"{len(names)} {kind}", verdicts, text(", ".join(names), _LONG)


def _write_reds(page: MarkdownPage, run: Compliance) -> None:
    if rows := run.having(*RED):
        page.paragraph("### Red")
        reported: set[str] = set()
        for cause in run.causes:
            here = [one.id for one in cause.explains]
            also = f" (also {', '.join(one for one in here if one in reported)})" if reported.intersection(here) else ""
            page.paragraph(f"**{text(str(cause))}**{also}")
            page.table(_HEADS, [_red(run, row) for row in rows if row.id in here and row.id not in reported], _THERE)
            reported.update(here)
        rest = [row for row in rows if row.id not in reported]
        if reported and rest:
            page.paragraph(f"**{len(rest)} that no likely cause explains**")
        page.table(_HEADS, (_red(run, row) for row in rest), _THERE)
        page.paragraph("`fencepost explain ID` shows what a requirement says, its scenarios, and where to look.")
    if found := run.anomalies:
        page.paragraph("### Anomalies in the histories")
        cells = ((one.requirement, text(one.scenario), text(one.anomaly), text(one.witness)) for one in found)
        page.table(("requirement", "scenario", "anomaly", "first witness"), cells, _THERE)


def _red(run: Compliance, row: RequirementEntry) -> tuple[str, str, str, str]:
    known = register.bundled().by_id.get(row.id)
    statement = f" {text(known.statement)}" if known else ""
    scenarios = "; ".join(dict.fromkeys(scenario.name for scenario in row.decisive))
    name = f"**{text(row.id)}**{statement}<br>{text(scenarios)}"
    uncounted = "" if run.counts(row) else f" ({editions.PROVISIONAL if row.provisional else parity.UNCOUNTED})"
    verdict = row.verdict.words + uncounted
    violation = next((scenario.violation for scenario in row.decisive if scenario.violation), None)
    if violation is None:
        return name, verdict, "", text(row.reason or "")
    refused = f" ({violation.error})" if violation.error and violation.error not in violation.seen else ""
    about = f"{violation.what}: " if violation.what else ""
    return name, verdict, text(f"{about}{violation.expected}"), text(f"{violation.seen}{refused}")


def by_reason(rows: Iterable[RequirementEntry]) -> Iterator[str]:
    """The requirements grouped by reason: many share one, such as a capability that the system does not have."""
    ids: dict[str, list[str]] = {}
    for row in rows:
        ids.setdefault(row.reason or "no reason was written", []).append(row.id)
    for reason, those in ids.items():
        yield f"{text(reason)}: {text(', '.join(those), _LONG)}"


def changes_between(before: Compliance, now: Compliance) -> Iterator[tuple[str, list[VerdictChange]]]:
    """Each kind of change between two runs, with its requirements in the order of the register.

    A requirement that was not asked before and is red now is newly red, and needs attention. One that was not asked before and is met is
    not news. One that was asked before and is not now is shown, since it is unknown whether it is still met.
    """
    was, is_now = before.verdicts, now.verdicts
    both = (VerdictChange(name, was.get(name, Verdict.NOT_RUN), is_now.get(name, Verdict.NOT_RUN)) for name in {**is_now, **was})
    changed = [change for change in both if change.before is not change.now]
    for kind in KINDS:
        if found := [change for change in changed if change.kind == kind]:
            yield kind, found
