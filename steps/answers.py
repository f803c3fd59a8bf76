"""What was answered to the When, as every vocabulary judges it.

An answer that never came is not judged: nobody knows. A refusal tells its error's name and code, which symptoms and expectations match.
"""

from collections.abc import Collection

from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .outcomes import unanswered


def judge_done(evidence: Evidence, what: str, answer: object) -> None:
    """What was asked is done, and said to be."""
    judge_answer(evidence, what, "success", isinstance(answer, Done), answer)


def judge_refused(evidence: Evidence, what: str, answer: object, errors: Collection[str] = ()) -> None:
    """What was asked is not done, and said not to be; with one of these errors, where some are named."""
    holds = isinstance(answer, Refused) and (not errors or answer.error in errors)
    judge_answer(evidence, what, f"a refusal with {' or '.join(errors)}" if errors else "a refusal", holds, answer)


def judge_answer(evidence: Evidence, what: str, expected: str, holds: bool, answer: object) -> None:
    """Whether an answer is as expected, with the error in it where it is a refusal."""
    match answer:
        case Unknown():
            unanswered(answer, what)
        case Refused(error=error, code=code):
            evidence.expect(holds, expected, f"a refusal: {answer}", what=what, error=error, code=code)
        case _:
            evidence.expect(holds, expected, reported(answer), what=what)


def reported(answer: Outcome[object] | object) -> str:
    """An answer as it is told."""
    return "success" if isinstance(answer, Done) else f"a refusal: {answer}" if isinstance(answer, Refused) else str(answer)
