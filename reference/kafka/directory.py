"""Which node coordinates what: for the same key always the same one, since clients cache the answer."""

from fencepost.reference.kernel.rules import rule

from .kafka_topics import FIRST_NODE


class Directory:
    """The coordinator of all transactional ids, for the transaction log has one partition; and that of all groups."""

    def __init__(self, coordinator: int) -> None:
        self.coordinator = coordinator

    def coordinator_of(self, key: str) -> int:  # noqa: ARG002 - with more partitions of the log, the key's hash would choose one
        """Decision: the node that FindCoordinator answers for a transactional id, the same one each time."""
        rule("KIP890-154")
        return self.coordinator

    def coordinates_groups(self, node: int) -> bool:
        """Decision: whether a node answers for what groups commit: the first one does, for all of them."""
        rule("KIP890-359")
        return node == FIRST_NODE

    def coordinates(self, node: int) -> bool:
        """Decision: whether that node answers for transactional ids: only the coordinator does."""
        rule("KIP890-374")
        return node == self.coordinator
