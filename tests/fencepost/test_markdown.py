"""What a broker answers stays text in a summary, whatever it is, and a summary stays within its limit."""

from html.parser import HTMLParser
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fencepost.results.markdown import MarkdownPage, text

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = st.text('|\\`*_[]()<>&#~$!{}@:-=.+"/ \n\t\x00\x1b1aé\u202e', max_size=40) | st.text(max_size=40)


class Cells(HTMLParser):
    """The cells of a page's tables as a browser shows them, and every element that is not of a table."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.others: list[str] = []
        self.feed(READER.render(markdown))

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag in ("td", "th"):
            self.cells.append("")
        elif tag not in ("table", "thead", "tbody", "tr"):
            self.others.append(tag)

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data.rstrip("\n")


@given(HOSTILE, HOSTILE)
def test_a_text_in_a_cell_reads_as_it_was_sent_and_makes_nothing(one: str, other: str) -> None:
    """The table keeps its cells, nothing in them is a link, an emphasis or HTML, and only white space is made one space."""
    page = MarkdownPage(1 << 20)
    page.table(("one", "other"), [(text(one, 4_000), text(other, 4_000))], "elsewhere")

    seen = Cells(str(page))

    assert seen.others == []
    assert seen.cells == ["one", "other", *(_visible(said) for said in (one, other))]


@pytest.mark.parametrize(
    ("said", "markdown"),
    [
        ("a|b", r"a\|b"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("NOT_COORDINATOR", "NOT_COORDINATOR"),
        ("two\r\nlines", "two lines"),
        ("\x1b[31mred", r"\\u001b\[31mred"),
        ("https://example.org", "https&#58;//example.org"),
        ("@everyone", "@<!-- -->everyone"),
        ("x" * 30, "xxxxxxxxxx … (20 more characters)"),
    ],
)
def test_what_is_written(said: str, markdown: str) -> None:
    """Names of errors stay as they are, so that the page can be read as a file, too."""
    assert text(said, 10 if said.startswith("xx") else 300) == markdown


@given(st.integers(150, 3_000), st.integers(0, 60))
def test_a_page_is_never_larger_than_its_limit_and_reports_what_it_left_out(limit: int, rows: int) -> None:
    """In bytes; of each row all or nothing is there."""
    page = MarkdownPage(limit)
    page.table(("id", "said"), [(f"row {number}", "é" * 20) for number in range(rows)], "in the file")
    page.folded("more", [f"line {number}" for number in range(rows)], "in the file")

    written = str(page)

    assert len(written.encode()) <= limit
    shown = written.count("| row ")
    assert all(line.endswith(" |") for line in written.splitlines() if line.startswith("| row"))
    if 0 < shown < rows:
        assert f"\n{rows - shown} more in the file\n" in written
    assert written.count("<details>") == written.count("</details>")


def _visible(said: str) -> str:
    """What a reader must see of it: what has no picture, or turns others round, is shown as its number."""
    line = " ".join(said.split())
    return "".join(f"\\u{ord(letter):04x}" if category(letter) in ("Cc", "Cf", "Cs") else letter for letter in line)
