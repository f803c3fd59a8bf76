"""The ids by which messages name the nodes of a cluster."""

from collections.abc import Sequence


class NodeIds:
    """The ids of the nodes with these numbers. Everything except requests and answers uses numbers, from 1 on."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers

    def id_of(self, number: int) -> int:
        """Decision: the id of a node: its number."""
        return number

    def number_of(self, node_id: int) -> int | None:
        """The number of the node that a request names; None when no node has that id."""
        return next((number for number in self._numbers if self.id_of(number) == node_id), None)
