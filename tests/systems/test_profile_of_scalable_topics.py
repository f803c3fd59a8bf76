"""The profile of 5.0.0-M1: it imitates a release, so each of its deviations from the proposals is known, and shows."""

from pathlib import Path

from commands import fencepost, verdicts


def test_the_profile_shows_what_is_known_of_its_release_and_nothing_else(tmp_path: Path) -> None:
    """Sealing and metadata-driven transactions: no red, no entry that is out of date, and not everything met."""
    fencepost("run", "--spec", "pip460", "--spec", "pip471", "--profile", "pulsar-5.0", "--no-html", "--results", tmp_path, expect=0)

    assert {"met", "known_deviation"} <= set(verdicts(tmp_path).values()) <= {"met", "known_deviation", "not_offered", "excluded"}
