"""Themes: the tags that run through all proposals, and which requirements carry them."""

import pytest

from fencepost.cli.completion import complete_theme
from fencepost.contract import proposals, register, themes
from fencepost.contract.errors import UnknownName
from fencepost.contract.themes import THEMES


@pytest.mark.parametrize("theme", list(THEMES))
def test_every_theme_is_more_than_one_proposals(theme: str) -> None:
    """One that stands in a single proposal selects nothing that `--spec` does not."""
    rows = register.bundled()

    assert len({rows.spec_of(requirement) for requirement in themes.requirements_of(theme)}) >= 3
    assert all(rows[requirement].is_tested for requirement in themes.requirements_of(theme))


@pytest.mark.parametrize("theme", ["commits", "aborts", "fencing", "recovery"])
def test_the_themes_of_every_transaction_stand_in_every_proposal_about_transactions(theme: str) -> None:
    """So a reader finds the commits, aborts, late requests and crashes of all proposals together."""
    about = {spec for spec in register.bundled().by_spec if spec != "pip460" and proposals.bundled().protocols_of(spec)}

    assert {register.bundled().spec_of(requirement) for requirement in themes.requirements_of(theme)} >= about


def test_the_themes_of_a_requirement_come_in_one_order() -> None:
    """That of the list, whatever the order of its tags."""
    assert themes.themes_in(("PIP1-01", "sealing", "MUST", "commits")) == ("commits", "sealing")
    assert themes.themes_of("PIP31-73") == ("commits", "aborts")
    assert themes.themes_of("NO_USERS-01") == ()


def test_an_unknown_theme_is_reported_with_the_nearest_there_is() -> None:
    """A misspelt one would select nothing."""
    with pytest.raises(UnknownName, match=r"unknown theme 'recovry'; did you mean recovery\?"):
        themes.requirements_of("recovry")
    with pytest.raises(UnknownName, match="unknown theme 'x'; known: commits, aborts, fencing, recovery, retention, sealing"):
        themes.check(["sealing", "x"])


def test_a_shell_completes_what_there_is() -> None:
    """It has the names by heart, since it may import nothing heavy."""
    assert complete_theme("") == sorted(THEMES)
    assert complete_theme("@Sea") == ["sealing"]
