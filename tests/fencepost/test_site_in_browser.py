"""The site in a browser: pages work from a disk, without an error, and request nothing from outside."""

from pathlib import Path

import pytest
from browser import CHROMIUM, opened
from compliance_files import write

from fencepost.site import addresses
from fencepost.site.builder import Options, build

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
    build(Options((str(results),), top / "out", (SPEC,)))
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
