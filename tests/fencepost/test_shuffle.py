"""`--shuffle`: another order of the scenarios, and no other verdict."""

import re
from pathlib import Path

from commands import fencepost, verdicts

ASKED = ("run", "--no-html", "-v", "--only", "CORE-0*,KIP890-06*")


def order_of(folder: Path, *arguments: object) -> list[str]:
    """The scenarios of a run in the order in which they are reported."""
    return re.findall(r"^  \+ (.*): met", fencepost(*ASKED, "--results", folder, *arguments, expect=0).out, re.M)


def test_another_order_gives_the_same_verdicts_and_the_same_number_the_same_order(tmp_path: Path) -> None:
    """A user who sees a verdict depend on the order can ask in that order again."""
    plain = order_of(tmp_path / "plain")
    first = order_of(tmp_path / "first", "--shuffle", 7)
    again = order_of(tmp_path / "again", "--shuffle", 7)

    assert first == again != plain
    assert sorted(first) == sorted(plain)
    assert verdicts(tmp_path / "first") == verdicts(tmp_path / "plain")
