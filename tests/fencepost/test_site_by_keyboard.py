"""A reader without a pointer reaches everything on the site, and nothing moves while a page loads."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM
from browser_keys import Reader, reader
from compliance_files import write

from fencepost.site import addresses
from fencepost.site.builder import SiteOptions, build

SPEC = "transaction_key"
RED = "TXKEY-05"
MOST_KEYS = 200
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the path")

_SHIFTS = """
window.shifts = [];
const note = (list) => window.shifts.push(...list.getEntries().map((one) => one.value));
new PerformanceObserver(note).observe({type: "layout-shift", buffered: true});
window.until = (what) => new Promise((done) => {
  const look = () => (what() ? done(true) : requestAnimationFrame(look));
  look();
});
"""
_AT = """
(() => {
  const at = document.activeElement;
  const meaning = at.matches(".steps a[aria-describedby]") && document.getElementById(at.getAttribute("aria-describedby"));
  return {
    tag: at.tagName, id: at.id, words: at.textContent.trim(), isStep: at.matches(".steps a"), inResults: Boolean(at.closest("#found")),
    isSeen: getComputedStyle(at).outlineStyle !== "none",
    explains: Boolean(meaning && getComputedStyle(meaning).display !== "none" && meaning.textContent.trim()),
  };
})()
"""
_SCROLLED = """
(async () => {
  for (let top = 0; top < Math.min(document.body.scrollHeight, 8000); top += 700) {
    scrollTo(0, top);
    await new Promise((done) => requestAnimationFrame(done));
  }
  return window.shifts;
})()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of one proposal with a run that has a red."""
    top = tmp_path_factory.mktemp("site")
    build(SiteOptions((str(write(top / "ours", {RED: "violated", "TXKEY-02": "met"})),), top / "out", (SPEC,)))
    return top / "out"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """A browser with one tab."""
    with reader(tmp_path_factory.mktemp("browser"), _SHIFTS) as one:
        yield one


def walked(tab: Reader, keys: int = MOST_KEYS) -> Iterator[dict[str, object]]:
    """What has the focus after each press of the Tab key."""
    for _ in range(keys):
        tab.press("Tab")
        yield tab.run(_AT)


def test_the_keyboard_reaches_the_search_and_what_it_finds(site: Path, tab: Reader) -> None:
    """The way to the content comes first, then menu, field and results; Escape puts them away, and Enter opens one."""
    tab.open((site / "index.html").as_uri())
    before = [at["words"] for at in walked(tab, 7)]
    field = next(walked(tab, 1))
    tab.write(RED)
    tab.run("until(() => document.querySelector('#found a'))")
    result = next(walked(tab, 1))

    tab.press("Escape")
    put_away = tab.run("document.getElementById('found').hidden && document.activeElement.id === 'q'")
    tab.write(RED)
    next(walked(tab, 1))
    tab.press("Enter")
    tab.until_loaded()

    assert before[:2] == ["Skip to the content", "Fencepost"]
    assert before[2:] == ["Requirements", "Releases", "Reference", "Sentences", "Documentation"]
    assert field["id"] == "q"
    assert result["inResults"]
    assert str(result["words"]).startswith(RED)
    assert put_away
    assert str(tab.run("location.pathname")).endswith(addresses.requirement(RED))


def test_the_keyboard_reaches_each_step_and_shows_its_meaning(site: Path, tab: Reader) -> None:
    """Until Escape puts it away; whatever has the focus is outlined, folded parts and code included."""
    tab.open((site / addresses.requirement(RED)).as_uri())
    steps = tab.run("[...document.querySelectorAll('.steps a')].filter((one) => one.checkVisibility()).length")

    reached: list[dict[str, object]] = []
    for at in walked(tab):
        reached.append(at)
        if at["tag"] == "BODY" or len([one for one in reached if one["tag"] == "CODE" or one["tag"] == "PRE"]) > 1:
            break
    on_steps = [one for one in reached if one["isStep"]]
    assert len(on_steps) == steps >= 3
    assert [one["words"] for one in on_steps if not one["explains"]] == []
    assert [one for one in reached if not one["isSeen"] and one["tag"] != "BODY"] == []
    assert {"SUMMARY", "FIGURE", "PRE"} <= {one["tag"] for one in reached}

    tab.run("document.querySelector('.steps a').focus()")
    assert tab.run(_AT)["explains"]
    tab.press("Escape")
    assert not tab.run(_AT)["explains"]


@pytest.mark.parametrize("width", [1000, 360])
def test_nothing_moves_while_a_page_loads_and_scrolls(site: Path, tab: Reader, width: int) -> None:
    """On each kind of page, also where the address has a search."""
    kinds = ["index.html", addresses.requirement(RED), addresses.proposal(SPEC), "matrix.html", "releases/pulsar-5.0.html", "bugs.html"]
    kinds += ["reference/index.html", "docs/tutorial.html", "sentences/index.html"]
    kinds += [path.relative_to(site).as_posix() for path in sorted(site.glob("runs/*/*.html"))]

    moved = {}
    for address in [*kinds, "index.html?q=zombie"]:
        tab.open(f"{site.as_uri()}/{address}", width)
        if shifts := tab.run(_SCROLLED):
            moved[address] = shifts

    assert moved == {}


def test_what_moves_is_noticed(tmp_path: Path, tab: Reader) -> None:
    """A box that comes after the page was drawn moves what is below it."""
    page = tmp_path / "moves.html"
    late = "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => { late.style.height = '300px'; })))"
    page.write_text(
        f"<!doctype html><div id=late></div><p>words</p><script>addEventListener('load', () => {late})</script>", encoding="utf-8"
    )

    tab.open(page.as_uri())
    tab.run("until(() => window.shifts.length)")

    assert tab.run("window.shifts")[0] > 0
