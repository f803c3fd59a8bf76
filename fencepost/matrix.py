"""The summary at the end of a run: every requirement as one sign, and the honest denominator."""

import os
from collections.abc import Iterable
from typing import Any

from fencepost.contract import proposals
from fencepost.contract.verdict import RequirementResult, Verdict, totals

from .results import Results

SIGNS = {
    Verdict.MET: ("+", {"green": True}),
    Verdict.VIOLATED: ("X", {"red": True, "bold": True}),
    Verdict.KNOWN_DEVIATION: ("~", {"yellow": True}),
    Verdict.NOT_OFFERED: ("o", {"yellow": True}),
    Verdict.INCONCLUSIVE: ("?", {"red": True}),
    Verdict.HARNESS_ERROR: ("!", {"red": True, "bold": True}),
    Verdict.NOT_RUN: ("-", {"light": True}),
    Verdict.EXCLUDED: (" ", {"light": True}),
}
_ACROSS = 14


def write(results: Results, out: Any) -> None:
    """Print to pytest's terminal reporter, or to whatever has its `write`, `write_line` and `section`."""
    found = results.requirements()
    out.section(str(results.identity), "=")
    judged = {result.requirement: result for result in found if result.verdict not in (Verdict.NOT_RUN, Verdict.EXCLUDED)}
    themes = _themes(judged.values())
    width = max(map(len, themes), default=0) + 2
    for theme, members in themes.items():
        _write_theme(theme, members, width, out)
    for result in found:
        if result.verdict not in (Verdict.MET, Verdict.NOT_RUN, Verdict.EXCLUDED) or _is_a_note(result):
            sign, colour = SIGNS[result.verdict]
            out.write_line("")
            out.write(f"  {sign} {result.requirement} {result.verdict.words}: ", **colour)
            out.write_line(results.register[result.requirement].statement)
            out.write_line(f"      {_reason(result)}")
    if results.histories:
        results.histories.write(out)
    out.write_line("")
    out.write_line("  " + ", ".join(f"{count} {Verdict(name).words}" for name, count in totals(found).items()))
    _write_denominator(results, len(judged), out)


def _write_theme(theme: str, members: list[RequirementResult], width: int, out: Any) -> None:
    for start in range(0, len(members), _ACROSS):
        out.write(f"  {theme if start == 0 else '':<{width}}")
        for result in members[start : start + _ACROSS]:
            sign, colour = SIGNS[result.verdict]
            out.write(f"{sign}{result.requirement.rpartition('-')[2]} ", **colour)
        out.write_line("")


def _write_denominator(results: Results, judged: int, out: Any) -> None:
    specs = results.selection.specs or tuple(results.register.by_spec)
    in_all, named = len(results.register.rows(specs)), " and ".join(map(proposals.bundled().title_of, specs))
    end = "" if results.complete else " The run is not complete."
    word, colour = ("conforms as far as it was asked", {"green": True}) if results.conforms() else ("does not conform", {"red": True})
    out.write_line(f"  {judged} of the {in_all} requirements of {named} were judged: {results.identity.called} {word}.{end}", **colour)
    if results.handshake and results.handshake.deviations:
        out.write_line(f"  {results.handshake.deviations}")
    if results.folder:
        out.write_line(f"  results: {os.path.relpath(results.folder)}")


def _themes(results: Iterable[RequirementResult]) -> dict[str, list[RequirementResult]]:
    """By feature file, in the order in which they were met."""
    themes: dict[str, list[RequirementResult]] = {}
    for result in results:
        feature = result.scenarios[0].feature if result.scenarios else ""
        themes.setdefault(feature.removesuffix(".feature"), []).append(result)
    return themes


def _is_a_note(result: RequirementResult) -> bool:
    return result.verdict is Verdict.MET and result.reason is not None


def _reason(result: RequirementResult) -> str:
    number = f"{sum(s.verdict is result.verdict for s in result.scenarios)} of {len(result.scenarios)} scenarios"
    return f"{result.reason} ({number})"
