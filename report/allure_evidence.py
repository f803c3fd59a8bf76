"""The page of a scenario that is not met: expected and seen, the last exchange, and then all that was said, step by step and folded."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, Template

from fencepost.contract.ports import Exchange
from fencepost.contract.verdict import ScenarioResult


@dataclass(frozen=True)
class StepEvidence:
    """One step: what was said on the wire in it, and what it judged."""

    step: str
    status: str
    exchanges: Sequence[Exchange]
    judged: Sequence[str]


def page(result: ScenarioResult, parts: Sequence[StepEvidence]) -> str:
    """One page that needs nothing else, and runs no script."""
    decisive = next((part for part in reversed(parts) if len(part.exchanges)), None)
    last = decisive.exchanges[len(decisive.exchanges) - 1] if decisive else None
    return _template().render(result=result, parts=parts, decisive=decisive, last=last)


def clock(at_ms: float) -> str:
    """A moment as people read it: HH:MM:SS.mmm, in UTC."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(sep=" ", timespec="milliseconds")[11:23]


def _fields(values: Mapping[str, Any] | None) -> str:
    return json.dumps(values, ensure_ascii=False, indent=1)


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"clock": clock, "fields": _fields}
    return environment.from_string(resources.files("fencepost.fixtures").joinpath("evidence.html.j2").read_text(encoding="utf-8"))
