"""Information flows one way: the dependencies between operations have no cycle.

Edges are between operations, and only those that may close a cycle are examined, island by island (`edges`). Each component of an
island yields one shortest cycle, by the fewest kinds of edges that close one, whatever the order of the edges. A sound history has no
backward edge, and so no island.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from fencepost.pipeline.shortest_cycle import shortest_cycle

from .edges import RW, WR, WW, Edges, islands
from .history import History
from .witness import HistoryWitness, Law, witness

_NAMES = (("G0", (WW,)), ("G1c", (WR, WW)), ("G2", (WR, WW, RW)))


def write_cycle(history: History) -> list[HistoryWitness]:
    """G0: a cycle of writes alone. Kafka allows it, since it promises no isolation of writes. Found only when writes are inferred.

    a  b  kind
    1  3  ww      the record of operation 3 stands behind that of 1 in one log
    3  1  ww      and before it in another
    """
    return _named(history, "G0")


def circular_flow(history: History) -> list[HistoryWitness]:
    """G1c: a cycle with a read. Definite when it has reads only; with inferred writes Kafka allows it, and it is possible.

    a  b  kind
    1  3  wr      operation 3 read what 1 had sent
    3  1  wr      and 1 what 3 had sent
    """
    return _named(history, "G1c", definite=not (history.infer_ww or history.infer_rw))


def single_anti_dependency(history: History) -> list[HistoryWitness]:
    """G-single: a cycle with one anti-dependency; found only when these are inferred. Possible: no log promises serializability.

    a  b  kind
    1  3  wr      operation 3 read what 1 had sent
    3  1  rw      and not what 1 had sent behind it in another log
    """
    return _named(history, "G-single")


def anti_dependency_cycle(history: History) -> list[HistoryWitness]:
    """G2: a cycle with several anti-dependencies. Possible, as G-single.

    a  b  kind
    1  3  rw      operation 1 did not read what 3 sent behind
    3  1  rw      and 3 not what 1 sent
    """
    return _named(history, "G2")


def _named(history: History, name: str, definite: bool = False) -> list[HistoryWitness]:
    return [witness(history, run, -1, ops, definite=definite) for run, called, ops in history.once(_cycles) if called == name]


def _cycles(history: History) -> list[tuple[int, str, list[int]]]:
    """All cycles, each with its run and its name; solved once for the four laws that read them."""
    return [(int(island.run[0]), *cycle) for island in islands(history.once(Edges.of)) for cycle in _solved(island)]


def _solved(island: Edges) -> Iterator[tuple[str, list[int]]]:
    """One cycle for each component of an island."""
    # Between the same operations an anti-dependency gives way to other edges, and an edge of reads to one of writes.
    island = island.where(np.lexsort((-island.kind, island.b, island.a)))
    names = dict(zip(island.a.tolist(), island.a_op.tolist(), strict=True)) | dict(
        zip(island.b.tolist(), island.b_op.tolist(), strict=True)
    )
    solved: set[int] = set()
    for name, kinds in _NAMES:
        next_of: dict[int, dict[int, int]] = defaultdict(dict)
        for one, other, kind in zip(island.a.tolist(), island.b.tolist(), island.kind.tolist(), strict=True):
            if kind in kinds:
                next_of[one][other] = kind
        for members in sorted(components(next_of), key=min):
            if solved & members:
                continue  # already known, as a cycle of fewer kinds
            cycle = shortest_cycle(next_of, members, min(members))
            solved |= members
            anti = sum(next_of[one][other] == RW for one, other in zip(cycle, cycle[1:] + cycle[:1], strict=True))
            yield "G-single" if name == "G2" and anti == 1 else name, [names[node] for node in cycle]


def components(next_of: Mapping[int, Iterable[int]]) -> list[set[int]]:
    """The sets of two or more operations that all depend on each other, by Tarjan's walk.

    `place` is where the walk reached an operation, and `lowest` the lowest place of those on the path that it leads back to: an operation
    that leads back no further than to itself closes a component, with all that the walk has reached since.
    """
    found = []
    place: dict[int, int] = {}
    lowest: dict[int, int] = {}
    since: list[int] = []
    unclosed: set[int] = set()
    for root in next_of:
        way = [] if root in place else [(root, iter(next_of[root]))]
        while way:
            node, others = way[-1]
            if node not in place:
                place[node] = lowest[node] = len(place)
                since.append(node)
                unclosed.add(node)
            fresh = None
            for other in others:
                if other not in place:
                    fresh = other
                    break
                if other in unclosed:
                    lowest[node] = min(lowest[node], place[other])
            if fresh is not None:
                way.append((fresh, iter(next_of.get(fresh, ()))))
                continue
            way.pop()
            if way:
                lowest[way[-1][0]] = min(lowest[way[-1][0]], lowest[node])
            if lowest[node] == place[node]:
                members = {node}
                while (one := since.pop()) != node:
                    members.add(one)
                unclosed -= members
                if len(members) > 1:
                    found.append(members)
    return found


LAWS = (
    Law("G0", write_cycle, reads=(Edges,)),
    Law("G1c", circular_flow, reads=(Edges,)),
    Law("G-single", single_anti_dependency, reads=(Edges,)),
    Law("G2", anti_dependency_cycle, reads=(Edges,)),
)
