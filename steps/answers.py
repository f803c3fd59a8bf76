"""The answer to the When, as every vocabulary judges it.

A missing answer is not judged: the outcome is not known. A refusal has its error's name and code, which symptoms and expectations match.
"""

from collections.abc import Collection

from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Refused, Unknown

from .step_outcomes import error_of, unanswered


def known(answer: object) -> object:
    """The answer, when there is one."""
    return unanswered(answer, "asking for what is judged") if isinstance(answer, Unknown) else answer


def reported(answer: object) -> str:
    """An answer in the words of the evidence."""
    return "success" if isinstance(answer, Done) else str(answer)


def judge_done(evidence: Evidence, what: str, answer: object) -> None:
    """The request was answered with success."""
    _judge(evidence, what, "success", isinstance(answer, Done), answer)


def judge_refused(evidence: Evidence, what: str, answer: object, errors: Collection[str] = ()) -> None:
    """The request was refused; with one of these errors, where some are named."""
    holds = isinstance(answer, Refused) and (not errors or answer.error in errors)
    _judge(evidence, what, f"a refusal with {' or '.join(errors)}" if errors else "a refusal", holds, answer)


def judge_done_or_refused(evidence: Evidence, what: str, answer: object, errors: Collection[str]) -> None:
    """The request was answered with success, or refused with one of these errors."""
    holds = isinstance(answer, Done) or (isinstance(answer, Refused) and answer.error in errors)
    _judge(evidence, what, f"success or a refusal with {' or '.join(errors)}", holds, answer)


def _judge(evidence: Evidence, what: str, expected: str, holds: bool, answer: object) -> None:
    error, code = error_of(answer)
    evidence.expect(holds, expected, reported(known(answer)), what=what, error=error, code=code)
