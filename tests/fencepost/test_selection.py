"""What a run asks about: lists, patterns, levels and what is skipped, as users say them."""

import pytest

from fencepost.contract import register, themes
from fencepost.contract.errors import WrongUsage
from fencepost.run.selection import Selection

ROWS = register.bundled()


def chosen(selection: Selection) -> list[str]:
    selection.check(ROWS)
    return [row.id for row in ROWS.rows() if selection.holds(row, ROWS.spec_of(row.id))]


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (["KIP890-060"], ["KIP890-060"]),
        (["kip890-060,core-01"], ["CORE-01", "KIP890-060"]),
        (["KIP890-060", " core-01 , "], ["CORE-01", "KIP890-060"]),
        (["kip890-06[0-3]"], ["KIP890-060", "KIP890-061", "KIP890-062", "KIP890-063"]),
        (["KIP890-06[!0-7]"], ["KIP890-068", "KIP890-069"]),
        (["CORE-0?,CORE-01"], [f"CORE-0{number}" for number in range(1, 10)]),
    ],
)
def test_ids_are_lists_and_patterns_in_any_case_of_letters(only: list[str], expected: list[str]) -> None:
    """As a shell has them; each requirement once, in the order of the register."""
    assert chosen(Selection.said(only=only)) == expected


def test_a_pattern_matches_whole_ids() -> None:
    """`KIP890-06` is no requirement."""
    with pytest.raises(WrongUsage, match=r"^--only KIP890-06: no such requirement; did you mean KIP890-0"):
        chosen(Selection.said(only=["kip890-06"]))


def test_proposals_and_levels_are_lists_in_any_case_of_letters() -> None:
    """A repeated name counts once."""
    assert Selection.said(["KIP890,Pip31", "pip31"], levels=["must,Should"]) == Selection(("kip890", "pip31"), (), ("MUST", "SHOULD"))


def test_a_theme_is_asked_across_all_proposals() -> None:
    """As the tag that it is, or without its sign; several are asked together."""
    sealing = chosen(Selection.said(themes=["@Sealing"]))
    both = chosen(Selection.said(themes=["sealing,fencing"]))

    assert sorted(sealing) == sorted(row for row in themes.requirements_of("sealing") if ROWS[row].is_tested)
    assert set(both) == {*sealing, *chosen(Selection.said(themes=["fencing"]))}
    assert {ROWS.spec_of(row) for row in both} >= {"core", "kip890", "pip31", "pip471"}


def test_a_theme_narrows_what_else_was_said() -> None:
    """What is selected is of that proposal and of that theme."""
    found = chosen(Selection.said(["pip31"], themes=["sealing"]))

    assert found
    assert all(row.startswith("PIP31-") and "sealing" in themes.themes_of(row) for row in found)


def test_what_is_skipped_is_not_asked() -> None:
    """Whatever else selects it; the results say why."""
    selection = Selection.said(only=["CORE-0*"], skip=["core-0[2-9]", "CORE-11"])

    assert chosen(selection) == ["CORE-01"]
    assert selection.why_not(ROWS["CORE-02"], "core") == "not selected: skipped (--skip CORE-0[2-9],CORE-11)"
    assert selection.why_not(ROWS["CORE-11"], "core") == "not selected"


@pytest.mark.parametrize(
    ("selection", "reported"),
    [
        (Selection.said(only=["KIP89-06*"]), r"--only KIP89-06\*: no such requirement; did you mean KIP890-0"),
        (Selection.said(skip=["CORE-9[0-9]"]), r"--skip CORE-9\[0-9\]: no such requirement; did you mean CORE-"),
        (Selection.said(only=["CORE-01,KIP890-999"]), "--only KIP890-999: no such requirement; did you mean KIP890-"),
        (Selection.said(["KIP-890"]), r"unknown proposal 'kip-890'; did you mean kip890\?"),
        (Selection.said(levels=["MUSTN'T"]), r"unknown level \"MUSTN'T\"; did you mean MUST\?"),
        (Selection.said(themes=["seal"]), r"unknown theme 'seal'; did you mean sealing\?"),
        (Selection.said(["kip890"], themes=["sealing"]), "nothing is selected by --spec kip890 --theme sealing: no requirement has all of"),
        (Selection.said(skip=["*"]), r"nothing is selected by --skip \*: all of it is skipped"),
        (Selection.said(only=["CORE-01"], skip=["CORE-01"]), "nothing is selected by --only CORE-01 --skip CORE-01: all of it is skipped"),
        (Selection.said(["pip31"], ["CORE-01"]), "nothing is selected by --spec pip31 --only CORE-01: no requirement has all of that"),
    ],
)
def test_what_selects_nothing_is_refused(selection: Selection, reported: str) -> None:
    """An empty run would be green, and a misspelt name would leave out what the user meant."""
    with pytest.raises(WrongUsage, match=reported):
        chosen(selection)
