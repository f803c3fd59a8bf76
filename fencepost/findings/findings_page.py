"""A page of findings as Markdown: what was judged and asked, then each cause with its rows and the shortest scenario that shows it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fencepost.contract import editions, parity
from fencepost.contract.register import Register
from fencepost.contract.verdict import Verdict
from fencepost.deviations.symptoms import steady
from fencepost.results.compliance_document import Compliance, RequirementEntry
from fencepost.results.likely_causes import counted
from fencepost.results.markdown import MarkdownPage, block, text
from fencepost.results.markdown_summary import asked, by_reason, ending, identity

from .manual_checks import Check, Checked, row_of
from .page_content import PageFinding, Section
from .reproduction import Reproduction

MARK = "<!-- Made by fencepost findings: do not edit it; write what you checked into the file next to it. -->"
_LIMIT = 1 << 24
_LONG = 2_000
_THERE = "in compliance.json"
_OPEN = "open"
_HEADS = ("requirement and scenario", "expected", "seen", "checked")


@dataclass(frozen=True)
class FindingsContent:
    """The content of a page. `reproductions` has one for each section that can have one."""

    run: Compliance
    sections: Sequence[Section]
    known: Mapping[str, Sequence[PageFinding]]
    reproductions: Sequence[Reproduction | None]
    checked: Checked
    checked_in: str
    register: Register

    @property
    def red(self) -> list[PageFinding]:
        return [one for section in self.sections for one in section.findings]

    @property
    def unused(self) -> list[str]:
        """The manual checks of what is not red now."""
        deviating = [one for those in self.known.values() for one in those]
        return self.checked.unused(one.key for one in [*self.red, *deviating])

    def answers(self, findings: Iterable[PageFinding]) -> str:
        """`7 true, 1 open`."""
        found = Counter(self.answer(one) for one in findings)
        return ", ".join(f"{found[answer]} {answer}" for answer in ("true", "suite's fault", _OPEN) if found[answer])

    def answer(self, finding: PageFinding) -> str:
        check = self.checked.of(*finding.key)
        return check.checked if check else _OPEN

    def __str__(self) -> str:
        page = MarkdownPage(_LIMIT)
        page.paragraph(MARK)
        page.paragraph(f"# {text(str(self.run.system))}: findings")
        self._write_run(page)
        if self.red:
            self._write_overview(page)
        for number, (section, reproduction) in enumerate(zip(self.sections, self.reproductions, strict=True), 1):
            self._write_section(page, number, section, reproduction)
        self._write_known(page)
        page.folded("What was not offered, and why", by_reason(self.run.having(Verdict.NOT_OFFERED)), _THERE)
        return str(page).rstrip() + "\n"

    def _write_run(self, page: MarkdownPage) -> None:
        run = self.run
        page.paragraph(f"{text(str(run.system))} {ending(run)}. {asked(run)}.")
        page.paragraph(f"{identity(run.system)}Started {run.began}, {run.seconds:.0f} s, Fencepost {text(run.fencepost)}.")
        if self.red:
            page.paragraph(
                f"What people found when they checked the rows is kept in {text(self.checked_in)}: {self.answers(self.red)}. "
                "*true* says that the broker does so, *suite's fault* that Fencepost is wrong, *open* that it was not checked yet."
            )
        if self.unused:
            page.paragraph(f"Checked before, and not red in this run: {text(', '.join(self.unused), _LONG)}.")

    def _write_overview(self, page: MarkdownPage) -> None:
        page.paragraph("## Causes")
        rows = (
            (str(number), text(_title(section)), text(", ".join(section.requirements), _LONG), self.answers(section.findings))
            for number, section in enumerate(self.sections, 1)
        )
        page.table(("", "cause", "requirements", "checked"), rows, _THERE)

    def _write_section(self, page: MarkdownPage, number: int, section: Section, reproduction: Reproduction | None) -> None:
        page.paragraph(f"## {number}. {text(section.title, _LONG)}")
        for check, rows in self._checks(section):
            whose = "" if len(rows) == len(section.findings) else f" ({text(', '.join(rows), _LONG)})"
            page.paragraph(f"Checked: **{check.checked}**{whose}. {_why(check)}")
        page.table(_HEADS, map(self._cells, section.findings), _THERE)
        if reproduction is not None:
            self._write_reproduction(page, reproduction)

    def _checks(self, section: Section) -> Iterator[tuple[Check, list[str]]]:
        """The manual checks of a section, each entry once, with the rows that it is about."""
        said: list[Check] = []
        for one in section.findings:
            check = self.checked.of(*one.key)
            if check is not None and check not in said:
                said.append(check)
        for check in said:
            yield check, [row_of(*one.key) for one in section.findings if self.checked.of(*one.key) is check]

    def _cells(self, finding: PageFinding) -> tuple[str, str, str, str]:
        requirement, scenario = finding.key
        statement = self.register.by_id[requirement].statement if requirement in self.register.by_id else ""
        return (
            f"**{text(requirement)}** ({_kind(finding.row, self.run)}) {text(statement)}<br>{text(steady(scenario))}",
            text(finding.expected),
            text(finding.seen),
            self.answer(finding),
        )

    def _write_reproduction(self, page: MarkdownPage, shown: Reproduction) -> None:
        requirement, scenario = shown.finding.key
        page.paragraph(f"Shortest reproduction, {text(row_of(requirement, scenario))}:")
        page.paragraph(block(shown.steps, "gherkin"))
        if shown.calls:
            earlier = [f"({shown.left_out} calls before)"] if shown.left_out else []
            page.paragraph(block([*earlier, *shown.calls]))
        if requirement in self.register.by_id:
            page.paragraph(f"Where to look: {text(self.register.by_id[requirement].check, _LONG)}")

    def _write_known(self, page: MarkdownPage) -> None:
        if not self.known:
            return
        page.paragraph("## Known deviations")
        for reason, findings in self.known.items():
            page.paragraph(f"**{_linked(reason)}**")
            page.table(_HEADS[:3], (self._cells(one)[:3] for one in findings), _THERE)


def _title(section: Section) -> str:
    if section.is_cause:
        return counted(section.title, len(section.requirements), len(section.findings))
    return f"alone: {section.title}"


def _kind(row: RequirementEntry, run: Compliance) -> str:
    """`MUST, text`, and whether it counts."""
    reported = ", ".join(filter(None, (row.level, row.source)))
    if row.provisional:
        return f"{reported}: {editions.PROVISIONAL}"
    does_count = run.gate.parity or row.source != parity.SOURCE
    return reported if does_count else f"{reported}: {parity.UNCOUNTED}"


def _why(check: Check) -> str:
    return text(check.reason, _LONG) + (f" <{check.link}>" if check.link else "")


def _linked(reason: str) -> str:
    """A reason with its links as links."""
    words = ((word.strip("(;),"), text(word, _LONG)) for word in reason.split())
    return " ".join(f"<{bare}>" if bare.startswith("https://") else escaped for bare, escaped in words)


def lines(findings: FindingsContent) -> Iterator[str]:
    """The lines that the command prints about a page that it made."""
    causes = sum(section.is_cause for section in findings.sections)
    alone = len(findings.sections) - causes
    reported = findings.answers(findings.red) or "nothing red"
    yield f"{causes} causes, {alone} requirements that stand alone, {len(findings.red)} scenarios: {reported}"
    if findings.unused:
        yield f"checked before, and not red in this run: {', '.join(findings.unused)}"
