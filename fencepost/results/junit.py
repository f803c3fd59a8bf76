"""junit.xml: pytest writes it, and this module gives its test cases the names by which people and their tools know a scenario.

A test case is named `KIP890-005 [1] A commit at transaction.version 1`, with the class `kip890.ending`: the proposal and the feature file.
The file has nothing that depends on the machine. If a run did not finish, an extra test case reports that, so that no reader takes the file
for a whole run. The file is replaced in one step: it is valid at every moment.
"""

import tempfile
from collections.abc import Generator
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from fencepost.contract import disk_reserve, editions

from .results_folder import JUNIT
from .run_results import Results

SUITE = "fencepost"


class Junit:
    """The part of the plugin that gives junit.xml its names, when pytest has written it."""

    def __init__(self, config: pytest.Config, results: Results) -> None:
        self.results = results
        self.own_folder: tempfile.TemporaryDirectory[str] | None = None
        if config.option.xmlpath is None and results.folder is not None:
            self.own_folder = tempfile.TemporaryDirectory(prefix="fencepost-junit-")
            config.option.xmlpath = str(Path(self.own_folder.name) / "junit.xml")
        self.written = Path(config.option.xmlpath) if config.option.xmlpath else None

    @pytest.hookimpl(wrapper=True, trylast=True)  # after the plugins that write
    def pytest_sessionfinish(self) -> Generator[None, None, None]:
        yield
        if self.written is None or not self.written.is_file():
            return
        with disk_reserve.writing(self.results.folder or self.written.parent, self.results.has_no_space):
            self._write(self.written)

    def _write(self, written: Path) -> None:
        names = self.results.counting.names(self.results.selection.specs)
        document = named(written.read_text(encoding="utf-8"), self._unfinished(), editions.listed(names))
        if self.own_folder and self.results.claimed:
            self.results.claimed.put(JUNIT, document)
        else:
            written.write_text(document, encoding="utf-8")

    def pytest_unconfigure(self) -> None:
        if self.own_folder:
            self.own_folder.cleanup()

    def _unfinished(self) -> str | None:
        if self.results.complete:
            return None
        why = f" ({self.results.stopped})" if self.results.stopped else ""
        return f"the run did not finish: it ended after {len(self.results.scenarios)} scenarios{why}"


def properties(requirement: str, feature: str, name: str, example: int | None, verdict: str) -> list[tuple[str, object]]:
    """The properties that a scenario's test case has in addition to pytest's, and from which it is named."""
    numbered = name if example is None else f"{name}, example {example}"
    return [("requirement", requirement), ("feature", feature), ("scenario", numbered), ("verdict", verdict)]


def named(document: str, unfinished: str | None, edition: str = "") -> str:
    """pytest's junit.xml with Fencepost's names and the edition, and, if the run did not finish, a test case with the reason."""
    root = Xml.fromstring(document)  # noqa: S314 - pytest wrote it a moment ago
    for suite in root.iter("testsuite"):
        suite.attrib.pop("hostname", None)
        if edition:
            stated = Xml.Element("properties")
            Xml.SubElement(stated, "property", name="edition", value=edition)
            suite.insert(0, stated)
        for case in suite.iter("testcase"):
            reported = {one.get("name"): one.get("value", "") for one in case.iter("property")}
            if {"requirement", "feature", "scenario"} <= reported.keys():
                case.set("name", f"{reported['requirement']} {reported['scenario']}")
                case.set("classname", reported["feature"].removesuffix(".feature").replace("/", "."))
        if unfinished is not None:
            Xml.SubElement(Xml.SubElement(suite, "testcase", classname=SUITE, name="run", time="0"), "error", message=unfinished)
            for count in ("tests", "errors"):
                suite.set(count, str(int(suite.get(count, "0")) + 1))
    written: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written.decode()
