"""Editions: which requirements count, and what is wrong with a file that cannot be one."""

from importlib import resources
from pathlib import Path

import pytest

from fencepost.contract import editions, register
from fencepost.contract.datafile import DataFileError
from fencepost.contract.editions import Counting, Edition, Editions
from fencepost.contract.errors import UnknownName

ROW = "- {{id: {0}, level: MUST, source: text, section: s, statement: s, check: c{1}}}\n"


@pytest.fixture
def features(tmp_path: Path) -> Path:
    """A proposal with two tested requirements and an excluded one, and a proposal without an edition."""
    for spec, rows in {
        "kip1": ROW.format("KIP1-01", "") + ROW.format("KIP1-02", "") + ROW.format("KIP1-03", ", excluded: unseen"),
        "kip2": ROW.format("KIP2-01", ""),
    }.items():
        (tmp_path / spec).mkdir()
        (tmp_path / spec / "requirements.yaml").write_text(rows, encoding="utf-8")
    (tmp_path / "kip1" / "editions").mkdir()
    return tmp_path


def read(features: Path, name: str, text: str) -> Editions:
    (features / "kip1" / "editions" / name).write_text(text, encoding="utf-8")
    return editions.read(features, register.read(features))


def provisional(features: Path, counting: Counting) -> list[str]:
    rows = register.read(features)
    return [row.id for row in rows.rows() if counting.is_provisional(row, rows.spec_of(row.id))]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "2026-12.yaml",
            "requirements:\n  - KIP1-01\n  - KIP1-99\n",
            r"2026-12.yaml:3: requirements.2: KIP1-99 is not a requirement of kip1",
        ),
        ("2026-12.yaml", "requirements:\n  - KIP2-01\n", r"expected an id of features/kip1/requirements.yaml: correct the id, or restore"),
        ("2026-12.yaml", "requirements:\n  - KIP1-01\n  - KIP1-01\n", r"2026-12.yaml:3: requirements.2: KIP1-01 appears twice; remove one"),
        ("2026-13.yaml", "requirements: []\n", r"2026-13.yaml: an edition is named by its year and month; expected a name such as"),
        ("2026-12.yaml", "ids: []\n", r"2026-12.yaml:1: ids: this key is not known here"),
    ],
)
def test_a_faulty_edition_is_refused(features: Path, name: str, text: str, message: str) -> None:
    """One line with the file, what is wrong, and the remedy."""
    with pytest.raises(DataFileError, match=message):
        read(features, name, text)


def test_a_tested_requirement_outside_of_the_edition_is_provisional(features: Path) -> None:
    """An excluded one is not, and of a proposal without an edition all are."""
    found = read(features, "2026-12.yaml", "requirements:\n  - KIP1-01\n")

    assert provisional(features, found.counting()) == ["KIP1-02", "KIP2-01"]
    assert provisional(features, found.counting(editions.NEXT)) == []


def test_the_newest_edition_counts_unless_an_older_one_is_named(features: Path) -> None:
    """An edition only ever adds to what its users can name, so an older verdict can be repeated."""
    read(features, "2026-12.yaml", "requirements:\n  - KIP1-01\n")
    found = read(features, "2027-06.yaml", "requirements:\n  - KIP1-01\n  - KIP1-02\n")

    assert provisional(features, found.counting()) == ["KIP2-01"]
    assert provisional(features, found.counting("2026.12")) == ["KIP1-02", "KIP2-01"]
    with pytest.raises(UnknownName, match=r"unknown edition '2026\.2'; did you mean 2026\.12\?"):
        found.counting("2026.2")


def test_proposals_are_cited_with_their_editions() -> None:
    """Each edition once, and a proposal without one says so."""
    found = Counting({"a": Edition("2026.12", ()), "b": Edition("2026.12", ()), "c": None})

    assert found.cited({"a": "KIP-1", "b": "KIP-2"}) == "KIP-1 and KIP-2 (Fencepost edition 2026.12)"
    assert found.cited({"a": "KIP-1", "c": "KIP-3"}) == "KIP-1 (Fencepost edition 2026.12); KIP-3 (no Fencepost edition yet)"
    assert Counting(found.by_spec, is_next=True).cited({"a": "KIP-1", "c": "KIP-3"}) == "KIP-1 and KIP-3 (next Fencepost edition)"
    assert editions.ALL_COUNT.cited({"a": "KIP-1"}) == "KIP-1"
    assert editions.listed(found.names("abc")) == "a 2026.12, b 2026.12, c none yet"
    assert editions.listed(found.names("ab")) == "2026.12"


def test_a_line_is_looked_for_only_where_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is read again for each, so that every command would take half a second longer."""

    def read_again(path: object, *_: object) -> int:
        raise AssertionError(f"{path} was read again, and nothing is wrong in it")

    monkeypatch.setattr(editions, "line_of", read_again)

    assert editions.read(resources.files("fencepost.features"), register.bundled()).by_spec == editions.bundled().by_spec
