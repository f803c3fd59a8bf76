"""The text of a red scenario: the requirement, what was expected and seen, the last exchanges on the wire, and where to look."""

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.contract.evidence import Mismatch
from fencepost.contract.ports import Exchange
from fencepost.contract.register import Requirement
from fencepost.contract.verdict import ScenarioResult, Verdict

_WIDTH = 118
_BLAME = {
    Verdict.VIOLATED: "the system under test does not do what the requirement says",
    Verdict.INCONCLUSIVE: "the requirement could not be judged",
    Verdict.BLOCKED: "the requirement could not be judged because of a deviation that is reported elsewhere",
    Verdict.HARNESS_ERROR: "Fencepost or its scenario failed; this says nothing about the system",
}


def explain(
    row: Requirement,
    result: ScenarioResult,
    step: str | None,
    exchanges: Sequence[Exchange],
    traceback: str = "",
    alike: str | None = None,
    note: str | None = None,
) -> str:
    """The whole text, without colour. `alike` is the hint at a release that is known to do the same, `note` how the scenario was played."""
    lines = [
        f"{row.id} {result.verdict.words.upper()}{' (provisional)' if result.is_provisional else ''}: {_blame(result)}",
        *_entry("requirement", f"{row.statement} ({row.level}, {row.source}: {row.section})"),
        *_entry("scenario", f"{result.feature}: {result.name}"),
        *(_entry("step", step) if step else ()),
    ]
    if result.violation:
        lines += _violation(result.violation)
    else:
        lines += _entry("reason", result.reason or "")
    if note and result.violation:
        lines += _entry("played", note)
    if alike:
        lines += _entry("known in", alike)
    if exchanges:
        lines += _exchange(exchanges[-1], len(exchanges))
    lines += _entry("look at", row.check)
    if row.varies:
        lines += _entry("releases", row.varies)
    return "\n".join(lines) + (f"\n\n{traceback}" if traceback else "")


def _blame(result: ScenarioResult) -> str:
    if result.is_stale:
        return "an entry of known deviations is out of date; this says nothing against the system"
    return _BLAME[result.verdict]


def _violation(violation: Mismatch) -> list[str]:
    refused = f"{violation.error}" if violation.code is None else f"{violation.error} ({violation.code})"
    return [
        *(_entry("what", violation.what) if violation.what else ()),
        *_entry("expected", violation.expected),
        *_entry("seen", violation.seen),
        *(_entry("error", refused) if violation.error else ()),
    ]


def _exchange(exchange: Exchange, count: int) -> list[str]:
    answer = _compact(exchange.answer) if exchange.answer is not None else f"none: {exchange.lost}"
    return [
        *_entry("last request", f"{exchange.client} to {exchange.node}, {exchange.name} (exchange {count}): {_compact(exchange.request)}"),
        *_entry("its answer", answer),
    ]


def _compact(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, separators=(", ", ": "), ensure_ascii=False)


def _entry(name: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=f"  {name + ':':<14}", subsequent_indent=" " * 16, break_long_words=False, break_on_hyphens=False
    )
