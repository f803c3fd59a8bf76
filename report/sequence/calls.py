"""The requests of a history, each with its end."""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.contract.history_files import text_of

_HELPERS = frozenset(
    {
        "api_versions",
        "create_topics",
        "find_coordinator",
        "metadata",
        "CLOSE_CONSUMER",
        "CLOSE_PRODUCER",
        "CONNECT",
        "FLOW",
        "LOOKUP",
        "PARTITIONED_METADATA",
        "PING",
        "PRODUCER",
        "SCALABLE_TOPIC_CLOSE",
        "SCALABLE_TOPIC_LOOKUP",
        "TC_CLIENT_CONNECT_REQUEST",
        "WATCH_TC_ASSIGNMENTS",
        "WATCH_TC_ASSIGNMENTS_CLOSE",
    }
)
"""What a client asks before it comes to the point. Where it fails, or opens a transaction, it is the point."""

_PUSHES = frozenset(
    {"ACTIVE_CONSUMER_CHANGE", "MESSAGE", "REACHED_END_OF_TOPIC", "SCALABLE_TOPIC_ASSIGNMENT_UPDATE", "SCALABLE_TOPIC_UPDATE"}
)


@dataclass(frozen=True)
class Call:
    """A request and its end. `began` and `ended` are places in the history; both ends are None where the history ends before."""

    asked: Mapping[str, Any]
    began: int
    answered: Mapping[str, Any] | None = None
    ended: int | None = None

    @property
    def client(self) -> str:
        return str(self.asked["client"])

    @property
    def node(self) -> str:
        return str(self.asked["node"])

    @property
    def api(self) -> str:
        """The request's name, without its version."""
        return self.full_name if self.is_of_admin else self.full_name.partition(" ")[0]

    @property
    def full_name(self) -> str:
        """The request's name as the history has it: `end_txn v5`, `END_TXN`, or `PUT /admin/...`."""
        return str(self.asked["api"])

    @property
    def is_of_admin(self) -> bool:
        """Whether it is a REST call."""
        return self.full_name.partition(" ")[2].startswith("/")

    @property
    def outcome(self) -> str:
        """How it ended: `ok`, `fail`, or `info` where it is unknown whether it took effect."""
        return "info" if self.answered is None else str(self.answered["type"])

    @property
    def error(self) -> Mapping[str, Any]:
        """The error of its end; empty where there is none."""
        return (self.answered or {}).get("error") or {}

    @property
    def is_unanswered_by_design(self) -> bool:
        """Whether no answer was asked for, so that none is missing."""
        return self.error.get("class") == "unanswered"

    @property
    def is_helper(self) -> bool:
        """Whether it only prepares something, and did so."""
        if self.outcome != "ok":
            return False
        if self.client == "broker":
            return self.asked.get("f") == "probe"  # what a broker writes to its store apart from transactions
        is_put_of_topic = self.is_of_admin and self.full_name.startswith("PUT ") and self.asked.get("f") == "probe"
        return is_put_of_topic or (self.api in _HELPERS and self.asked.get("f") != "init_txn")

    @property
    def is_push(self) -> bool:
        """Whether the broker sent it unasked: its beginning is only the moment from which on it may have been on its way."""
        return self.api in _PUSHES

    def is_overtaken_by(self, other: "Call") -> bool:
        """Whether a client asked something else between this request and its answer."""
        is_client = other.client not in ("broker", "controller")
        return is_client and self.ended is not None and self.began < other.began < self.ended

    @property
    def only_looks(self) -> bool:
        """Whether it changes nothing."""
        looks = ("describe_", "list_", "offset_fetch", "fetch", "MESSAGE", "GET")
        return self.api.startswith(looks) or self.asked.get("f") in ("poll", "position", "committed")


def calls_of(events: Iterable[Mapping[str, Any]]) -> list[Call]:
    """The requests in the order in which they were made; an end without its beginning is left out."""
    found: dict[Any, Call] = {}
    for place, event in enumerate(events):
        if event["type"] == "invoke":
            found[event["op_id"]] = Call(event, place)
        elif (begun := found.get(event["op_id"])) is not None:
            found[event["op_id"]] = Call(begun.asked, begun.began, event, place)
    return list(found.values())


def readable_events(path: Path) -> tuple[list[dict[str, Any]], bool]:
    """The events of a history up to the first one that cannot be read, and whether that is all of it."""
    try:
        text = text_of(path)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return [], False
    events: list[dict[str, Any]] = []
    for event in _parsed(text):
        if event is None:
            return events, False
        events.append(event)
    return events, bool(events)


def _parsed(text: str) -> Iterator[dict[str, Any] | None]:
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        yield event if _is_event(event) else None


def _is_event(value: Any) -> bool:
    """Whether it has the shape of an event as far as pictures need it; a later release of the kit may say more."""
    match value:
        case {"client": str(), "node": str(), "op_id": int(), "api": str(), "type": "invoke" | "ok" | "fail" | "info"}:
            maps = all(isinstance(value.get(name) or {}, dict) for name in ("tx", "grp", "ctl", "error"))
            mops = value.get("mops") or []
            return maps and isinstance(mops, list) and all(isinstance(mop, dict) and isinstance(mop.get("m"), str) for mop in mops)
        case _:
            return False
