"""Which node coordinates what: for the same key always the same one, for clients keep what they were told."""

from fencepost.reference.kernel.rules import rule


class Directory:
    """The coordinators of groups and transactional ids in a cluster of one node."""

    def __init__(self, only_node: int) -> None:
        self._only_node = only_node

    def coordinator_of(self, key: str) -> int:  # noqa: ARG002 - with more nodes, the key's hash would choose the partition
        """The node's number."""
        rule("KIP890-154")
        return self._only_node
