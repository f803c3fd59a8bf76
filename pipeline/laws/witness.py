"""A witness of an anomaly, as a row of the results has it, and what a law is.

run    log  values    offsets  ops     definite  detail
suite  x    (a, b)    (4, 7)   (0, 6)  True      None      what it is about, and the operations in the order of the story
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .columns import NO_WORD, NONE, Flags, Ints
from .facts import Facts
from .history import History


class HistoryWitness(NamedTuple):
    """`definite`: it holds whatever the outcome of the transactions whose outcome is unknown."""

    run: str
    log: str | None
    values: tuple[str, ...]
    offsets: tuple[int, ...]
    ops: tuple[int, ...]
    definite: bool
    detail: str | None = None


@dataclass(frozen=True)
class Law:
    """`anomaly`: what breaks it; `absence`: the witness is something missing, which is certain only when every event of the history could
    be read.

    In a history that is too large for one task, a law is judged log by log; except one `of_operations`, which needs all operations and no
    records, and one that `reads` facts of several logs. That law needs nothing else of the records.
    """

    anomaly: str
    witnesses: Callable[[History], list[HistoryWitness]]
    absence: bool = False
    of_operations: bool = False
    reads: tuple[type[Facts], ...] = ()


def witness(
    history: History,
    run: int,
    log: int,
    ops: Iterable[int],
    values: Iterable[str | None] = (),
    offsets: Iterable[int | None] = (),
    definite: bool = True,
    detail: str | None = None,
) -> HistoryWitness:
    """One witness; missing parts are left out."""
    return HistoryWitness(
        history.ops.runs[run],
        history.logs.name(log),
        tuple(value for value in values if value is not None),
        tuple(o for o in offsets if o is not None and o != NONE),
        tuple(op for op in ops if op != NONE),
        definite,
        detail,
    )


def witnesses(
    history: History,
    run: Ints,
    log: Ints | None,
    ops: Sequence[Ints],
    values: Sequence[Ints] = (),
    offsets: Sequence[Ints] = (),
    definite: Flags | bool = True,
    detail: Sequence[str | None] | None = None,
) -> list[HistoryWitness]:
    """A witness for each row of these columns; `values` are words of records."""
    size = len(run)
    if not size:
        return []
    logs = [NO_WORD] * size if log is None else log.tolist()
    sure = np.broadcast_to(np.asarray(definite), (size,)).tolist()
    words = [None] * size if detail is None else detail
    rows_of_values = zip(*(history.records.v.texts(column.tolist()) for column in values), strict=True) if values else [()] * size
    rows_of_offsets = zip(*(column.tolist() for column in offsets), strict=True) if offsets else [()] * size
    rows_of_ops = zip(*(column.tolist() for column in ops), strict=True) if ops else [()] * size
    every = zip(run.tolist(), logs, rows_of_ops, rows_of_values, rows_of_offsets, sure, words, strict=True)
    return [witness(history, *row) for row in every]


def groups_named(history: History, grp: Ints) -> list[str | None]:
    """The names of these groups, for a detail."""
    return history.ops.grp.texts(grp.tolist())
