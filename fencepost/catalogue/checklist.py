"""The checklist of a run's exchanges on Kafka: which arrays and which refusals of the protocol its scenarios have asked about.

Two patterns of what other suites miss are counted here, from what was sent and answered and not from tags:

* *The last of several.* An array whose entries have errors is covered by an answer in which the last entry alone has another error than
  those before it; any other array by a message in which it has two entries or more.
* *A refusal moves nothing.* An error of a request is covered by a play in which the transaction that the request is about, by its
  transactional id or else by a topic, has data when it is refused, and the transaction or a log is looked at, or the end is requested,
  afterwards. A request that names neither is about every open transaction.

The arrays follow from the schemas of the requests that the run has sent, in the versions that it has sent; the refusals from the answers.
What is not covered has a reason in `fixtures/checklist.yaml`, and what has a reason there is not covered.

    python -m fencepost.catalogue.checklist RESULTS...
"""

import dataclasses
import functools
import json
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from fencepost.adapters.kafka import kept_exchanges
from fencepost.adapters.kafka.recording import Recorded
from fencepost.adapters.replay.making import protocol_of
from fencepost.contract import history_files
from fencepost.contract.datafile import Row, load
from fencepost.results.results_folder import EXCHANGES
from fencepost.wire.kafka.entities import API_KEYS, api_of, plain, title
from fencepost.wire.kafka.schemas import request_class, response_class

_BEGIN = frozenset({"produce", "txn_offset_commit"})
_END = frozenset({"end_txn", "init_producer_id"})
_LOOKS = frozenset({"describe_transactions", "describe_producers", "fetch", "list_offsets", "offset_fetch", "end_txn"})
_ERROR = "error_code"
_TOPIC_FIELDS = ("topic", "name", "topic_name", "topic_id")
_DONE = "NONE"


@dataclass
class Checklist:
    """The arrays and refusals, each with the plays that cover it; none for what is not covered."""

    arrays: dict[str, set[str]] = field(default_factory=dict)
    refusals: dict[str, set[str]] = field(default_factory=dict)

    @property
    def uncovered(self) -> list[str]:
        """The names of what no play covers."""
        return sorted(name for name, plays in (*self.arrays.items(), *self.refusals.items()) if not plays)

    def problems(self, reasons: Mapping[str, str]) -> list[str]:
        """What is neither covered nor excluded, and each reason that is not needed."""
        known, uncovered = self.arrays | self.refusals, self.uncovered
        missing = [f"{name}: no scenario asks about it, and fixtures/checklist.yaml has no reason" for name in uncovered]
        needless = [
            f"{name}: fixtures/checklist.yaml excludes it, and {min(known.get(name, ()), default='no request of the run')} has it"
            for name in reasons
            if name not in uncovered
        ]
        return [line for line, name in zip(missing, uncovered, strict=True) if name not in reasons] + needless


def of_results(folders: Iterable[Path]) -> Checklist:
    """The checklist of the exchanges that runs have kept, without those of other protocols."""
    checklist = Checklist()
    for path in sorted(path for folder in folders for path in (folder / EXCHANGES).glob(f"*{history_files.ENDING}")):
        lines = list(map(json.loads, history_files.text_of(path).splitlines()))
        if protocol_of(lines) == "kafka":
            calls, _ = kept_exchanges.read(lines, str(path))
            add(checklist, history_files.stem_of(path), calls)
    return checklist


class Exclusion(Row):
    """Arrays and refusals that no scenario asks about, with one reason for all of them."""

    reason: str
    excluded: list[str]


def reasons() -> dict[str, str]:
    """What is excluded, with the reason."""
    rows = load(resources.files("fencepost.fixtures").joinpath("checklist.yaml"), list[Exclusion])
    return {name: row.reason for row in rows for name in row.excluded}


def add(checklist: Checklist, play: str, calls: Sequence[Recorded]) -> None:
    """Count what one play has asked; `calls` are in the order in which they ended."""
    opened: dict[str, set[str]] = {}
    waiting: set[str] = set()
    for call in sorted(calls, key=lambda call: call.ended):
        api = api_of(call.request)
        request, answer = plain(call.request), plain(call.answer) if call.answer is not None else {}
        for name, has_errors in _arrays(api, int(call.request.__version__)).items():
            covered, (_, side, *path) = checklist.arrays.setdefault(name, set()), name.split(".")
            if any(_covers(entries, has_errors) for entries in _lists(request if side == "request" else answer, path)):
                covered.add(play)
        if api in _LOOKS:
            for refusal in waiting:
                checklist.refusals[refusal].add(play)
            waiting.clear()
        errors = set(_errors(answer)) - {_DONE}
        for error in errors:
            refusal = f"{title(api)} {error}"
            checklist.refusals.setdefault(refusal, set())
            if _is_about(request, opened):
                waiting.add(refusal)
        _follow(api, request, answer, opened)


def _follow(api: str, request: dict[str, Any], answer: dict[str, Any], opened: dict[str, set[str]]) -> None:
    """What an answer has opened or ended, as far as clients know."""
    identifier = request.get("transactional_id")
    if not identifier or _DONE not in _errors(answer):
        return
    if api in _BEGIN:
        opened.setdefault(identifier, set()).update(_topics(request))
    elif api in _END:
        opened.pop(identifier, None)


def _is_about(request: dict[str, Any], opened: dict[str, set[str]]) -> bool:
    named = {value for key, value in _leaves(request) if key.startswith("transactional_id") and value}
    if named & opened.keys():
        return True
    topics = _topics(request)
    return any(topics & of_one for of_one in opened.values()) or (not named and not topics and bool(opened))


def _topics(message: dict[str, Any]) -> set[str]:
    return {value for key, value in _leaves(message) if key in _TOPIC_FIELDS and isinstance(value, str)}


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    else:
        yield key, value


def _errors(answer: Any) -> list[str]:
    return [value for key, value in _leaves(answer) if key == _ERROR]


def _lists(message: Any, path: Sequence[str]) -> Iterator[list[Any]]:
    """The values of an array, one for each place in which the message has it."""
    if not isinstance(message, dict):
        return
    value = message.get(path[0])
    if not isinstance(value, list):
        if isinstance(value, dict) and len(path) > 1:
            yield from _lists(value, path[1:])
        return
    if len(path) == 1:
        yield value
        return
    for entry in value:
        yield from _lists(entry, path[1:])


def _covers(entries: list[Any], has_errors: bool) -> bool:
    if len(entries) < 2:
        return False
    if not has_errors:
        return True
    *before, last = (tuple(sorted(set(_errors(entry)))) for entry in entries)
    return len(set(before)) == 1 and last != before[0]


@functools.cache
def _arrays(api: str, version: int) -> Mapping[str, bool]:
    """The arrays of a request and its answer in a version, and whether their entries have errors."""
    sides = {"request": request_class(API_KEYS[api], version), "answer": response_class(API_KEYS[api], version)}
    return {
        f"{title(api)}.{side}.{'.'.join(path)}": has_errors for side, entity in sides.items() for path, has_errors in _arrays_in(entity)
    }


def _arrays_in(entity: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bool]]:
    for name, hint in typing.get_type_hints(entity).items():
        kind = _without_none(hint)
        if typing.get_origin(kind) is tuple:
            inner = _without_none(typing.get_args(kind)[0])
            yield (*path, name), _has_errors(inner)
            kind = inner
        if dataclasses.is_dataclass(kind):
            yield from _arrays_in(kind, (*path, name))


def _has_errors(entity: Any) -> bool:
    if not dataclasses.is_dataclass(entity):
        return False
    hints = {name: _without_none(hint) for name, hint in typing.get_type_hints(entity).items()}
    inner = [typing.get_args(hint)[0] for hint in hints.values() if typing.get_origin(hint) is tuple]
    return _ERROR in hints or any(map(_has_errors, inner))


def _without_none(hint: Any) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(option for option in typing.get_args(hint) if option is not type(None))
    return hint


def main(arguments: Sequence[str]) -> int:
    """Print the checklist of these results; 1 when something is neither covered nor excluded, or a reason is not needed."""
    checklist, excluded = of_results(map(Path, arguments)), reasons()
    for name, plays in sorted((checklist.arrays | checklist.refusals).items()):
        first = min(plays, default="")
        print(f"{name}: {f'{first}, and {len(plays) - 1} more' if plays else 'excluded: ' + excluded.get(name, 'NO REASON')}")
    problems = checklist.problems(excluded)
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
