"""The linter of words finds what is out, and counts it; the counts may only fall."""

import pytest
import words
from words import counted, places, risen

from fencepost.contract.errors import Exit

KNOWN = {word.word: word for word in words.words()}


@pytest.mark.parametrize(
    ("word", "found", "passed_by"),
    [
        ("told, tells", ("The broker tells it.", "_told = 1", "told2 = told_apart"), ("untold", "a teller", "toldish")),
        ("behind (in time)", ("behind a crash", "Behind the split"), ("the record behind another", "lies behind the marker")),
        ("nobody, somebody, anybody", ("Nobody reads it.", "is somebody's"), ("no body", "the body")),
        ("Who as a subject", ("    Who comes late is refused.", '"""Who asks'), ("the client who asks", "Who is judged")),
        ("Of in front", ("Of two writers one wins.", '"""Of each log'), ("one of two writers", "Office hours")),
        ("time-out", ("a time-out", "time_out is no word; two Time-outs"), ("timeout", "a time outside")),
        ("lawful", ("unlawful", "is_lawful"), ("awful", "law")),
        ("law", ("one law", "laws"), ("lawn", "flaw", "lawful")),
    ],
)
def test_a_word_is_found_also_in_identifiers_and_not_within_other_words(
    word: str, found: tuple[str, ...], passed_by: tuple[str, ...]
) -> None:
    """Each pattern is seen finding and passing by."""
    assert [text for text in found if not list(places("folder/file.py", text, [KNOWN[word]]))] == []
    assert [text for text in passed_by if list(places("folder/file.py", text, [KNOWN[word]]))] == []


def test_a_place_has_its_line_and_what_to_write_instead() -> None:
    """As ruff would say it."""
    (place,) = places("steps/a.py", "x = 1\ny = 'anew'\n", words.words())

    assert str(place) == "steps/a.py:2: anew; write instead: again"
    assert counted([place, place]) == {"steps": {"anew": 2}}


def test_a_count_that_rises_fails_and_one_that_falls_does_not() -> None:
    """By folder and word, so that nothing is traded for something else."""
    assert risen({"steps": {"anew": 3, "law": 1}}, {"steps": {"anew": 2, "law": 5}}) == [("steps", "anew", 3, 2)]
    assert risen({"steps": {"anew": 1}}, {}) == [("steps", "anew", 1, 0)]
    assert risen({"steps": {"anew": 1}}, {"steps": {"anew": 1}}) == []


def test_the_words_that_are_out_do_not_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    """In no folder are there more of a word than words_left.yaml says."""
    assert words.check() == Exit.CONFORMS, capsys.readouterr().out
