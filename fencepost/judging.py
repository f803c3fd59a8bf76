"""From how a scenario ended to its verdict, with the known deviations taken into account."""

import dataclasses
from dataclasses import dataclass

from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.evidence import Evidence, Mismatch, NoAnswer, SetUpFailed, Violation
from fencepost.contract.verdict import Verdict

from .expectations import Entry


@dataclass(frozen=True)
class Judgement:
    """A scenario's verdict, and why; with the violation, where there was one, also of a known deviation."""

    verdict: Verdict
    reason: str | None = None
    violation: Mismatch | None = None


def judge(error: BaseException | None, evidence: Evidence, entry: Entry | None, may_pass: bool) -> Judgement:
    """The verdict on a scenario that ended with `error`, or without one.

    `entry` is the known deviation for it; `may_pass` says that the deviation need not show in this system.
    """
    looks = _as_it_looks(error, evidence)
    if entry is None:
        return looks
    if entry.symptom.shows_in(looks.violation):
        return dataclasses.replace(looks, verdict=Verdict.KNOWN_DEVIATION, reason=f"{entry.reason} ({entry.link})")
    if looks.verdict is Verdict.VIOLATED:
        told = f"{looks.reason}; a deviation is known here, but with another symptom: {entry.symptom}"
        return dataclasses.replace(looks, reason=told)
    if looks.verdict is Verdict.MET and not (may_pass or entry.intermittent):
        stale = f"passed, although the expectations for {entry.versions} say that it fails with {entry.symptom}: remove or narrow the entry"
        return Judgement(Verdict.HARNESS_ERROR, stale)
    if looks.verdict is Verdict.MET:
        return Judgement(Verdict.MET, f"a deviation that is known here did not show this time: {entry.reason}")
    return looks


def _as_it_looks(error: BaseException | None, evidence: Evidence) -> Judgement:
    match error:
        case None if evidence.count == 0:
            return Judgement(Verdict.INCONCLUSIVE, "no Then looked at anything, so nothing is known")
        case None:
            return Judgement(Verdict.MET)
        case NotOffered():
            return Judgement(Verdict.NOT_OFFERED, str(error))
        case Malformed():
            sent = Mismatch("what its protocol allows", str(error), "message of the system")
            return Judgement(Verdict.VIOLATED, f"the system sent what its protocol does not allow: {error}", sent)
        case Violation():
            return Judgement(Verdict.VIOLATED, str(error), error.mismatch)
        case SetUpFailed():
            return Judgement(Verdict.INCONCLUSIVE, f"the question could not be put: {error}")
        case NoAnswer():
            return Judgement(Verdict.INCONCLUSIVE, f"no answer in time: {error}")
        case _:
            return Judgement(Verdict.HARNESS_ERROR, f"{type(error).__name__}: {error}")
