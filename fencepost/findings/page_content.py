"""The content of a page of findings: each red scenario once, below the cause that explains it, then the known deviations."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fencepost.contract.register import Register
from fencepost.contract.verdict import Verdict
from fencepost.deviations.symptoms import steady
from fencepost.results.compliance_document import RED, Compliance, RequirementEntry, ScenarioEntry


@dataclass(frozen=True)
class PageFinding:
    """One red scenario, with what was expected and seen, or why it could not be judged; for an outline, all its red examples."""

    row: RequirementEntry
    examples: tuple[ScenarioEntry, ...]

    @property
    def scenario(self) -> ScenarioEntry:
        """The last of them."""
        return self.examples[-1]

    @property
    def key(self) -> tuple[str, str]:
        return self.row.id, self.scenario.name

    @property
    def expected(self) -> str:
        violations = [one.violation for one in self.examples if one.violation]
        return _each(f"{reported.what}: {reported.expected}" for reported in violations)

    @property
    def seen(self) -> str:
        return _each(self._seen(one) for one in self.examples)

    def _seen(self, example: ScenarioEntry) -> str:
        reported = example.violation
        if reported is None:
            by = f" by {example.blocked_by}" if example.blocked_by else ""
            why = f": {self.row.reason}" if self.row.reason and self.row.verdict is example.verdict and not by else ""
            return f"{example.verdict.words}{by}{why}"
        return reported.seen + (f" ({reported.error})" if reported.error and reported.error not in reported.seen else "")


@dataclass(frozen=True)
class Section:
    """A cause with what it explains; a requirement without a shared cause is a separate section."""

    title: str
    findings: tuple[PageFinding, ...]
    is_cause: bool = True

    @property
    def requirements(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.row.id for one in self.findings))


def sections(run: Compliance, register: Register) -> list[Section]:
    """Each cause of the run, the one that explains most first, then the findings that no cause explains."""
    red = {one.key: one for one in having(run, *RED)}
    found = []
    for cause in run.causes:
        explained = [(row.id, name) for row in cause.explains for name in row.scenarios]
        base = register.by_id.get(cause.requirement or "")
        found.append(
            Section(f"{cause.title} ({base.statement})" if base else cause.title, tuple(red.pop(key) for key in explained if key in red))
        )
    alone: dict[str, list[PageFinding]] = {}
    for one in red.values():
        alone.setdefault(one.row.id, []).append(one)
    return found + [Section(_statement(name, register), tuple(those), is_cause=False) for name, those in alone.items()]


def known(run: Compliance) -> Mapping[str, list[PageFinding]]:
    """The known deviations that showed, by their reason."""
    found: dict[str, list[PageFinding]] = {}
    for one in having(run, Verdict.KNOWN_DEVIATION):
        found.setdefault(one.row.reason or "", []).append(one)
    return found


def having(run: Compliance, *verdicts: Verdict) -> Iterator[PageFinding]:
    """The scenarios with one of these verdicts."""
    for row in run.requirements:
        found: dict[str, list[ScenarioEntry]] = {}
        for scenario in row.scenarios:
            if scenario.verdict in verdicts:
                found.setdefault(scenario.name, []).append(scenario)
        yield from (PageFinding(row, tuple(examples)) for examples in found.values())


def _each(said: Iterable[str]) -> str:
    """The texts of examples in a form that is the same in every run, each once."""
    return " / ".join(dict.fromkeys(map(steady, said)))


def _statement(requirement: str, register: Register) -> str:
    known = register.by_id.get(requirement)
    return f"{requirement}: {known.statement}" if known else requirement
