"""`run --writers`: what the core's writers have in the reference of Pulsar in addition to a name."""

from pathlib import Path

from commands import fencepost, verdicts


def test_the_core_holds_for_writers_with_transaction_keys(tmp_path: Path) -> None:
    """They meet the requirements about fencing and about crashes as writers do that have a name alone."""
    asked = ("--spec", "core", "--theme", "fencing", "--theme", "recovery")

    fencepost("run", *asked, "--writers", "key", "--results", tmp_path, "--no-html", expect=0)

    found = verdicts(tmp_path)
    assert {"CORE-17", "CORE-18", "CORE-19"} <= found.keys()
    assert set(found.values()) == {"met"}


def test_writers_are_of_a_kind_that_there_is() -> None:
    """An unknown one, and keys where the profile has none, are wrong usage."""
    unknown = fencepost("run", "--spec", "core", "--writers", "keys", expect=2)
    without = fencepost("run", "--spec", "core", "--profile", "pulsar-4.0", "--writers", "key", expect=2)

    assert "unknown kind of writers 'keys'; did you mean key?" in unknown.err
    assert "--writers key: profile pulsar-4.0 has no transaction keys; seed has them" in without.err
