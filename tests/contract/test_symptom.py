"""A symptom distinguishes a violation from others by the violation's fields."""

import pytest
from pydantic import ValidationError

from fencepost.contract.evidence import Mismatch
from fencepost.contract.symptom import Symptom

FENCED = Mismatch("success", "a refusal with PRODUCER_FENCED", "answer to EndTxn", "PRODUCER_FENCED", 90)


@pytest.mark.parametrize(
    ("symptom", "shows"),
    [
        (Symptom(seen="PRODUCER_FENCED"), True),
        (Symptom(seen="^PRODUCER_FENCED"), False),
        (Symptom(expected="success", seen="refusal"), True),
        (Symptom(expected="a refusal", seen="refusal"), False),
        (Symptom(what="EndTxn"), True),
        (Symptom(what="InitProducerId"), False),
        (Symptom(error="FENCED$"), True),
        (Symptom(error="INVALID_TXN_STATE"), False),
        (Symptom(code=90), True),
        (Symptom(code=9), False),
    ],
)
def test_each_field_that_is_given_must_be_found_in_the_field_of_the_same_name(symptom: Symptom, shows: bool) -> None:
    """And in no other: what was expected is not what was seen."""
    assert symptom.shows_in(FENCED) is shows


@pytest.mark.parametrize("symptom", [Symptom(error="."), Symptom(code=0)])
def test_a_violation_without_the_field_does_not_show(symptom: Symptom) -> None:
    """No refusal, no error; and what is no violation shows nothing."""
    assert not symptom.shows_in(Mismatch("a refusal", "success", "answer to EndTxn"))
    assert not symptom.shows_in(None)


@pytest.mark.parametrize(
    ("fields", "reported"), [({}, "must say one of"), ({"seen": ""}, "must not be empty"), ({"seen": "("}, "must be a regular")]
)
def test_a_symptom_that_every_violation_or_none_has_is_refused(fields: dict[str, str], reported: str) -> None:
    """It would distinguish nothing."""
    with pytest.raises(ValidationError, match=reported):
        Symptom.model_validate(fields)


def test_a_symptom_says_what_it_looks_for() -> None:
    """In the words that it was written with."""
    assert str(Symptom(expected=r"success \(epoch \d\)", code=90)) == r"expected 'success \(epoch \d\)', code 90"
