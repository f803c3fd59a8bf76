"""The end of what `fencepost run` prints: failures in full, the slowest scenarios, anomalies, the matrix, and the headline last."""

from collections.abc import Iterable
from contextlib import nullcontext

from fencepost.contract.errors import SystemUnreachable
from fencepost.contract.verdict import RequirementResult, ScenarioResult, Verdict
from fencepost.results.verdict_collector import Reporting

from . import verdict_matrix
from .run_reporter import Loudness, RunReporter
from .terminal import Screen

_SLOWEST = 10
_LONG_S = 30.0
"""A run that took longer than this shows where the time went."""
_MOST_WARNINGS = 20
_RAN = frozenset({Verdict.MET, Verdict.VIOLATED, Verdict.BLOCKED, Verdict.INCONCLUSIVE, Verdict.HARNESS_ERROR})


def write(watching: RunReporter, reporting: Reporting | None) -> None:
    """Write the reports of the whole results, and print all of it. Raises SystemUnreachable if a worker process found that."""
    if reporting and reporting.unreachable:
        raise SystemUnreachable(reporting.unreachable)
    screen = watching.screen
    write_failures(watching, screen)
    if reporting is None or not reporting.results.scenarios:
        if reporting and reporting.results.stopped:
            verdict_matrix.write_stopped(reporting.results, screen)
        else:
            write_pytests_own_words(watching, screen)
        return
    results = reporting.results
    with screen.waiting("making the Allure report") if reporting.html and results.folder else nullcontext():
        made = reporting.made()
    if watching.loudness is Loudness.VERBOSE or watching.progress.elapsed > _LONG_S:
        write_slowest(results.scenarios, screen)
    verdict_matrix.write(results, screen)
    for line in made:
        screen.write_line(f"  {line}")
    if results.identity.defect:
        write_symptoms(results.identity.defect, results.requirements(), screen)
    verdict_matrix.write_headline(results, screen)
    if results.stopped:
        verdict_matrix.write_stopped(results, screen)


def write_failures(watching: RunReporter, screen: Screen) -> None:
    """Each red scenario in full, then errors outside scenarios, then warnings."""
    reported = watching.reported
    if reported.failures:
        screen.section("what was red")
    for text in reported.failures:
        head, _, rest = text.partition("\n")
        screen.write_line(f"\n{head}", red=True, bold=True)
        screen.write_line(rest)
    if reported.troubles:
        screen.section("what went wrong in Fencepost")
    for text in reported.troubles:
        screen.write_line(f"\n{text}")
    if reported.warnings:
        screen.section("warnings")
    for text, count in list(reported.warnings.items())[:_MOST_WARNINGS]:
        screen.write_line(f"  {text}" + (f", {count} times" if count > 1 else ""), yellow=True)
    if (more := len(reported.warnings) - _MOST_WARNINGS) > 0:
        screen.write_line(f"  and {more} more")


def write_pytests_own_words(watching: RunReporter, screen: Screen) -> None:
    """Print pytest's output if nothing was judged and the kit has no reason for it."""
    words = watching.pytests_own_words.getvalue().strip()
    if words and not (watching.reported.failures or watching.reported.troubles):
        screen.section("nothing was judged; pytest says")
        screen.write_line(words)


def write_symptoms(variant: str, judged: Iterable[RequirementResult], screen: Screen) -> None:
    """For each requirement that the defect breaks: whether it was violated with the symptom that `@defect` has for it."""
    from fencepost.reference.defects import DEFECTS  # every defect is imported with it, and other runs need none

    breaks = DEFECTS[variant].breaks if variant in DEFECTS else {}
    for result in judged:
        symptom = breaks.get(result.requirement)
        if symptom is None or result.verdict not in _RAN:
            continue
        if result.verdict is not Verdict.VIOLATED:
            screen.write_line(f"  the defect does not show: {result.requirement} is {result.verdict.words}, not violated", yellow=True)
        elif symptom.shows_in(result.violation):
            screen.write_line(f"  the defect shows: {result.requirement} is violated with the symptom that @defect has", green=True)
        else:
            screen.write_line(
                f"  the defect shows otherwise: {result.requirement} is violated, but not with the symptom that @defect has: {symptom}",
                yellow=True,
            )


def write_slowest(scenarios: Iterable[ScenarioResult], screen: Screen) -> None:
    """The ten that took longest."""
    screen.section("the slowest scenarios")
    for scenario in sorted(scenarios, key=lambda scenario: scenario.seconds, reverse=True)[:_SLOWEST]:
        screen.write_line(f"  {scenario.seconds:7.2f} s  {scenario.requirement} {scenario.name}")
