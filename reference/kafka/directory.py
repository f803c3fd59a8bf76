"""Which node coordinates what: for the same key always the same one, for clients keep what they were answered."""

from fencepost.reference.kernel.rules import rule


class Directory:
    """The coordinators of groups and transactional ids in a cluster where one node coordinates."""

    def __init__(self, coordinator: int) -> None:
        self._coordinator = coordinator

    def coordinator_of(self, key: str) -> int:  # noqa: ARG002 - with more partitions of the log, the key's hash would choose one
        """Decision: the node that FindCoordinator answers for a key, the same one each time."""
        rule("KIP890-154")
        return self._coordinator
