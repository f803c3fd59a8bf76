"""The site in a browser: pages work from a disk, without an error, and request nothing from outside."""

import json
import re
from pathlib import Path

import pytest
from browser import CHROMIUM, opened
from compliance_files import write

from fencepost.contract import folder, register
from fencepost.contract.folder import FolderLayout
from fencepost.site import addresses, requirement_pages
from fencepost.site.builder import SiteOptions, build
from fencepost.site.page_writer import PageWriter

SPEC = "transaction_key"
ASKED = "TXKEY-05"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the path")

_WORKS = """
const link = frames[0].querySelector("#found a");
document.body.append("found " + (link && link.textContent), " at " + (link && link.getAttribute("href")));
const steps = [...frames[1].querySelectorAll(".steps a[aria-describedby]")];
const step = steps.find((one) => one.nextElementSibling === null);
step.focus();
step.dispatchEvent(new FocusEvent("focusin", {bubbles: true}));
document.body.append("; explained " + (step.nextElementSibling?.id === step.getAttribute("aria-describedby")));
const only = frames[2].getElementById("only");
only.click();
document.body.append("; only " + frames[2].body.className);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of one proposal with a run that has a red."""
    top = tmp_path_factory.mktemp("site")
    results = write(top / "ours", {ASKED: "violated", "TXKEY-02": "met"})
    build(SiteOptions((str(results),), top / "out", (SPEC,)))
    return top / "out"


def test_pages_show_no_error_request_nothing_and_work(site: Path, tmp_path: Path) -> None:
    """A search finds a requirement by its id, each step gets its meaning, and the matrix hides what is met everywhere."""
    requirement = addresses.requirement(ASKED)
    (red,) = site.glob("runs/*/txkey-05.html")
    (run,) = site.glob("runs/*/index.html")
    names = [requirement, "matrix.html", "reference/index.html", "docs/tutorial.html", "bugs.html", "releases/pulsar-5.0.html"]
    pages = [site / "index.html", *(site / name for name in names), red, run]
    first, *others = (page.as_uri() for page in pages)

    report = opened([f"{first}?q={ASKED}", *others], tmp_path, _WORKS)

    assert (report.console, report.outside) == ((), ())
    assert f"found {ASKED} " in report.words
    assert f"at {requirement}" in report.words
    assert "; explained true; only only" in report.words


_SEARCHES = """
const shown = (words) => {
  const field = frames[0].getElementById("q");
  field.value = words;
  field.dispatchEvent(new InputEvent("input"));
  return [...frames[0].querySelectorAll("#found a")].slice(0, 3).map((link) => link.textContent.split(" ")[0]).join(",");
};
document.body.append(JSON.parse(frames[0].getElementById("asked").textContent).map(shown).join(";") + ";");
"""
SEARCHES = {
    "zombie": {"KIP890-024"},
    "KIP890-060": {"KIP890-060"},
    "bumps epoch each transaction": {"KIP890-060"},
    "Uniquely identify transactions by bumping the producer epoch after every commit/abort marker.": {"KIP890-122"},
    "implicitly just add partitions to the transaction on the first produce request during a transaction.": {"KIP890-090"},
    "Overflow: Return epoch 0 and producer ID z for overflow in EndTxnResponse": {"KIP890-076"},
    "A similar event can occur if a delayed EndTxn marker comes through an a new transaction with the same epoch has started when the "
    "request is received.": {"KIP890-200"},
    "Pre KIP-890 part 2 old producers are fenced in the timeout case by bumping the epoch and writing abort markers.": {"KIP890-156"},
    "xyzzy": {""},
}
"""What is typed, and what must be among the first three that are found; most are sentences of KIP-890."""


def test_a_sentence_of_the_proposal_leads_to_its_requirement(tmp_path: Path) -> None:
    """Among the first three, in an index of every requirement; words that are nowhere find nothing."""
    writer = PageWriter(folder.claim(tmp_path / "out", FolderLayout("site", "--out", ("page.html",), ("assets",))), "")
    writer.entries += [requirement_pages.entry_of(row) for row in register.bundled().rows()]
    writer.assets("")
    writer.put(
        "page.html",
        '<body data-root=""><form><input id="q"></form><section id="found"></section>'
        f'<script type="application/json" id="asked">{json.dumps(list(SEARCHES))}</script><script src="assets/site.js"></script>',
    )

    report = opened([f"{(tmp_path / 'out/page.html').as_uri()}?q=a"], tmp_path, _SEARCHES)

    found = re.findall(r"([\w,-]*);", report.words.rpartition("</script>")[2])
    assert len(found) == len(SEARCHES), report
    missed = {asked: first for (asked, wanted), first in zip(SEARCHES.items(), found, strict=True) if not wanted <= set(first.split(","))}
    assert missed == {}


_WIDE = """
const wide = frames.filter((one) => one.scrollingElement.scrollWidth > 360).map((one) => one.location.pathname);
document.body.append("too wide: " + wide.join(" ") + ";");
"""


def test_pages_are_as_wide_as_a_phone(site: Path, tmp_path: Path) -> None:
    """At 360 px only tables, code and pictures scroll, each in a separate box."""
    folders = ("2026.12", "releases", "runs", "sentences", "reference")
    some = [next(iter(sorted((site / folder).rglob("*.html")))) for folder in folders]
    pages = [site / "index.html", site / "matrix.html", site / "bugs.html", site / addresses.requirement(ASKED), *some]
    pages += [site / "docs/tutorial.html", site / "docs/glossary.html", next(site.glob("runs/*/txkey-05.html"))]
    broad = tmp_path / "broad.html"
    broad.write_text('<p style="width: 500px">broad</p>', encoding="utf-8")

    found = opened([page.as_uri() for page in pages], tmp_path, _WIDE, width=360).words
    noticed = opened([broad.as_uri()], tmp_path, _WIDE, width=360).words

    assert "too wide: ;" in found
    assert "broad.html;" in noticed


def test_an_error_and_a_request_from_outside_are_noticed(tmp_path: Path) -> None:
    """A page that has both is reported with both."""
    page = tmp_path / "bad.html"
    page.write_text('<body><img src="http://outside.invalid/x.png"><script>nothing.there()</script>', encoding="utf-8")

    report = opened([page.as_uri()], tmp_path)

    assert report.outside == ("http://outside.invalid/x.png",)
    assert any("nothing is not defined" in message for message in report.console)
