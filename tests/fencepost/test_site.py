"""The site: every page and link is there, nothing of results becomes markup, and no folder of others is touched."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote

import pytest
from commands import fencepost
from compliance_files import reported, system, write
from html_pages import Page
from pygments.styles import get_style_by_name
from pygments.token import Token

from fencepost.contract import history_files, register
from fencepost.contract.errors import WrongUsage
from fencepost.site import addresses
from fencepost.site.book import DARK, LIGHT, Book
from fencepost.site.builder import SiteOptions, build
from fencepost.site.requirement_pages import entry_of
from fencepost.site.run_columns import RunColumns

EVIL = "<script>alert(1)</script>\"'&" + "x" * 300
SPEC = "transaction_key"
RED, CUT, GREEN = "TXKEY-05", "TXKEY-01", "TXKEY-02"
SCENARIO = "[1] A transaction without participants (pulsar)"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results folders: of a system with an evil name whose run did not finish, of another version of the kit, of a later run of the same
    system, and one that cannot be read.
    """
    top = tmp_path_factory.mktemp("named")
    violation = {"what": EVIL, "expected": EVIL, "seen": EVIL, "error": None, "code": None}
    rows = reported({RED: "violated", CUT: "inconclusive", GREEN: "met"})["requirements"]
    for row in rows:
        row |= {"reason": EVIL, "scenarios": [row["scenarios"][0] | {"name": SCENARIO, "violation": violation}]}
    ours = write(top / "ours", {}, system=system("1", EVIL), complete=False, stopped=EVIL, requirements=rows)
    (ours / "history").mkdir()
    event: Any = {"client": EVIL, "node": EVIL, "op_id": 0, "api": EVIL, "type": "invoke", "error": None, "mops": [], "ctl": {}}
    whole = history_files.packed([event, event | {"type": "ok"}])
    (ours / "history" / history_files.name_of(f"{RED}-{SCENARIO}")).write_bytes(whole)
    (ours / "history" / history_files.name_of(f"{CUT}-{SCENARIO}")).write_bytes(whole[: len(whole) // 2])
    write(top / "other", {GREEN: "met", "KIP999-01": "met"}, fencepost="0.0.1")
    write(top / "later", {GREEN: "violated", RED: "met"}, started="2026-11-21T03:00:00+00:00")
    (top / "broken").mkdir()
    (top / "broken" / "compliance.json").write_text("{", encoding="utf-8")
    return top


@pytest.fixture(scope="module")
def site(named: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of one proposal with these results."""
    out = tmp_path_factory.mktemp("site") / "out"
    assert build(SiteOptions((str(named / "ours"), str(named / "other"), str(named / "later"), str(named / "broken")), out, (SPEC,))) == 0
    return out


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """All pages by their addresses."""
    return {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def broken(pages: dict[str, Page], site: Path) -> Iterator[str]:
    """Links that lead nowhere, and what is loaded and is not there."""
    for address, page in pages.items():
        for link in [*page.links, *page.loads]:
            if link.startswith(("https://", "http://", "data:,")):
                continue
            path, _, anchor = link.partition("#")
            target = normpath(join(dirname(address), unquote(path))) if path else address
            if not (site / target).is_file() or target.startswith(".."):
                yield f"{address}: {link}"
            elif anchor and target in pages and anchor not in pages[target].ids:
                yield f"{address}: {link} (no such anchor)"


def test_every_link_leads_to_something(pages: dict[str, Page], site: Path) -> None:
    """A page of the site, an anchor in it, or an address outside."""
    assert sum(len(page.links) for page in pages.values()) > 2000
    assert list(broken(pages, site)) == []


def test_the_link_checker_finds_what_is_broken(tmp_path: Path) -> None:
    """A page that is not there, an anchor that is not there, a script that is not there, and a way out of the site."""
    bad = Page(
        '<a href="gone.html"></a><a href="#gone"></a><script src="gone.js"></script><a href="../up.html"></a><a href="a.html#b"></a>'
    )
    for name in ("a.html", "x.html"):
        (tmp_path / name).write_text("", encoding="utf-8")

    found = list(broken({"x.html": bad, "a.html": Page("<b id=b></b>")}, tmp_path))

    assert found == ["x.html: gone.html", "x.html: #gone (no such anchor)", "x.html: ../up.html", "x.html: gone.js"]


def test_no_page_asks_for_anything_from_outside(pages: dict[str, Page], site: Path) -> None:
    """Only a link that a reader follows leads there."""
    assert [load for page in pages.values() for load in page.loads if load.startswith(("http", "//"))] == []
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert not any(re.search(r"url\(|@import", style) for style in styles)
    assert not re.search(r"fetch\(|XMLHttpRequest|https?:", (site / "assets/site.js").read_text(encoding="utf-8"))


def test_every_page_can_be_read_by_every_user(pages: dict[str, Page]) -> None:
    """One heading of the first rank, a main part, ids that are there once, and explanations that belong to something."""
    wrong = {
        address: reported
        for address, page in pages.items()
        if (
            reported := [
                *(
                    f"{page.tags[tag]} {tag}"
                    for tag in ("h1", "main", "title", "nav")
                    if page.tags[tag] < 1 or (tag == "main" and page.tags[tag] > 1)
                ),
                *(f"id {name} twice" for name, count in Counter(page.ids).items() if count > 1),
                *(f"no {name}" for name in page.described if name not in page.ids),
            ]
        )
    }

    assert wrong == {}


@pytest.mark.parametrize("row", register.bundled().by_spec[SPEC], ids=lambda row: row.id)
def test_each_requirement_has_a_page_with_all_that_stands_for_it(row: Any, site: Path) -> None:
    """At its stable address: statement, scenarios, picture, the branch that names it, and a verdict for each run."""
    text = (site / addresses.edition_of(SPEC) / SPEC / f"{row.id.rpartition('-')[2]}.html").read_text(encoding="utf-8")

    assert 'class="fpq"' in text
    assert re.search(rf'rule\(.*<a href="../../{addresses.requirement(row.id)}">{row.id}</a>', text)
    assert text.count('role="tooltip"') >= 3
    assert 'id="defects"' in text
    assert text.count('<span class="v ') >= 2


def test_each_decision_of_the_book_leads_to_its_requirement_and_back(site: Path) -> None:
    """A line that names a requirement links to its page, which links to that very line; and every requirement is decided somewhere."""
    rows = register.bundled()
    decided: set[str] = set()
    for module in (one for chapter in Book(rows, [row.id for row in rows.by_spec[SPEC]], whole=False).chapters for one in chapter.modules):
        lines = dict(
            re.findall(r'<span id="L(\d+)">(.*?)\n</span>', (site / addresses.module(module.file)).read_text(encoding="utf-8"), re.S)
        )
        for number, line in enumerate(module.text.split("\n"), 1):
            for requirement in re.findall(r'"(TXKEY-\d+)"', line):
                there = (site / addresses.requirement(requirement)).read_text(encoding="utf-8")
                assert f'/{requirement.rpartition("-")[2]}.html">{requirement}</a>' in lines[str(number)]
                assert f'href="../../{addresses.module(module.file)}#L{number}"' in there
                decided.add(requirement)

    assert decided == {row.id for row in rows.by_spec[SPEC] if row.is_tested}


def test_zombie_finds_the_requirement_about_zombies() -> None:
    """A search looks at statements, at what they prevent, and at the titles of scenarios."""
    found = entry_of(register.bundled()["KIP890-024"])

    assert "zombie" in f"{found.title} {found.text}".lower()


def test_the_index_of_the_search_has_every_requirement_and_no_markup(site: Path) -> None:
    """It is a script, since a page that was opened from a disk may fetch nothing."""
    text = (site / "assets/index.js").read_text(encoding="utf-8")

    rows = json.loads(text.removeprefix("window.fencepostIndex = ").rstrip(";\n"))
    assert {row.id for row in register.bundled().by_spec[SPEC]} <= {title.partition(" ")[0] for title, *_ in rows}
    assert all((site / address).is_file() for _, address, *_ in rows)
    assert "<" not in text


def test_nothing_of_results_becomes_markup(site: Path) -> None:
    """Names, reasons and what was seen come from a system and may be any text; addresses are short."""
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}

    assert sum("&lt;script&gt;alert(1)" in text for text in texts.values()) > 3
    assert not any("<script>alert" in text for text in texts.values())
    assert max(len(path.name) for path in site.rglob("*")) < 100


def test_an_exploration_is_on_the_pages_of_what_it_asked(tmp_path: Path) -> None:
    """With how far it went; one that cannot be read is named on the first page."""
    entry = {
        "spec": SPEC,
        "protocol": "pulsar",
        "system": EVIL,
        "version": "1",
        "against": None,
        "bounds": "every sequence of at most 2 acts",
    }
    entry |= {"whole": True, "acts": 9, "acts_never_fired": ["x"], "sequences": 7, "asked": {RED: 3}, "finding": None}
    for name, text in (("explored", json.dumps({"explored": [entry]})), ("cut", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "explored.json").write_text(text, encoding="utf-8")
    out = tmp_path / "out"

    build(SiteOptions((str(tmp_path / "explored"), str(tmp_path / "cut")), out, (SPEC,)))

    asked, other, proposal = ((out / addresses.requirement(one)) for one in (RED, GREEN, RED))
    assert "7 sequences; nothing was found. 3 of them test this requirement." in asked.read_text(encoding="utf-8")
    assert 'id="exploration"' not in other.read_text(encoding="utf-8")
    assert "8 of 9 acts were played, and 1 requirement was tested." in (proposal.parent / "index.html").read_text(encoding="utf-8")
    assert "is no exploration that has ended" in (out / "index.html").read_text(encoding="utf-8")


def test_a_run_that_did_not_finish_and_one_of_another_version_say_so(site: Path) -> None:
    """And what cannot be read is named on the first page."""
    (ours,) = (path.read_text(encoding="utf-8") for path in site.glob("runs/*/index.html") if "kafka" not in path.parent.name)
    other = (site / "runs/kafka-4.3.1-other/index.html").read_text(encoding="utf-8")

    assert "This run was not finished" in ours
    assert "made by another version of Fencepost: 1 of its requirements" in other
    assert "broken" in (site / "index.html").read_text(encoding="utf-8").partition("What is not in this site")[2]


@pytest.mark.parametrize(
    ("verdicts", "words", "worst"),
    [
        ({GREEN: "met", RED: "known_deviation"}, "1 of 2 met", "known_deviation"),
        ({GREEN: "met", RED: "violated", CUT: "known_deviation"}, "1 of 3 met", "violated"),
        ({GREEN: "met", RED: "not_offered", CUT: "not_run"}, "1 of 1 met", "met"),
        ({RED: "excluded"}, "not tested", None),
    ],
)
def test_the_first_page_has_the_colour_of_the_worst_verdict(
    verdicts: dict[str, str], words: str, worst: str | None, tmp_path: Path
) -> None:
    """A release with known deviations conforms, and is not shown as one that violates something."""
    (column,) = RunColumns.of([str(write(tmp_path / "run", verdicts))]).all

    tally = column.tally(list(verdicts))

    assert (tally.words, tally.worst) == (words, worst)


def test_the_page_of_a_run_says_what_changed_since_the_run_before(site: Path) -> None:
    """The run before is of the same system; a first run has nothing to compare."""
    (later,) = site.glob("runs/kafka-4.3.1-later/index.html")
    (first,) = site.glob("runs/kafka-4.3.1-other/index.html")

    text = later.read_text(encoding="utf-8").partition("What changed since")[2]
    assert "1 changed, 1 newly red, 0 the same. The version of Fencepost was 0.0.1, and is 0.1.0." in text
    assert re.search(rf"{GREEN}</a> <span class=.v met.>met</span>, now <span class=.v violated.>violated", text)
    assert f"Only this run tested {RED}" in text
    assert "What changed since" not in first.read_text(encoding="utf-8")


def test_runs_of_one_system_have_different_names(site: Path) -> None:
    """By their results; a system with one run has no such addition."""
    home = (site / "index.html").read_text(encoding="utf-8")

    assert re.findall(r'<a href="runs/kafka[^"]*">([^<]*)</a>', home) == ["kafka 4.3.1 (other)", "kafka 4.3.1 (later)"]
    assert "(ours)" not in home


def test_a_red_has_its_picture_and_a_history_that_is_cut_off_says_so(site: Path) -> None:
    """The page shows what was expected next to what was seen."""
    (red,) = site.glob(f"runs/*/{addresses.slug(RED)}.html")
    (cut,) = site.glob(f"runs/*/{addresses.slug(CUT)}.html")

    assert re.search(r"<svg .*>decisive<.*>expected: .*>seen: ", red.read_text(encoding="utf-8"), re.S)
    assert "it is cut off here" in cut.read_text(encoding="utf-8")


def test_a_site_is_made_again_without_what_was_there(site: Path, tmp_path: Path) -> None:
    """Pages that are gone go; without results it is the specification alone, and says so."""
    out = Path(shutil.copytree(site, tmp_path / "out"))

    build(SiteOptions((), out, (SPEC,)))

    assert not (out / "runs").exists()
    assert not (out / "matrix.html").exists()
    home = (out / "index.html").read_text(encoding="utf-8")
    assert "nisshi" not in home, "it was never judged"
    assert "this is the specification alone, and this table shows no run" in home
    assert '<a href="releases/kafka-4.0.html">Apache Kafka 4.0</a> <span class="quiet">no date kept</span>' in home
    assert re.search(r'<a href="releases/pulsar-5.0.html">Apache Pulsar 5.0</a>.*<td><span class="quiet">not tested', home)


def test_the_command_says_in_a_line_why_it_does_nothing(tmp_path: Path) -> None:
    """A folder that another tool made is the user's mistake."""
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")

    refused = fencepost("site", "--spec", SPEC, "--out", tmp_path, expect=2)

    assert "this folder is not empty, and fencepost did not make it" in refused.err


@pytest.mark.parametrize("name", ["index.html", "notes.txt", ".git"])
def test_a_folder_of_others_is_refused_and_stays(tmp_path: Path, name: str) -> None:
    """Whatever is in it, since the whole folder is published."""
    (tmp_path / name).write_text("mine", encoding="utf-8")

    with pytest.raises(WrongUsage, match=re.escape(str(tmp_path))):
        build(SiteOptions((), tmp_path, (SPEC,)))

    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [(name, "mine")]


@pytest.mark.parametrize(
    ("named", "reported"),
    [(("nowhere",), "does not exist"), (("broken",), "no results of a run can be read"), ((), "")],
    ids=["missing", "unreadable", "none"],
)
def test_results_that_are_nothing_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...], reported: str
) -> None:
    """Where none are named, that is no mistake."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "compliance.json").write_text("[]", encoding="utf-8")

    if not reported:
        assert RunColumns.of(named).all == ()
        return
    with pytest.raises(WrongUsage, match=reported):
        RunColumns.of(named)


def test_two_runs_of_one_name_have_addresses_of_their_own(tmp_path: Path) -> None:
    """Whatever the names of their systems."""
    folders = [write(tmp_path / name, {GREEN: "met"}, system=system("1", EVIL)) for name in ("a", "b")]

    columns = RunColumns.of([str(folder) for folder in folders])

    assert len({column.address for column in columns.all}) == 2


def luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As WCAG 2 has it, from 1 to 21."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


SITE_PAIRS = [(text, back) for text in ("text", "quiet", "link") for back in ("page", "band")]
SITE_PAIRS += [(name, f"{name}-band") for name in ("good", "bad", "odd")]
PICTURE_PAIRS = [(text, back) for text in "fqagr" for back in "pb"] + [(text, "m") for text in "fagr"] + [("p", "r")]


@pytest.mark.parametrize("pair", [*SITE_PAIRS, *PICTURE_PAIRS], ids="-on-".join)
def test_words_stand_out_from_their_background(pair: tuple[str, str], site: Path) -> None:
    """At least 4.5 to 1 on light and on dark pages, which is AA; the pictures have their own colours."""
    style = (site / "assets/site.css").read_text(encoding="utf-8")
    schemes = [
        {name: value if len(value) == 7 else "#" + "".join(letter * 2 for letter in value[1:]) for name, value in found}
        for block in re.findall(r"\{([^{}]*--[^{}]*)\}", style)
        if (found := re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block)) and pair[0] in dict(found)
    ]

    assert len(schemes) >= 2
    assert [
        round(contrast(scheme[pair[0]], scheme[pair[1]]), 1) for scheme in schemes if contrast(scheme[pair[0]], scheme[pair[1]]) < 4.5
    ] == []


@pytest.mark.parametrize(("style", "scheme"), [(LIGHT, 0), (DARK, 1)], ids=["light", "dark"])
def test_code_stands_out_from_its_background(style: str, scheme: int, site: Path) -> None:
    """Likewise, each kind of token that Python's code has."""
    band = re.findall(r"--band: (#[0-9a-f]{6})", (site / "assets/site.css").read_text(encoding="utf-8"))[scheme]
    kinds = [(kind, reported["color"]) for kind, reported in get_style_by_name(style) if reported["color"] and kind not in Token.Generic]

    assert len(kinds) > 10
    assert [str(kind) for kind, colour in kinds if kind is not Token.Error and contrast(f"#{colour}", band) < 4.5] == []
