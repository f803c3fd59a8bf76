"""Our witnesses compared with those that Jepsen's Kafka checker printed, anomaly by anomaly.

    python -m benchmarks.check_parity FOLDER

FOLDER has histories `*.edn` and `verdicts.jsonl`: for each history the witnesses that Jepsen printed, without (`no_ww`) and with (`ww`)
inferred write-write edges. Known, allowed differences are in `ALLOWED`, with the reason; any other one makes the exit code 1.
"""

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fencepost.pipeline import spark_session
from fencepost.pipeline.anomalies import ANOMALIES
from fencepost.pipeline.ingest import files
from fencepost.pipeline.movement import judging, sorting
from fencepost.pipeline.tables import Tables

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

Witness: TypeAlias = tuple[Any, ...]
Seen: TypeAlias = dict[tuple[str, str], set[Witness]]

BUCKETS = 2
CYCLES = ("G0", "G1c", "PL-1-cycle-exists")
ORDERED = (
    "int-poll-skip",
    "int-nonmonotonic-poll",
    "poll-skip",
    "nonmonotonic-poll",
    "int-send-skip",
    "int-nonmonotonic-send",
    "nonmonotonic-send",
    "lost-write",
)
ALLOWED = {
    "conflicted": "where one offset has two values Jepsen orders the log by the value that its hash table gives first; "
    "anomalies of order are not compared on such a log, nor cycles in a run that has one",
    "cycle-exists": "Jepsen adds PL-1-cycle-exists to each G0; it is no separate witness",
    "which-cycle": "of one strongly connected component Jepsen shows one cycle and we show one, perhaps another",
}


def main(folder: Path) -> int:
    verdicts = {entry["history"]: entry for entry in map(json.loads, (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines())}
    paths = [folder / f"{name}.edn" for name in sorted(verdicts)]
    size = spark_session.Size(sum(path.stat().st_size for path in paths))
    with spark_session.session(size) as spark:
        bad = compare(shown(spark, paths), paths, verdicts)
    for line in bad:
        print(line)
    print(f"{len(paths)} histories, {len(bad)} differences that are not in the list")
    return 1 if bad else 0


def shown(spark: "SparkSession", paths: list[Path]) -> dict[str, Seen]:
    """The findings of a check in these histories, without and with inferred write-write edges."""
    with tempfile.TemporaryDirectory() as scratch:
        tables = Tables(spark, Path(scratch), BUCKETS)
        tables.keep(sorting.read(spark, files.find(paths), tables.folder, BUCKETS))
        return {mode: _seen(tables, infer_ww) for mode, infer_ww in (("no_ww", False), ("ww", True))}


def compare(seen: Mapping[str, Seen], paths: list[Path], verdicts: dict[str, Any]) -> list[str]:
    """The differences that are not in the list, in words."""
    return [
        f"{path.stem} {mode} {line}"
        for mode, witnesses in seen.items()
        for path in paths
        for line in _differences(path.stem, witnesses, verdicts[path.stem][mode])
    ]


def _seen(tables: Tables, infer_ww: bool) -> Seen:
    """Witnesses in Jepsen's terms: keys and values are numbers, operations are identified by their completions."""
    ats = {(row.run, row.op): row.at for row in tables.ops.select("run", "op", "at").toLocalIterator()}
    seen: Seen = defaultdict(set)
    for row in (row for one in judging.judge(tables, ANOMALIES, infer_ww).found for row in one.rows.toLocalIterator()):
        seen[row.run, row.anomaly].add(_ours(row, [ats[row.run, op] for op in row.ops]))
    return seen


def _ours(row: "Row", ats: list[int]) -> Witness:
    key = row.log and int(row.log)
    values = tuple(int(value) for value in row.values)
    match row.anomaly:
        case "inconsistent-offsets":
            return key, row.offsets[0], tuple(sorted(values))
        case "duplicate":
            return key, values[0], tuple(row.offsets)
        case "G1a":
            return key, values[0], *ats
        case "lost-write" | "precommitted-read":
            return key, values[0], ats[0]
        case "int-poll-skip" | "int-nonmonotonic-poll" | "int-send-skip" | "int-nonmonotonic-send":
            return key, values, ats[0]
        case "unseen":
            return key, tuple(sorted(values))
        case "nonmonotonic-poll" | "nonmonotonic-send":
            return key, tuple(ats), values
        case "poll-skip":
            return key, tuple(ats)
        case _:
            return tuple(sorted(ats))


def _theirs(anomaly: str, entries: Any) -> Iterator[Witness]:
    if anomaly == "unseen":
        yield from ((int(key), tuple(sorted(values))) for key, values in entries.items())
        return
    for entry in entries:
        if anomaly in CYCLES:
            yield tuple(sorted(entry))
        elif anomaly == "poll-skip":
            yield entry[0], tuple(entry[1])
        elif anomaly == "inconsistent-offsets":
            yield entry[0], entry[1], tuple(sorted(entry[2]))
        else:
            yield tuple(tuple(part) if isinstance(part, list) else part for part in entry)


def _differences(run: str, witnesses: Seen, verdict: dict[str, Any]) -> Iterator[str]:
    conflicted = {entry[0] for entry in verdict.get("inconsistent-offsets", ())}
    names = {name for of_run, name in witnesses if of_run == run} | set(verdict)
    for name in sorted(names & {*_NAMES, *CYCLES}):
        if name == "PL-1-cycle-exists":
            continue
        expected, seen = set(_theirs(name, verdict.get(name, ()))), witnesses[run, name]
        if name in ORDERED:
            expected, seen = _unconflicted(expected, conflicted), _unconflicted(seen, conflicted)
        if name in CYCLES and conflicted:
            continue
        if name in CYCLES:
            expected, seen = _joined(expected, seen), _joined(seen, expected)
        for words, odd in (("missing", expected - seen), ("extra", seen - expected)):
            yield from (f"{name}: {words} {witness}" for witness in sorted(odd))


def _unconflicted(witnesses_: Iterable[Witness], conflicted: set[int]) -> set[Witness]:
    return {witness for witness in witnesses_ if witness[0] not in conflicted}


def _joined(cycles: set[Witness], others: set[Witness]) -> set[Witness]:
    """Cycles for which the other side has none that shares an operation."""
    return {cycle for cycle in cycles if not any(set(cycle) & set(other) for other in others)}


_NAMES = ("inconsistent-offsets", "duplicate", "G1a", "precommitted-read", "unseen", *ORDERED)

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
