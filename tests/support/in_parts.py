"""Histories that are judged as if their logs were too large to be held by one task: by the same steps as in tasks of Spark."""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fencepost.pipeline.laws import history_parts
from fencepost.pipeline.laws.facts import Facts
from fencepost.pipeline.laws.history import History, Inferred
from fencepost.pipeline.laws.judge import judged
from fencepost.pipeline.laws.witness import HistoryWitness, Law
from fencepost.pipeline.movement.events import Block, events
from fencepost.pipeline.movement.pairing import paired

Shown = Counter[tuple[str, HistoryWitness]]


def in_parts(reported: Mapping[str, Sequence[dict[str, Any]]], buckets: int, infer: bool = False) -> Shown:
    """How often each anomaly has each witness, where so many tasks hold logs."""
    lines = "\n".join(json.dumps(event) for history in reported.values() for event in history)
    read = paired(events([Block(lines.encode(), 1, 0, "")]))
    damaged = frozenset(read.bad["run"].drop_null().to_pylist())
    inferred, operations = Inferred(infer, infer), read.operations
    every, ends, alone = (
        operations.filter(pa.array(which(operations))) for which in (history_parts.common, history_parts.ends, history_parts.of_operations)
    )
    held = _buckets(read.records, buckets)
    found: Shown = Counter()

    def count(history: History, laws: Iterable[Law]) -> None:
        for anomaly, witnesses in judged(history, laws, damaged).items():
            found.update((anomaly, one) for one in witnesses)

    def histories(which: Iterable[pa.Table], shown: tuple[Sequence[str], Sequence[int]] = ((), ())) -> list[History]:
        return [history_parts.of_logs(every, ends, records, inferred, shown) for records in which]

    seen = [history_parts.shown(history) for history in histories(held)] if any(map(history_parts.doubtful, held)) else []
    shown = [run for runs, _ in seen for run in runs], [unit for _, units in seen for unit in units]
    whole: list[tuple[type[Facts], pa.Table]] = []
    for history in histories(held, shown):
        count(history, history_parts.OF_LOGS)
        whole += history_parts.asking(history, history_parts.KINDS.values())
    asked = _together(one for one in whole if one[0].key)
    for records in held:
        if mine := history_parts.touched(records, asked):
            whole += history_parts.belonging(*histories([records], shown), mine)
    facts = _together(whole)
    count(history_parts.across(alone, facts, inferred), history_parts.OF_OPERATIONS)
    count(history_parts.across(every, facts, inferred), history_parts.ACROSS)
    return found


def _buckets(records: pa.Table, buckets: int) -> list[pa.Table]:
    logs = zip(records["run"].to_pylist(), records["log"].to_pylist(), strict=True)
    names = [zlib.crc32(f"{run}/{log}".encode()) % buckets for run, log in logs]
    return [records.filter(pa.array(np.array(names) == bucket)) for bucket in sorted(set(names))]


def _together(facts: Iterable[tuple[type[Facts], pa.Table]]) -> dict[type[Facts], pa.Table]:
    found: dict[type[Facts], pa.Table] = {}
    for kind, table in facts:
        found[kind] = pa.concat_tables([found[kind], table]) if kind in found else table
    return found
