"""A history that a sequence picture is drawn of, and the words of a picture."""

from typing import Any
from xml.etree import ElementTree

from fencepost.report.sequence import PicturedStep, Scene, calls_of
from fencepost.report.sequence.rows import (
    rows_of,
)


class History:
    """Events, written as a test reads."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.exchanges: list[tuple[str, str]] = []

    def ask(self, api: str, client: str = "A", **more: Any) -> int:
        number = len(self.events)
        begun = {"client": client, "node": "reference:9092", "op_id": number, "api": api, "type": "invoke", "error": None}
        self.events.append(begun | {"f": "probe", "tx": None, "grp": None, "mops": [], "ctl": {}} | more)
        self.exchanges.append((client, api))
        return number

    def end(self, number: int, outcome: str = "ok", **more: Any) -> None:
        self.events.append(self.events[number] | {"type": outcome} | more)

    def call(self, api: str, outcome: str = "ok", client: str = "A", **more: Any) -> None:
        asked = {name: more[name] for name in ("f", "mops", "tx") if name in more}
        self.end(self.ask(api, client, **asked), outcome, **more)

    def rows(self, *steps: PicturedStep, **more: Any) -> list[Any]:
        return rows_of(calls_of(self.events), Scene(steps, tuple(self.exchanges), **more))


def texts(svg: str) -> list[str]:
    """What is drawn as words; raises where the SVG is not well-formed."""
    parser = ElementTree.XMLPullParser()
    parser.feed(svg)
    elements = (element for _, element in parser.read_events())
    return [element.text or "" for element in elements if element.tag == "{http://www.w3.org/2000/svg}text"]
