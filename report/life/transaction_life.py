"""What a history shows of one transaction: its client's calls, and the records that brokers wrote for it, by place in the history."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fencepost.contract.errors import WrongUsage

_BROKER = "broker"
_SHARED = "/txn/segment-state/"
"""Records that are a segment's, and belong to the transaction that wrote there."""


@dataclass
class AnsweredCall:
    """A request and its answer; `answered` is None where there was none."""

    name: str
    asked: int
    answered: int | None = None


@dataclass
class LifeRecord:
    """A record: what it said, from when on, and when it was deleted."""

    key: str
    said: list[tuple[int, str]] = field(default_factory=list)
    deleted: int | None = None


@dataclass
class Life:
    """Everything of one transaction. Places are numbered from 0, without gaps."""

    transaction: str
    calls: list[AnsweredCall] = field(default_factory=list)
    records: dict[str, LifeRecord] = field(default_factory=dict)
    length: int = 0


def read(path: Path, transaction: str | None = None) -> Life:
    """The life of a transaction, of the first one of the history where none is named.

    Raises WrongUsage where the file is no history, or shows nothing of such a transaction in a metadata store.
    """
    events = list(_events(path))
    wanted = transaction or next((event["txn_id"] for event in events if event["client"] == _BROKER and event["txn_id"]), None)
    life = Life(wanted or "")
    mine = [event for event in events if wanted and event["txn_id"] == wanted]
    if not any(event["client"] == _BROKER for event in mine):
        raise WrongUsage(f"{path} has no record of {wanted or 'any transaction'}; expected the history of a scenario of PIP-471")
    last = mine[-1]["idx"]
    open_calls: dict[int, AnsweredCall] = {}
    for event in events:
        if event["idx"] <= last and (event["txn_id"] == wanted or event["ctl"].get("record", "").startswith(_SHARED)):
            _note(life, open_calls, event)
    return life


def _note(life: Life, open_calls: dict[int, AnsweredCall], event: Mapping[str, Any]) -> None:
    is_done = event["type"] == "ok"
    if event["client"] != _BROKER:
        if not is_done and event["type"] != "invoke":
            return
        if is_done and event["op_id"] in open_calls:
            open_calls[event["op_id"]].answered = life.length
        else:  # NEW_TXN has its transaction only in its answer
            call = open_calls[event["op_id"]] = AnsweredCall(event["api"], life.length - is_done, life.length if is_done else None)
            life.calls.append(call)
        life.length += 1
    elif is_done:
        _write(life, event["ctl"])
        life.length += 1


def _write(life: Life, reported: Mapping[str, str]) -> None:
    key = unquote(reported["record"])
    record = life.records.setdefault(key, LifeRecord(key))
    if reported.get("deleted"):
        record.deleted = life.length
    else:
        record.said.append((life.length, _in_short(reported)))


def _in_short(reported: Mapping[str, str]) -> str:
    """What distinguishes the record from others of its class."""
    if "state" in reported:
        return reported["state"]
    if "decision" in reported:
        return reported["decision"]
    if "kind" in reported:
        place = f" {reported['ledgerId']}:{reported['entryId']}" if reported["kind"] == "ACK" else ""
        return f"{reported['kind']}{place}"
    return ":".join(filter(None, (reported.get("ledgerId"), reported.get("entryId"))))


def _events(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, ValueError) as error:
        raise WrongUsage(f"{path} is no history: {error}; expected a file of history/ in the results of a run") from error
