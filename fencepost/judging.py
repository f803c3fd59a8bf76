"""From how a scenario ended to its verdict, with the known deviations taken into account."""

from dataclasses import dataclass

from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.evidence import Evidence, NoAnswer, SetUpFailed, Violation
from fencepost.contract.verdict import Verdict

from .expectations import Entry


@dataclass(frozen=True)
class Judgement:
    """A scenario's verdict, and why."""

    verdict: Verdict
    reason: str | None = None


def judge(error: BaseException | None, evidence: Evidence, entry: Entry | None, may_pass: bool) -> Judgement:
    """The verdict on a scenario that ended with `error`, or without one.

    `entry` is the known deviation for it; `may_pass` says that the deviation need not show in this system.
    """
    verdict, reason = _as_it_looks(error, evidence)
    if entry is None:
        return Judgement(verdict, reason)
    if verdict is Verdict.VIOLATED and entry.shows_in(reason or ""):
        return Judgement(Verdict.KNOWN_DEVIATION, f"{entry.reason} ({entry.link})")
    if verdict is Verdict.VIOLATED:
        return Judgement(verdict, f"{reason}; a deviation is known here, but with another symptom: {entry.symptom}")
    if verdict is Verdict.MET and not (may_pass or entry.intermittent):
        stale = (
            f"passed, although the expectations for {entry.versions} say that it fails with {entry.symptom!r}: remove or narrow the entry"
        )
        return Judgement(Verdict.HARNESS_ERROR, stale)
    if verdict is Verdict.MET:
        return Judgement(verdict, f"a deviation that is known here did not show this time: {entry.reason}")
    return Judgement(verdict, reason)


def _as_it_looks(error: BaseException | None, evidence: Evidence) -> tuple[Verdict, str | None]:
    match error:
        case None if evidence.count == 0:
            return Verdict.INCONCLUSIVE, "no Then looked at anything, so nothing is known"
        case None:
            return Verdict.MET, None
        case NotOffered():
            return Verdict.NOT_OFFERED, str(error)
        case Malformed():
            return Verdict.VIOLATED, f"the system sent what its protocol does not allow: {error}"
        case Violation():
            return Verdict.VIOLATED, str(error)
        case SetUpFailed():
            return Verdict.INCONCLUSIVE, f"the question could not be put: {error}"
        case NoAnswer():
            return Verdict.INCONCLUSIVE, f"no answer in time: {error}"
        case _:
            return Verdict.HARNESS_ERROR, f"{type(error).__name__}: {error}"
