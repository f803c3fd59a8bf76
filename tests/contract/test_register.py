"""The register: ids, exclusions, and the bundled rows."""

from pathlib import Path

import pytest

from fencepost.contract import register
from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import UnknownName
from fencepost.contract.register import Register

ROW = """- id: {id}
  level: {level}
  source: text
  section: Somewhere
  statement: Something holds.
  check: Look there.
"""


def register_of(folder: Path, text: str) -> Register:
    (folder / "kip1").mkdir()
    (folder / "kip1" / "requirements.yaml").write_text(text, encoding="utf-8")
    return register.read(folder)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (ROW.format(id="kip-1", level="MUST"), r"requirements.yaml:1: 1.id: must be a proposal and two or three digits.*given: 'kip-1'"),
        (
            ROW.format(id="KIP1-01", level="SHALL"),
            r"requirements.yaml:2: 1.level: expected 'MUST', 'SHOULD' or 'MAY', given: 'SHALL'",
        ),
        (ROW.format(id="KIP1-01", level="MUST") * 2, r"requirements.yaml:7: id: KIP1-01 appears twice"),
        (ROW.format(id="KIP1-01", level="MUST") + "  planned: true\n  excluded: unseen\n", r"KIP1-01 is both planned and excluded"),
        (ROW.format(id="KIP1-01", level="MUST") + "  planed: true\n", r"requirements.yaml:7: 1.planed: this key is not known here"),
    ],
)
def test_a_faulty_register_is_refused(tmp_path: Path, text: str, reported: str) -> None:
    """An error leads to the row and the key."""
    with pytest.raises(DataFileError, match=reported):
        register_of(tmp_path, text)


def test_a_row_is_tested_unless_it_says_otherwise(tmp_path: Path) -> None:
    """Planned and excluded rows are not tested."""
    rows = register_of(
        tmp_path,
        ROW.format(id="KIP1-01", level="MUST")
        + ROW.format(id="KIP1-02", level="MAY")
        + "  planned: true\n"
        + ROW.format(id="KIP1-03", level="MAY")
        + "  excluded: cannot be seen from outside\n",
    )

    assert [row.is_tested for row in rows.rows()] == [True, False, False]


def test_an_unknown_name_is_reported_with_the_nearest(tmp_path: Path) -> None:
    """A misspelt id or proposal leads to the right one."""
    rows = register_of(tmp_path, ROW.format(id="KIP1-01", level="MUST"))

    with pytest.raises(UnknownName, match=r"unknown requirement 'KIP1-1'; did you mean KIP1-01\?"):
        rows["KIP1-1"]
    with pytest.raises(UnknownName, match=r"unknown proposal 'kip'; did you mean kip1\?"):
        rows.rows(["kip"])
    with pytest.raises(UnknownName, match="known: kip1"):
        rows.rows(["zzzz"])


def test_the_bundled_register_has_the_first_slice() -> None:
    """The rows that the first slice tests, and the others as planned."""
    rows = register.bundled().rows(["kip890"])
    tested = {int(row.id.removeprefix("KIP890-")) for row in rows if row.is_tested}
    ends, appends, rest = (
        {60, 61, 63, 64, 67, 69, 70, 71, 72},
        {90, 95, 96, 97, 100, 102},
        {18, 24, 126, 137, 138, 141, 142, 94, 156, 157, 160},
    )

    assert tested >= ends | appends | rest
    assert len(rows) >= 167
