"""A shortest cycle of operations that depend on each other."""

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping


def shortest_cycle(next_of: Mapping[int, Iterable[int]], members: Container[int], start: int) -> list[int]:
    """A shortest cycle through this operation, among the members of its component."""
    before: dict[int, int] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for after in next_of.get(node, ()):
            if after == start:
                return list(_back(before, node))[::-1]
            if after in members and after not in before:
                before[after] = node
                queue.append(after)
    raise AssertionError(f"operation {start} is in a component of its own")


def _back(before: Mapping[int, int], node: int) -> Iterator[int]:
    while True:
        yield node
        if node not in before:
            return
        node = before[node]
