"""`fencepost run --defect` reports whether the violation has the symptom that `@defect` has, as `fencepost prove` requires."""

import io

import pytest

from fencepost.console.final_summary import write_symptoms
from fencepost.console.terminal import Screen
from fencepost.contract.evidence import Mismatch
from fencepost.contract.verdict import RequirementResult, Verdict

BROKEN = Mismatch("success with (producer id 1000, epoch 1)", "success with (producer id 1000, epoch 0)", "answer to EndTxn")
OTHERWISE = Mismatch("success", "NOT_COORDINATOR", "answer to EndTxn", "NOT_COORDINATOR", 16)


@pytest.mark.parametrize(
    ("verdict", "violation", "reported"),
    [
        (Verdict.VIOLATED, BROKEN, "  the defect shows: KIP890-060 is violated with the symptom that @defect has\n"),
        (Verdict.VIOLATED, OTHERWISE, "  the defect shows otherwise: KIP890-060 is violated, but not with the symptom that @defect has: "),
        (Verdict.MET, None, "  the defect does not show: KIP890-060 is met, not violated\n"),
        (Verdict.NOT_RUN, None, ""),
    ],
)
def test_a_defect_shows_with_its_symptom(verdict: Verdict, violation: Mismatch | None, reported: str) -> None:
    """Another symptom, and a green, are reported; a requirement that did not run is not."""
    stream = io.StringIO()

    write_symptoms("no-epoch-bump", [RequirementResult("KIP890-060", verdict, None, violation=violation)], Screen(stream, {}))

    assert stream.getvalue().startswith(reported)
    assert bool(stream.getvalue()) == bool(reported)


def test_a_conforming_variant_breaks_nothing() -> None:
    """Nothing is reported of it."""
    stream = io.StringIO()

    write_symptoms("lazy-markers", [RequirementResult("KIP890-060", Verdict.MET, None)], Screen(stream, {}))

    assert stream.getvalue() == ""
