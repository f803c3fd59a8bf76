"""Data files: every fault is reported with file, line and key."""

from pathlib import Path

import pytest

from fencepost.contract.datafile import DataFileError, Row, line_of, load


class Broker(Row):
    """A row for these tests."""

    image: str
    ports: list[int]


GOOD = "- image: a\n  ports: [1, 2]\n- image: b\n  ports: []\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "brokers.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_is_read_as_values(tmp_path: Path) -> None:
    """What the file says is what the rows hold."""
    rows = load(written(tmp_path, GOOD), list[Broker])

    assert rows == [Broker(image="a", ports=[1, 2]), Broker(image="b", ports=[])]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (GOOD + "- image: c\n  prots: []\n", r"brokers.yaml:6: 3.prots: this key is not known here"),
        (GOOD + "- image: c\n", r"brokers.yaml:5: 3.ports: this key is missing"),
        (GOOD.replace("image: b", "image: 7"), r"brokers.yaml:3: 2.image: expected a valid string, given: 7"),
        (GOOD.replace("ports: []", "ports:\n    - one"), r"brokers.yaml:5: 2.ports.1: expected a valid integer, given: 'one'"),
        (GOOD + "  ports: [3]\n", r"brokers.yaml:5: ports: this key appears twice in one mapping"),
        ("- image: [\n", r"brokers.yaml:2: not YAML"),
        ("image: a\n", r"brokers.yaml:1: the file: expected a valid list"),
        ("", r"brokers.yaml:1: the file: expected a valid list, given: nothing"),
    ],
)
def test_a_fault_is_reported_with_file_line_and_key(tmp_path: Path, text: str, reported: str) -> None:
    """The error leads to the place."""
    with pytest.raises(DataFileError, match=reported):
        load(written(tmp_path, text), list[Broker])


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    """The path is in the error."""
    with pytest.raises(DataFileError, match=r"nowhere\.yaml: cannot be read"):
        load(tmp_path / "nowhere.yaml", list[Broker])


def test_a_file_that_is_not_text_is_reported(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are an error of the file, not of the kit."""
    path = tmp_path / "brokers.yaml"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(DataFileError, match="cannot be read as UTF-8, because of the byte 0xff at offset 0"):
        load(path, list[Broker])


def _nine_of_nine() -> str:
    """Nine lists, each of nine times the one before."""
    lines = ["- &a0 [x, x, x, x, x, x, x, x, x]"]
    return "\n".join([*lines, *(f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))])


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (_nine_of_nine(), r"brokers.yaml: its aliases \(\*name\) make \d{8,} values of the \d+ that stand there"),
        ("- &a [*a]\n", r"brokers.yaml:1: an alias \(\*name\) stands within what it stands for; write it out"),
        ("[" * 20_000 + "]" * 20_000, r"brokers.yaml:1: 1: expected a valid dictionary|nested too deeply"),
    ],
)
def test_a_file_that_would_grow_is_refused(tmp_path: Path, text: str, reported: str) -> None:
    """Before its values are made: nine lists of nine were four gigabytes."""
    with pytest.raises(DataFileError, match=reported):
        load(written(tmp_path, text), list[Broker])


def test_a_few_aliases_are_no_growth(tmp_path: Path) -> None:
    """A value that is written once may be referenced by an alias."""
    rows = load(written(tmp_path, "- image: a\n  ports: &ports [1, 2]\n- image: b\n  ports: *ports\n"), list[Broker])

    assert rows[1].ports == [1, 2]


def test_each_row_that_is_wrong_is_reported(tmp_path: Path) -> None:
    """All wrong rows are reported at once, each with its first fault."""
    with pytest.raises(DataFileError, match=r":1: 1.ports: this key is missing; \S+:4: 3.prots: this key is not known"):
        load(written(tmp_path, "- image: a\n- image: b\n  ports: []\n- prots: []\n"), list[Broker])


def test_what_a_file_of_another_kind_holds_is_not_shown(tmp_path: Path) -> None:
    """Every text is YAML, also a secret that must not appear in a log."""
    with pytest.raises(DataFileError, match=r"the file: expected a valid list, given: a text$"):
        load(written(tmp_path, "root:x:0:0:root\nsecret\n"), list[Broker])


def test_a_line_can_be_asked_for(tmp_path: Path) -> None:
    """Errors that show only when files are compared lead to the place too."""
    path = written(tmp_path, GOOD)

    assert (line_of(path, 1, "image"), line_of(path, 0)) == (3, 1)
