"""The summary at the end of a run: every requirement as one sign, and the counts with all requirements as denominator."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fencepost.contract import editions, parity, proposals
from fencepost.contract.verdict import RequirementResult, Verdict, conclusion, offers_nothing
from fencepost.results.run_results import Results

SIGNS = {
    Verdict.MET: ("+", {"green": True}),
    Verdict.VIOLATED: ("X", {"red": True, "bold": True}),
    Verdict.KNOWN_DEVIATION: ("~", {"yellow": True}),
    Verdict.NOT_OFFERED: ("o", {"yellow": True}),
    Verdict.BLOCKED: ("b", {"red": True}),
    Verdict.INCONCLUSIVE: ("?", {"red": True}),
    Verdict.HARNESS_ERROR: ("!", {"red": True, "bold": True}),
    Verdict.NOT_RUN: ("-", {"light": True}),
    Verdict.EXCLUDED: (" ", {"light": True}),
}
_ACROSS = 14


def write(results: Results, out: Any) -> None:
    """Print to pytest's terminal reporter, or to any object with its `write`, `write_line` and `section`."""
    found = results.requirements()
    out.section(str(results.identity), "=")
    judged = {result.requirement: result for result in found if result.verdict not in (Verdict.NOT_RUN, Verdict.EXCLUDED)}
    themes = _themes(judged.values())
    width = max(map(len, themes), default=0) + 2
    for theme, members in themes.items():
        _write_theme(results, theme, members, width, out)
    explained = _write_causes(results, judged, out)
    for result in found:
        if result.requirement in explained:
            continue
        if result.verdict not in (Verdict.MET, Verdict.NOT_RUN, Verdict.EXCLUDED) or _is_a_note(result):
            sign, colour = SIGNS[result.verdict]
            out.write_line("")
            uncounted = _why_uncounted(results, result)
            out.write(f"  {sign} {result.requirement} {result.verdict.words}{uncounted}: ", **colour)
            out.write_line(results.register[result.requirement].statement)
            out.write_line(f"      {_reason(result)}")
    if results.histories:
        results.histories.write(out)
    out.write_line("")


def _write_causes(results: Results, judged: Mapping[str, RequirementResult], out: Any) -> set[str]:
    """Print each likely cause with the requirements that it explains, at most one in full; returns all that were printed."""
    causes = results.causes()
    reported: set[str] = set()
    for cause in causes.found:
        out.write_line("")
        out.write_line(f"  {cause}", bold=True)
        for requirement, scenarios in cause.scenarios.items():
            result = judged[requirement]
            sign, colour = SIGNS[result.verdict]
            numbers = " ".join(dict.fromkeys(name.partition("]")[0] + "]" for name in scenarios))
            out.write(f"    {sign} {requirement} {result.verdict.words} {numbers}: ", **colour)
            out.write_line("see above" if requirement in reported else results.register[requirement].statement)
            reported.add(requirement)
        first = next(iter(cause.scenarios))
        out.write_line(f"      {_reason(judged[first])}")
    if reported and (rest := causes.outside):
        out.write_line("")
        out.write_line(f"  {len(causes.found)} likely causes explain {len(reported)} red requirements; {len(rest)} stand alone:", bold=True)
    return reported


def _why_uncounted(results: Results, result: RequirementResult) -> str:
    """The note after a verdict that does not prevent the run from conforming; empty if it does, or if no verdict would."""
    if results.is_provisional(result):
        return f" ({editions.PROVISIONAL})"
    return "" if result.verdict is Verdict.NOT_OFFERED or results.counts(result) else f" ({parity.UNCOUNTED})"


def _write_theme(results: Results, theme: str, members: list[RequirementResult], width: int, out: Any) -> None:
    for start in range(0, len(members), _ACROSS):
        out.write(f"  {theme if start == 0 else '':<{width}}")
        for result in members[start : start + _ACROSS]:
            sign, colour = SIGNS[result.verdict]
            shown = f"{sign}{result.requirement.rpartition('-')[2]}"
            out.write(f"({shown}) " if results.is_provisional(result) else f"{shown} ", **colour)
        out.write_line("")


def write_stopped(results: Results, out: Any) -> None:
    """Print how far a stopped run came, and why it was stopped."""
    reds = sum(scenario.fails for scenario in results.scenarios)
    if results.complete:
        reported = "stopped after all scenarios, but before their histories were judged"
    elif results.selected is None:
        reported = "stopped before the scenarios were known"
    else:
        reported = f"stopped after {len(results.scenarios)} of {results.selected} scenarios"
    out.write_line(f"{reported}, {f'{reds} red' if reds else 'nothing red'} ({results.stopped})", yellow=not reds, red=bool(reds))


def write_headline(results: Results, out: Any) -> None:
    """Print the last lines: what was tested, the verdicts, then what they mean.

    Proposals without a selected requirement are not counted.
    """
    asked_for = results.selection.specs or tuple(results.register.by_spec)
    specs = [spec for spec in asked_for if any(results.is_selected(row.id) for row in results.register.by_spec[spec])]
    count = Count(results, results.requirements(), specs)
    out.write_line(f"  {count.asked_words}")
    if count.not_asked_words:
        out.write_line(f"  not tested: {count.not_asked_words}", light=True)
    titles = {spec: proposals.bundled().title_of(spec) for spec in count.asked_about or specs}
    word, colour = _meaning(results, count, results.counting.cited(titles))
    if results.handshake and results.handshake.deviations:
        out.write_line(f"  {results.handshake.deviations}")
    out.write_line(f"  {results.identity.called} {word}", **colour)


def _meaning(results: Results, count: "Count", titles: str) -> tuple[str, dict[str, bool]]:
    objections = results.objections()
    if not results.complete and not results.failing():
        why = "was stopped" if results.stopped else "lost scenarios, which is fencepost's fault"
        return f"has no verdict: the run {why}", {"yellow": True}
    odd = str(results.parity)
    if objections:
        word = conclusion(results.failing(), objections, results.are_stale)
        return f"{word}{f' ({odd})' if odd and results.counts_parity else ''}", {"red": True}
    if results.stopped:
        return "has no verdict: the histories were not judged", {"yellow": True}
    if results.asks_only_provisional:
        return f"has no verdict: no tested requirement counts yet in {titles}; --edition next counts them", {"yellow": True}
    if count.offers_nothing:
        return f"has no verdict: no selected requirement of {titles} could be tested on it", {"yellow": True}
    word = f"conforms to {titles}" if count.is_whole else f"conforms as far as it was tested against {titles}"
    return f"{word}{f'; {odd}' if odd else ''}", {"green": True}


class Count:
    """The requirements of the selected proposals, divided into asked, to be asked, and not asked with the reason."""

    def __init__(self, results: Results, found: Iterable[RequirementResult], specs: Iterable[str]) -> None:
        self._spec_of = {row.id: spec for spec in specs for row in results.register.by_spec[spec]}
        mine = [one for one in found if one.requirement in self._spec_of]
        selected = [one for one in mine if results.is_selected(one.requirement)]
        self._counting = {one.requirement for one in selected if not results.is_provisional(one)}
        self._excluded = sum(one.verdict is Verdict.EXCLUDED for one in selected)
        self._planned = sum(results.register[one.requirement].planned for one in selected)
        self._left_out = len(mine) - len(selected)
        tested = [one for one in selected if results.register[one.requirement].is_tested]
        self._verdicts = Counter(one.verdict for one in tested if not results.is_provisional(one))
        self._provisional = Counter(one.verdict for one in tested if results.is_provisional(one))
        self._uncounted = Counter(one.verdict for one in selected if not (results.counts(one) or results.is_provisional(one)))

    @property
    def asked_about(self) -> list[str]:
        """The proposals with a selected requirement that counts, in their order; nothing can be claimed about others."""
        return list(dict.fromkeys(spec for row, spec in self._spec_of.items() if row in self._counting))

    @property
    def offers_nothing(self) -> bool:
        """Whether there was nothing to judge."""
        return offers_nothing(self._verdicts)

    @property
    def is_whole(self) -> bool:
        """Whether every tested requirement of these proposals was asked."""
        return not (self._left_out or self._verdicts[Verdict.NOT_OFFERED] or self._verdicts[Verdict.NOT_RUN])

    @property
    def asked_words(self) -> str:
        """`150 of 195 tested: 149 met, 1 violated; 45 not offered; 2 provisional: 1 met, 1 violated`; and how many reds do not count."""
        unasked = {Verdict.NOT_OFFERED: "not offered", Verdict.NOT_RUN: "not reached"}
        asked = {verdict: number for verdict, number in self._verdicts.items() if verdict not in unasked}
        parts = ", ".join(parity.counted(asked[verdict], verdict.words, self._uncounted[verdict]) for verdict in SIGNS if verdict in asked)
        rest = ", ".join(f"{self._verdicts[verdict]} {words}" for verdict, words in unasked.items() if self._verdicts[verdict])
        provisional = ", ".join(
            f"{self._provisional[verdict]} {unasked.get(verdict, verdict.words)}" for verdict in SIGNS if self._provisional[verdict]
        )
        rest = "; ".join(filter(None, (rest, provisional and f"{self._provisional.total()} provisional: {provisional}")))
        return f"{sum(asked.values())} of {self._verdicts.total()} tested{f': {parts}' if parts else ''}{f'; {rest}' if rest else ''}"

    @property
    def not_asked_words(self) -> str:
        reported = {"excluded": self._excluded, "planned": self._planned, "not selected": self._left_out}
        return ", ".join(f"{number} {words}" for words, number in reported.items() if number)


def _themes(results: Iterable[RequirementResult]) -> dict[str, list[RequirementResult]]:
    """The results by feature file, in the order in which they first appear."""
    themes: dict[str, list[RequirementResult]] = {}
    for result in results:
        feature = result.scenarios[0].feature if result.scenarios else ""
        themes.setdefault(feature.removesuffix(".feature"), []).append(result)
    return themes


def _is_a_note(result: RequirementResult) -> bool:
    return result.verdict is Verdict.MET and result.reason is not None


def _reason(result: RequirementResult) -> str:
    of = len(result.scenarios)
    number = f"{sum(s.verdict is result.verdict for s in result.scenarios)} of {of} scenario{'' if of == 1 else 's'}"
    return f"{result.reason} ({number})"
