"""The report of a soak run: `soak.json`, from which the page is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fencepost.console.phrases import counted
from fencepost.contract.errors import SystemUnreachable
from fencepost.contract.version import VERSION

from .measurements import OK, REFUSED, UNKNOWN, Slot, SoakFigures
from .segment_judge import SegmentVerdict


@dataclass(frozen=True)
class SoakOptions:
    """The user's options. `seconds` are the machine's; `segment_s` and `every_s`, the mean time between two faults, are those of the
    system's clock, which is virtual on the reference. `rate` is calls a second of that clock.
    """

    seconds: float
    faults: str | None = None
    rate: float = 100.0
    writers: int = 8
    segment_s: float = 60.0
    every_s: float = 20.0
    seed: int = 1


@dataclass(frozen=True)
class SoakEnding:
    """Why a run ended: its time was over, a signal `stopped` it, or the system was `gone`."""

    stopped: str | None = None
    gone: SystemUnreachable | None = None

    @property
    def is_complete(self) -> bool:
        """Whether it lasted for the requested time."""
        return self.stopped is None and self.gone is None


def headline(verdicts: Sequence[SegmentVerdict], ending: SoakEnding | None) -> str:
    """The run in one sentence."""
    red = [verdict for verdict in verdicts if verdict.is_red]
    judged = counted(len(verdicts), "segment")
    found = f"anomalies in {len(red)} of {judged}" if red else f"no definite anomaly in {judged}"
    if ending is None:
        return f"The run goes on; {found} so far."
    if ending.stopped:
        return f"Stopped before its end ({ending.stopped}); {found}."
    if ending.gone:
        return f"The system was gone before the end ({ending.gone}); {found}."
    return f"{found[0].upper()}{found[1:]}."


def document(
    system: str,
    version: str,
    asked: SoakOptions,
    figures: SoakFigures,
    verdicts: Sequence[SegmentVerdict],
    spans: Mapping[int, tuple[float, float]],
    ending: SoakEnding | None,
) -> dict[str, Any]:
    """`soak.json`. Times are seconds of the run; `slots` has the calls that ended in each `slot_s` of it."""
    totals = figures.totals
    return {
        "schema_version": 1,
        "fencepost": VERSION,
        "system": system,
        "version": version,
        "complete": ending is not None and ending.is_complete,
        "headline": headline(verdicts, ending),
        "asked": asdict(asked) | {"faults": asked.faults.split(",") if asked.faults else []},
        "seconds": round(figures.elapsed_s, 1),
        "calls": {name: totals[name] for name in (OK, REFUSED, UNKNOWN)},
        "refusals": dict(figures.refusals.most_common()),
        "slot_s": figures.slot_s,
        "slots": [_slot(slot) for slot in figures.slots],
        "faults": [asdict(fault) for fault in figures.faults],
        "segments": [_segment(verdict, spans[verdict.segment]) for verdict in verdicts],
        "anomalies": [one for verdict in verdicts for one in _anomalies(verdict, *spans[verdict.segment])],
    }


def _slot(slot: Slot) -> dict[str, Any]:
    took = sorted(ms for some in slot.took_ms.values() for ms in some)
    return {name: slot.outcomes[name] for name in (OK, REFUSED, UNKNOWN)} | {
        "median_ms": round(took[len(took) // 2], 2) if took else None,
        "p99_ms": round(took[len(took) * 99 // 100], 2) if took else None,
    }


def _segment(verdict: SegmentVerdict, span: tuple[float, float]) -> dict[str, Any]:
    begin_s, end_s = span
    return {"segment": verdict.segment, "begin_s": round(begin_s, 1), "end_s": round(end_s, 1), "unreadable_lines": verdict.quarantined}


def _anomalies(verdict: SegmentVerdict, begin_s: float, end_s: float) -> list[dict[str, Any]]:
    return [
        {
            "segment": verdict.segment,
            "anomaly": finding.anomaly,
            "definite": finding.definite,
            "possible": finding.possible,
            "allowed": finding.allowed,
            "witness": finding.witness,
            "page": verdict.page,
            "begin_s": round(begin_s, 1),
            "end_s": round(end_s, 1),
        }
        for finding in verdict.found
    ]
