"""Names of sessions that share a broker."""

import pytest

from fencepost.adapters.common import suffixes


def test_no_two_sessions_of_a_run_have_the_same_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the same digits are drawn again, as happens now and then with some hundreds of sessions."""
    drawn = iter(["aaaaaa", "aaaaaa", "bbbbbb"])
    monkeypatch.setattr(suffixes, "_given", set())
    monkeypatch.setattr(suffixes.secrets, "token_hex", lambda _: next(drawn))

    assert [suffixes.new_suffix(), suffixes.new_suffix()] == ["aaaaaa", "bbbbbb"]
