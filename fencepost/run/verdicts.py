"""Decides the verdict of a scenario from how it ended, with the known deviations taken into account."""

import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fencepost.contract.errors import AccessRefused, Malformed, NotOffered, WrongUsage
from fencepost.contract.evidence import Evidence, Mismatch, NoAnswer, SetUpFailed, Violation, sent_what_is_not_allowed
from fencepost.contract.ports import Handshake
from fencepost.contract.verdict import Expectation, Verdict
from fencepost.deviations.known_deviations import LocatedDeviation


@dataclass(frozen=True)
class Judgement:
    """A scenario's verdict, and why; with the violation, if there was one, also of a known deviation.

    `expectation` is the entry that excuses it, or that is stale.
    """

    verdict: Verdict
    reason: str | None = None
    violation: Mismatch | None = None
    expectation: Expectation | None = None
    is_too_early: bool = False


def judge(
    error: BaseException | None, evidence: Evidence, known: Sequence[LocatedDeviation] = (), too_short: str | None = None
) -> Judgement:
    """The verdict of a scenario that ended with `error`, or without one; `known` are the entries about it, the user's first. `too_short`
    is why it may have read too early: then it is not violated, unless the deviation is known.
    """
    looks = _as_it_looks(error, evidence)
    for one in known:
        if one.entry.shows_in(looks.violation):
            return dataclasses.replace(looks, verdict=Verdict.KNOWN_DEVIATION, reason=_excuse(one), expectation=_cited(one))
        if looks.verdict is Verdict.INCONCLUSIVE and one.entry.knows_why(looks.reason):
            why = f"{looks.reason}; known to be inconclusive: {_excuse(one)}"
            return dataclasses.replace(looks, verdict=Verdict.KNOWN_DEVIATION, reason=why, expectation=_cited(one))
    if looks.verdict is Verdict.VIOLATED and too_short:
        return Judgement(Verdict.INCONCLUSIVE, f"{too_short}: {looks.reason}", is_too_early=True)
    if looks.verdict is Verdict.VIOLATED and known:
        others = "; ".join(f"{one.entry.sign} ({one.where})" for one in known)
        return dataclasses.replace(looks, reason=f"{looks.reason}; a deviation is known here, but with another symptom: {others}")
    if looks.verdict is Verdict.MET and known:
        return _unseen(known)
    return looks


def lacks(name: str, needs: Collection[str], handshake: Handshake | None) -> NotOffered | None:
    """Why a scenario with these needs is not offered; None if the system offers all of them."""
    missing = sorted(set(needs) - (handshake.capabilities if handshake else frozenset()))
    if not missing:
        return None
    why = [line for line in (handshake.not_offered if handshake else ()) if line.partition(":")[0] in missing]
    return NotOffered("; ".join([f"{name} does not offer {', '.join(missing)}", *why]))


def _unseen(known: Sequence[LocatedDeviation]) -> Judgement:
    """The judgement of a scenario that passed, although entries expect it to fail."""
    stale = next((one for one in known if not one.need_not_show), None)
    if stale is None:
        first = known[0]
        reported = f"{first.entry.reason} ({_seldom(first)}from {first.where})"
        return Judgement(Verdict.MET, f"a deviation that is known here did not show this time: {reported}")
    return Judgement(Verdict.HARNESS_ERROR, _remedy(stale), expectation=_cited(stale, is_stale=True))


def _excuse(one: LocatedDeviation) -> str:
    link = f"{one.entry.link}, " if one.entry.link else ""  # a page that makes links of addresses would take a semicolon in
    return f"{one.entry.reason} ({link}{_seldom(one)}from {one.where})"


def _seldom(one: LocatedDeviation) -> str:
    """How often an intermittent deviation was seen before."""
    return f"{one.entry.intermittent}; " if one.entry.intermittent else ""


def _remedy(one: LocatedDeviation) -> str:
    """What to remove."""
    entry = one.entry
    versions = f" of {entry.versions}" if entry.versions else ""
    narrow = (
        ""
        if entry.scenario
        else "; it is about every scenario of the requirement: name with `scenario` the one that fails, if another does"
    )
    return (
        f"passed, although {one.where} expects that it fails with {entry.sign}: "
        f"remove the entry {entry.place!r}{versions} there{narrow}, or add `intermittent: {{seen: N, tried: M}}` if it shows now and then"
    )


def _cited(one: LocatedDeviation, is_stale: bool = False) -> Expectation:
    return Expectation(one.file, one.line, one.is_own, is_stale)


def _as_it_looks(error: BaseException | None, evidence: Evidence) -> Judgement:
    match error:
        case None if evidence.count == 0:
            return Judgement(Verdict.INCONCLUSIVE, "no Then step checked anything, so nothing is known")
        case None:
            return Judgement(Verdict.MET)
        case NotOffered():
            return Judgement(Verdict.NOT_OFFERED, str(error))
        case Malformed():
            sent = sent_what_is_not_allowed(str(error)).mismatch
            return Judgement(Verdict.VIOLATED, f"the system sent what its protocol does not allow: {error}", sent)
        case Violation():
            return Judgement(Verdict.VIOLATED, str(error), error.mismatch)
        case SetUpFailed():
            return Judgement(Verdict.INCONCLUSIVE, f"the question could not be put: {error}")
        case AccessRefused():
            return Judgement(Verdict.INCONCLUSIVE, f"the system did not let fencepost in: {error}")
        case NoAnswer():
            return Judgement(Verdict.INCONCLUSIVE, f"no answer in time: {error}")
        case WrongUsage():
            return Judgement(Verdict.HARNESS_ERROR, str(error))
        case _:
            return Judgement(Verdict.HARNESS_ERROR, f"{type(error).__name__}: {error}")
