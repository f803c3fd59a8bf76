"""The shortest scenario that shows a cause, so that it can be repeated: its steps, and its requests and answers, from its history.

What differs in each run is left out or has a short name, so that a new page differs only where the broker does: the suffixes of names,
producer ids (P1, P2), points in time.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from fencepost.contract import gherkin, history_files
from fencepost.contract.events import Event
from fencepost.deviations.symptoms import steady

from .manual_checks import row_of
from .page_content import PageFinding

_MOST = 12
"""How many calls are shown: the last ones."""
_LONGEST = 240
_FINDS_ITS_WAY = ("metadata", "find_coordinator", "api_versions", "create_topics")
"""The requests that every client sends first."""
_LOOKS = ("list_offsets", "describe_transactions", "describe_producers", "list_transactions", "offset_fetch", "fetch")
"""The requests that only read state. Before the last call that changes something, they only show an earlier state."""
_EMPTY: tuple[object, ...] = (None, [], {}, "NONE", "")


@dataclass(frozen=True)
class Reproduction:
    """A scenario with its calls; `left_out` counts the calls before the first that is shown."""

    finding: PageFinding
    steps: tuple[str, ...]
    calls: tuple[str, ...]
    left_out: int


def shortest(findings: Sequence[PageFinding], results: Path) -> Reproduction | None:
    """The violated scenario with the fewest calls; None if no scenario was violated."""
    found = [_reproduced(one, results) for one in findings if one.scenario.violation]
    return min(found, key=lambda one: (not one.calls, one.left_out + len(one.calls)), default=None)


def _reproduced(finding: PageFinding, results: Path) -> Reproduction:
    calls = _calls(finding, results)
    return Reproduction(finding, tuple(_steps(finding)), tuple(calls[-_MOST:]), max(0, len(calls) - _MOST))


def _steps(finding: PageFinding) -> Iterator[str]:
    """The steps of the scenario as in the feature, with its Background."""
    for feature, scenario in gherkin.scenarios_of(finding.row.id):
        if finding.scenario.name.startswith(scenario.name):
            yield f"Scenario: {scenario.name}"
            yield from (f"  {step.keyword} {step.text}" for step in (*feature.background, *scenario.steps))
            if scenario.rows:
                names = [name for name, _ in scenario.rows[0]]
                yield "  Examples:"
                yield from (f"    | {' | '.join(cells)} |" for cells in (names, *([cell for _, cell in row] for row in scenario.rows)))
            return


def _calls(finding: PageFinding, results: Path) -> list[str]:
    """The calls of a scenario, without those that only find a node, or only read before something is changed.

    A read that is repeated waits for something, so it stays.
    """
    beginning = row_of(*finding.key).replace(" [", "-").replace("]", "-")
    paths = list(history_files.found_in(results, beginning))
    if not paths:
        return []
    named: dict[int, str] = {}
    kept = [pair for pair in _pairs(paths[-1]) if pair[1]["type"] != "ok" or _request(pair[1]) not in _FINDS_ITS_WAY]
    reported = [(_only_looks(asked), _reported(asked, answered, named)) for asked, answered in kept]
    last = max((index for index, (looks, _) in enumerate(reported) if not looks), default=0)
    lines = [*_acts_and_waits(reported[:last]), *_acts_and_waits(reported[last:], also_once=True)]
    return [line if times == 1 else f"{line} ({times} times)" for line, times in lines]


def _acts_and_waits(reported: Sequence[tuple[bool, str]], also_once: bool = False) -> Iterator[tuple[str, int]]:
    """Each line with its count: the acts in order, between them the reads that are repeated, or all reads with `also_once`."""
    for looks, those in groupby(reported, key=lambda one: one[0]):
        lines = [line for _, line in those]
        if looks:
            yield from ((line, times) for line, times in Counter(lines).items() if times > 1 or also_once)
        else:
            yield from ((line, len([*same])) for line, same in groupby(lines))


def _pairs(path: Path) -> Iterator[tuple[Event, Event]]:
    """Each request with its answer, in the order of the answers."""
    asked: dict[int, Event] = {}
    for line in history_files.text_of(path).splitlines():
        event: Event = json.loads(line)
        if event["type"] == "invoke":
            asked[event["op_id"]] = event
        elif event["op_id"] in asked:
            yield asked.pop(event["op_id"]), event


def _only_looks(event: Event) -> bool:
    return event["client"] == "observer" and _request(event) in _LOOKS


def _request(event: Event) -> str:
    return event["api"].partition(" ")[0]


def _reported(asked: Event, answered: Event, named: dict[int, str]) -> str:
    """`A: EndTxn v5 commit, transactional id transfer, producer id P1, epoch 0 -> INVALID_TXN_STATE (48)`."""
    name, _, version = asked["api"].partition(" ")
    request = "".join(word.capitalize() for word in name.split("_"))
    what = ", ".join(filter(None, [*_about(asked, named), _compact(asked["ctl"].get("request"), named)]))
    first = f"{asked['client']}: {request} {version}" + (f" {asked['f']}" if asked["f"] in ("commit", "abort") else "")
    return _short(steady(f"{first}{f' {what}' if what else ''}")) + " -> " + _short(steady(_outcome(asked, answered, named)))


def _outcome(asked: Event, answered: Event, named: dict[int, str]) -> str:
    error = answered["error"]
    if error is not None and not error["definite"]:
        return f"no answer: {error['msg'] or error['class']}"
    if error is not None:
        return error["class"] + (f" ({error['code']})" if error["code"] is not None else "")
    ctl = answered["ctl"]
    said = [part for part in _about(answered, named) if part not in _about(asked, named)]
    rest = {name: value for name, value in ctl.items() if name not in ("request", "answer")}
    return ", ".join(filter(None, [*said, _compact(ctl.get("answer", rest), named)])) or "done"


def _about(event: Event, named: dict[int, str]) -> Iterator[str]:
    """The transaction, the group, and the records that the call writes or reads."""
    if tx := event["tx"]:
        yield f"transactional id {tx['tid']}" if tx["tid"] is not None else "no transactional id"
        yield f"producer id {_name(tx['pid'], named)}"
        yield f"epoch {tx['epoch']}"
    if (group := event["grp"]) and group["id"] is not None:
        yield f"group {group['id']}"
    for mop in event["mops"]:
        value = f' "{mop["v"]}"' if mop.get("v") is not None else ""
        offset = f" at {mop['o']}" if mop.get("o") is not None else ""
        sequence = f" with sequence {mop['seq']}" if mop.get("seq") is not None and mop.get("o") is None else ""
        yield f"{mop['m']}{value} {mop['log'] or ''}{offset}{sequence}"


def _compact(value: object, named: dict[int, str]) -> str:
    """A request or an answer as JSON, without empty fields."""
    kept = _kept(value, named)
    return json.dumps(kept, ensure_ascii=False) if kept not in _EMPTY else ""


def _kept(value: object, named: dict[int, str]) -> object:
    match value:
        case Mapping():
            inner = {key: _producer(key, held, named) for key, held in value.items() if key != "throttle_time"}
            return {key: held for key, held in inner.items() if held not in _EMPTY}
        case str():
            return value
        case Iterable():
            return [_kept(one, named) for one in value]
        case _:
            return value


def _producer(key: str, value: Any, named: dict[int, str]) -> object:
    return _name(value, named) if key.endswith("producer_id") and isinstance(value, int) else _kept(value, named)


def _name(producer: int, named: dict[int, str]) -> str | int:
    """The short name of a producer id, in order of appearance; -1 is not an id."""
    return producer if producer < 0 else named.setdefault(producer, f"P{len(named) + 1}")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
