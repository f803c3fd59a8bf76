"""Whether two results folders hold the same conversations, scenario by scenario: `python benchmarks/same_histories.py BEFORE AFTER`.

For a change of wording that must not change the requests to a system. A scenario is identified by its requirement, its number, its
protocol and its example, and not by its title. Each event is compared in its order, except for names that a session generates and for
times. Differences with a reason are in `same_histories.yaml` next to this file, or in the file after `--reasons`; an entry that
no longer explains a difference is a fault. Exit code 0: the same; 1: not; 2: wrong usage.
"""

import argparse
import difflib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from fencepost.contract import history_files

_FILE = re.compile(r"(?P<requirement>[A-Z]+\d*-\d+)-(?P<number>\d+)-.*?(?:-(?P<protocol>kafka|pulsar))?(?:-example-(?P<example>\d+))?")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_SUFFIX = re.compile(r"-([0-9a-f]{6})(?![0-9a-f])")
_BEFORE_A_NAME = re.compile(r"[^A-Za-z_]*")
_PLACES = ("run_id", "idx", "op_id", "t_ns")
"""Fields that follow from the title, from the place in the file, or from the clock."""

_A_MOMENT_MS = 10**12
"""Numbers from here on are moments since 1970, in milliseconds or nanoseconds."""

_SHOWN = 12


class ScenarioKey(NamedTuple):
    """What identifies a scenario."""

    requirement: str
    number: str
    protocol: str
    example: str

    def __str__(self) -> str:
        more = [self.protocol, f"example {self.example}" if self.example else ""]
        return " ".join([self.requirement, f"[{self.number}]", *filter(None, more)])


@dataclass(frozen=True)
class HistoryDifference:
    """A scenario with a different conversation, and how it differs: lines with a minus before, with a plus after."""

    key: ScenarioKey
    lines: list[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--reasons", type=Path, default=Path(__file__).with_suffix(".yaml"))
    parser.add_argument("--only", default="", help="the beginning of a requirement's id, such as KIP890")
    options = parser.parse_args()
    reasons: dict[str, str] = yaml.safe_load(options.reasons.read_text(encoding="utf-8")) if options.reasons.is_file() else {}
    before, after = (_histories(folder, options.only) for folder in (options.before, options.after))
    if not before or not after:
        print("no histories; give the results folders of two runs", file=sys.stderr)
        return 2
    found = list(_differences(before, after))
    for difference in found:
        reason = reasons.get(f"{difference.key.requirement} [{difference.key.number}]")
        print(f"{difference.key}: {'because ' + reason if reason else 'DIFFERENT'}")
        for line in difference.lines[:_SHOWN]:
            print(f"    {line}")
        if len(difference.lines) > _SHOWN:
            print(f"    and {len(difference.lines) - _SHOWN} lines more")
    differing = {f"{difference.key.requirement} [{difference.key.number}]" for difference in found}
    idle = sorted(name for name in reasons if name.startswith(options.only) and name not in differing)
    for name in idle:
        print(f"{name}: the reason {reasons[name]!r} explains nothing any more")
    unexplained = differing - set(reasons)
    print(f"{len(before)} and {len(after)} scenarios, {len(found)} different, {len(unexplained)} unexplained")
    return 1 if unexplained or idle else 0


def _histories(folder: Path, only: str) -> dict[ScenarioKey, Path]:
    found: dict[ScenarioKey, Path] = {}
    for path in history_files.found_in(folder, only):
        parts = _FILE.fullmatch(history_files.stem_of(path))
        if parts is None:
            print(f"{path} is not named as a history is", file=sys.stderr)
            sys.exit(2)
        key = ScenarioKey(*(parts[name] or "" for name in ScenarioKey._fields))
        if key in found:
            print(f"{path} and {found[key]} are both of {key}", file=sys.stderr)
            sys.exit(2)
        found[key] = path
    return found


def _differences(before: dict[ScenarioKey, Path], after: dict[ScenarioKey, Path]) -> Iterator[HistoryDifference]:
    for key in sorted(before.keys() | after.keys()):
        if key not in before or key not in after:
            yield HistoryDifference(key, ["- not asked" if key not in before else "+ not asked"])
            continue
        old, new = _events(before[key]), _events(after[key])
        if old != new:
            lines = [line for line in difflib.unified_diff(old, new, n=0, lineterm="") if not line.startswith(("---", "+++", "@@"))]
            yield HistoryDifference(key, lines)


def _events(path: Path) -> list[str]:
    """The events of a file as lines of text that are equal when the events are."""
    text = history_files.text_of(path)
    suffix = Counter(suffix for word in _WORD.finditer(text) for _, suffix in _made_up(word[0])).most_common(1)
    names: dict[str, str] = {}

    def anonymous(word: re.Match[str]) -> str:
        pieces, at = [], 0
        for span, found in _made_up(word[0]):
            if found == suffix[0][0]:
                name = names.setdefault(word[0][span], f"name {len(names) + 1}")
                pieces += [word[0][at : span.start], name]
                at = span.stop
        return "".join(pieces) + word[0][at:]

    clients: dict[str, str] = {}
    lines = []
    for line in _WORD.sub(anonymous, text).splitlines():
        event = {field: value for field, value in json.loads(line).items() if field not in _PLACES}
        event["client"] = clients.setdefault(event["client"], f"client {len(clients) + 1}")
        lines.append(json.dumps(_timeless(event), sort_keys=True))
    return lines


def _made_up(word: str) -> Iterator[tuple[slice, str]]:
    """Where names that a session may have made up stand in a word, each with its suffix; in time that grows with the word, which may be a
    key of 64 KB."""
    at = 0
    for found in _SUFFIX.finditer(word, 1):
        before = _BEFORE_A_NAME.match(word, at)
        if before is not None and before.end() < found.start():
            yield slice(before.end(), found.end()), found[1]
            at = found.end()


def _timeless(value: Any) -> Any:
    match value:
        case dict():
            return {name: _timeless(each) for name, each in value.items()}
        case list():
            return [_timeless(each) for each in value]
        case int() if value >= _A_MOMENT_MS:
            return "a moment"
        case _:
            return value


if __name__ == "__main__":
    sys.exit(main())
