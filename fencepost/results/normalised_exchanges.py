"""The exchanges of a scenario in a form in which two systems can be compared: without names, numbers and times that differ by system.

* The writes of a scenario keep their order; a request that is retried until it succeeds counts once, with its last answer.
* Between two writes, each read counts once, with its last answer: how often a client read while markers were in flight is chance.
* The search for nodes is left out: which node answers, and how soon it is found, is not part of the answer. So is what a broker writes
  to its metadata store.
* A session's suffix is removed from names. Producer ids become P1, P2, ... in the order in which they appear, and coordinator epochs C1,
  C2, ...; points in time become `some`, and so do the offsets of a broker's own topics.
* Transactions and producers of other scenarios on the same broker are left out of answers that list all of them.
"""

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from fencepost.contract import history_files
from fencepost.contract.errors import WrongUsage

Event: TypeAlias = dict[str, Any]
Fields: TypeAlias = dict[str, str]

_NEEDED = frozenset({"run_id", "client", "api", "type", "error", "tx", "grp", "iso", "mops", "ctl"})
_REMEDY = "the history is of no whole run: run again"

_ROUTING = frozenset({"metadata", "find_coordinator", "api_versions", "create_topics"})
_WRITES = frozenset(
    {"init_producer_id", "end_txn", "produce", "txn_offset_commit", "add_partitions_to_txn", "add_offsets_to_txn", "write_txn_markers"}
)
_SUFFIX = re.compile(r"-[0-9a-f]{6}\b")
_TIMES = frozenset({"transaction_start_time", "last_timestamp", "timestamp", "ts_ns", "throttle_time", "at_ms"})
_PRODUCER_IDS = frozenset({"pid", "producer_id", "v3_and_below_producer_id"})
_FREE = frozenset({"error_message", "leader_epoch", "committed_leader_epoch", "txn_id"})
"""Fields that the protocol leaves to the broker, or that repeat another field."""


@dataclass(frozen=True)
class NormalisedExchange:
    """One request with its answer; `request` names it within its scenario, `answer` has each field of the answer by its path."""

    request: str
    answer: Fields


def read(path: Path) -> list[NormalisedExchange]:
    """A scenario's history in its normal form."""
    said = [event for event in events(path) if not _is_of_the_store(event)]
    names = {event["tx"]["tid"] for event in said if event.get("tx") and event["tx"]["tid"]}
    normal = _Normal(names)
    calls = [(normal.request(asked), asked, normal.answer(reported)) for asked, reported in _calls(said)]
    return list(_once(calls))


def events(path: Path) -> list[Event]:
    """The events of a history. Raises WrongUsage, with file and line, if it is incomplete, such as after a run that was killed."""
    try:
        lines = history_files.text_of(path).splitlines()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path} cannot be read: {error}") from error
    found = [_event(path, number, line) for number, line in enumerate(lines, 1)]
    if len(found) % 2:
        raise WrongUsage(f"{path}, line {len(found)}: the last request has no answer; {_REMEDY}")
    return found


def _event(path: Path, number: int, line: str) -> Event:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not (isinstance(event, dict) and event.keys() >= _NEEDED):
        raise WrongUsage(f"{path}, line {number}: not a whole event; {_REMEDY}")
    return event


def _is_of_the_store(event: Event) -> bool:
    """Whether a broker writes this to its metadata store: no client requests that, and only some systems show it."""
    return _api(event) == "store"


def a_moment_apart(one: Fields, other: Fields) -> set[str]:
    """The fields in which two descriptions of a transaction may differ because one was made while markers were in flight."""
    apart: set[str] = set()
    for field in {field for field in one.keys() & other.keys() if field.endswith("transaction_state")}:
        states = sorted((one[field], other[field]))
        if states in (["CompleteAbort", "PrepareAbort"], ["CompleteCommit", "PrepareCommit"]):
            about = field.removesuffix("transaction_state")
            apart |= {field} | {name for name in one.keys() | other.keys() if name.startswith(f"{about}topics")}
    return apart


def _calls(events: list[Event]) -> Iterator[tuple[Event, Event]]:
    """The requests with their answers, without those that only look for nodes."""
    for asked, reported in zip(events[::2], events[1::2], strict=True):
        if _api(asked) not in _ROUTING:
            yield asked, reported


def _api(event: Event) -> str:
    return str(event["api"]).partition(" ")[0]


def _once(calls: list[tuple[str, Event, Fields]]) -> Iterator[NormalisedExchange]:
    looks: dict[str, Fields] = {}
    for index, (request, asked, answer) in enumerate(calls):
        if _api(asked) not in _WRITES:
            looks[request] = looks.pop(request, {}) | answer if _api(asked) == "fetch" else answer
            continue
        if index + 1 < len(calls) and calls[index + 1][0] == request and answer["type"] != "ok":
            continue
        yield from (NormalisedExchange(look, looks[look]) for look in sorted(looks))
        looks = {}
        yield NormalisedExchange(request, answer)
    yield from (NormalisedExchange(look, looks[look]) for look in sorted(looks))


class _Normal:
    """Replaces what differs by system with names that are the same for all, for one scenario."""

    def __init__(self, transactional_ids: set[str]) -> None:
        self._transactional_ids = transactional_ids
        self._producers: dict[int, str] = {}
        self._coordinator_epochs: dict[int, str] = {}

    def request(self, event: Event) -> str:
        """The client and its request."""
        parts = {name: event[name] for name in ("tx", "grp", "iso", "mops") if event[name]} | event["ctl"].get("request", {})
        fields = self._fields(parts)
        reported = ", ".join(f"{name}={value}" for name, value in fields.items() if value != "None")
        return f"{event['client']}: {self._name(event['api'])}" + (f" ({reported})" if reported else "")

    def answer(self, event: Event) -> Fields:
        """The answer, flattened."""
        error = event["error"]
        reported: dict[str, Any] = {"type": event["type"], "error": error and error["class"]}
        if _api(event) == "fetch":
            reported |= {f"{mop['log']}@{mop['o']}": mop["v"] for mop in event["mops"]}
        elif event["type"] == "ok":
            reported |= {"tx": event["tx"], "mops": event["mops"]}
        return self._fields(reported | event["ctl"].get("answer", {k: v for k, v in event["ctl"].items() if k != "request"}))

    def _fields(self, value: Any, path: str = "", log: str = "") -> Fields:
        """A value with all its parts by their paths; `log` is the topic or partition that it belongs to."""
        match value:
            case dict():
                log = str(value.get("log") or value.get("topic") or value.get("name") or log)
                return {
                    name: item
                    for key, part in sorted(value.items())
                    if key not in _FREE
                    for name, item in self._fields(
                        self._own(key, part, log), f"{path}.{self._name(key)}" if path else self._name(key), log
                    ).items()
                }
            case list():
                parts = [part for part in value if not self._is_of_another_scenario(part)]
                normal = sorted((self._fields(part, log=log) for part in parts), key=lambda fields: json.dumps(fields, sort_keys=True))
                return {
                    (f"{path}[{index}].{name}" if name else f"{path}[{index}]"): item
                    for index, fields in enumerate(normal)
                    for name, item in fields.items()
                }
            case _:
                return {path: self._name(str(value))}

    def _own(self, key: str, value: Any, log: str) -> Any:
        if key in _PRODUCER_IDS and isinstance(value, int) and value >= 0:
            return self._producer(value)
        if key == "producer_id_filters":
            return [self._producer(part) for part in value]
        if key == "coordinator_epoch" and isinstance(value, int) and value >= 0:
            return self._coordinator_epochs.setdefault(value, f"C{len(self._coordinator_epochs) + 1}")
        if key == "active_producers" and log.startswith("__"):
            return [part for part in value if part["producer_id"] in self._producers]
        if key in _TIMES and isinstance(value, int | float) and value >= 0:
            return "some"
        if key in ("o", "offset", "current_txn_start_offset") and log.startswith("__") and isinstance(value, int) and value >= 0:
            return "some"
        if key == "partition_indexes" or key == "partitions":
            return [f"{log} some" if log.startswith("__") and isinstance(part, int) else part for part in value]
        return value

    def _producer(self, producer_id: int) -> str:
        return self._producers.setdefault(producer_id, f"P{len(self._producers) + 1}")

    @staticmethod
    def _name(text: str) -> str:
        return _SUFFIX.sub("", text)

    def _is_of_another_scenario(self, part: Any) -> bool:
        """ListTransactions also lists transactions of other scenarios on the same broker."""
        is_listed = isinstance(part, dict) and "transactional_id" in part and "transaction_state" in part
        return is_listed and part["transactional_id"] not in self._transactional_ids
