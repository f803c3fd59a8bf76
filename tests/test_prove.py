"""The proof: what counts as caught, what is a hole, and what is a false red."""

import dataclasses
import json
from pathlib import Path

import pytest
from commands import fencepost

from fencepost import kill_matrix
from fencepost.prove import Proof, Seen
from fencepost.reference.defects import DEFECTS, ODDITIES

BUMP = DEFECTS["no-epoch-bump"]
LATE = ODDITIES["late-completion"]
ROWS = ("KIP890-060", "KIP890-061")
SYMPTOM = "expected x; seen success with (producer id 7, epoch 0)"


def seen(verdict: str, reason: str = SYMPTOM, **changes: object) -> Seen:
    return dataclasses.replace(Seen(BUMP, {"KIP890-060": verdict}, {"KIP890-060": reason}), **changes)  # type: ignore[arg-type]


def test_a_defect_that_is_caught_for_its_reason_proves_its_requirement() -> None:
    """And only its own: the other requirement is a hole."""
    proof = Proof(ROWS, (seen("violated"),))

    assert proof.proved == {"KIP890-060": ["no-epoch-bump"], "KIP890-061": []}
    assert (proof.holes, proof.missed, proof.holds) == (["KIP890-061"], [], False)


@pytest.mark.parametrize(
    "one",
    [
        seen("met", ""),
        seen("violated", "expected x; seen another thing"),
        seen("inconclusive"),
        seen("harness_error"),
        Seen(BUMP, {}, {}, "the run ended with 2"),
        Seen(BUMP, {"KIP890-061": "violated"}, {"KIP890-061": SYMPTOM}),
    ],
)
def test_a_defect_that_is_not_caught_for_its_reason_leaves_a_hole(one: Seen) -> None:
    """One that does nothing, one with another symptom, one that only its neighbour sees."""
    proof = Proof(("KIP890-060",), (one,))

    assert (proof.missed, proof.holes, proof.holds) == ([one], ["KIP890-060"], False)


@pytest.mark.parametrize(
    ("one", "lawful"),
    [
        (Seen(LATE, {"KIP890-060": "met", "KIP890-061": "not_offered"}, {}), True),
        (Seen(LATE, {"KIP890-060": "violated"}, {"KIP890-060": "x"}), False),
        (Seen(LATE, {"KIP890-060": "inconclusive"}, {"KIP890-060": "x"}), False),
        (Seen(LATE, {}, {}, "the run took too long"), False),
    ],
)
def test_an_oddity_that_anything_catches_is_a_false_red(one: Seen, lawful: bool) -> None:
    """What is lawful must stay green."""
    proof = Proof(("KIP890-060",), (seen("violated"), one))

    assert proof.holds is lawful
    assert proof.false_reds == ([] if lawful else [one])


def test_the_page_shows_holes_and_escapes_what_it_shows() -> None:
    """A reader sees what is not proved; no text of ours becomes markup."""
    evil = dataclasses.replace(BUMP, name="<script>", story="<b>")
    page = kill_matrix.page(Proof(ROWS, (seen("violated", defect=evil),)))

    assert 'class="own"' in page
    assert 'tr class="hole"' in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page


def test_the_command_names_the_holes(tmp_path: Path) -> None:
    """Exit code, files, and wrong usage, from outside."""
    finished = fencepost("prove", "--spec", "kip980", expect=2)
    assert "did you mean kip890?" in finished.err

    assert "cannot be written to" in fencepost("prove", "--results", "/proc/nowhere", expect=2, cwd=tmp_path).err


def test_the_matrix_is_written_for_programs() -> None:
    """Every requirement with what proves it, every variant with what it did."""
    found = json.loads(json.dumps(kill_matrix.as_json(Proof(ROWS, (seen("violated"),)))))

    assert found["requirements"] == [{"id": "KIP890-060", "proved_by": ["no-epoch-bump"]}, {"id": "KIP890-061", "proved_by": []}]
    assert found["variants"][0] | {"origin": ""} == {
        "name": "no-epoch-bump",
        "breaks": "KIP890-060",
        "origin": "",
        "caught": True,
        "red": ["KIP890-060"],
        "trouble": None,
    }
