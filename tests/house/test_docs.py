"""Pages for readers: links lead somewhere, decision records can be read in half an hour, and the glossary has each word once."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from commands import CHECKOUT

PAGES = sorted(path for path in (*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")) if "findings" not in path.parts)
RECORDS = CHECKOUT / "docs" / "decisions"
_LINK = re.compile(r"\]\(([^)#\s]+)")
_HALF_AN_HOUR = 7_500
"""Words; a technical text is read at about 250 a minute."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_every_link_within_the_project_leads_to_a_file(page: Path) -> None:
    """Those to other sites are not looked at."""
    targets = [target for target in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_each_decision_record_has_a_number_a_date_and_what_else_was_considered() -> None:
    """The index names all of them, in order."""
    index = re.findall(r"^\| (\d+) \| \[(.+)]\((.+)\) \|", (RECORDS / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    records = sorted(RECORDS.glob("[0-9]*.md"))

    assert [name for _, _, name in index] == [record.name for record in records]
    for number, title, name in index:
        text = (RECORDS / name).read_text(encoding="utf-8")
        assert text.startswith(f"# {number}. {title}\n\n"), name
        assert re.match(r"(Accepted|Superseded by \d+), \d{4}-\d\d-\d\d", text.splitlines()[2]), name
        assert name.startswith(f"{int(number):04}-"), name


def test_the_decision_records_are_read_in_half_an_hour() -> None:
    """A newcomer reads all of them; one that grows long wants to be two, or a docstring."""
    words = {record.name: len(record.read_text(encoding="utf-8").split()) for record in RECORDS.glob("[0-9]*.md")}

    assert max(words.values()) <= 450, words
    assert sum(words.values()) <= _HALF_AN_HOUR


def test_the_glossary_has_each_word_once_and_in_order() -> None:
    """In each of its tables."""
    tables = (CHECKOUT / "docs" / "glossary.md").read_text(encoding="utf-8").split("|---|---|\n")[1:]
    terms = [re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE) for table in tables]
    terms = [[term for term in table if term != "term"] for table in terms]

    assert terms == [sorted(table) for table in terms]
    flat = [term for table in terms for term in table]
    assert len(flat) == len(set(flat)) >= 60


def test_the_pictures_of_the_docs_are_whole() -> None:
    """Each says in words what it shows."""
    for picture in CHECKOUT.glob("docs/*.svg"):
        root = ET.fromstring(picture.read_text(encoding="utf-8"))  # noqa: S314 - our own
        assert root.get("aria-label") or root.get("aria-labelledby"), picture
