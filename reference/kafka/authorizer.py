"""The broker's access-control lists: which principal may do what. Each request has to pass their checks.

Without an authorizer every principal may do everything. With one, a principal may do only what is allowed to it, super users aside. A
principal that may READ, WRITE, DELETE or ALTER may DESCRIBE as well. Entries are durable; the broker knows only those that allow, by exact
names.

`api/authorisation` makes these checks in requests: before everything that changes something.
"""

from collections.abc import Callable, Sequence

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.acl_codes import CLUSTER, AclOperation, Resource, ResourceKind, Right, principal_of

from .broker_settings import Settings

ANONYMOUS = principal_of("ANONYMOUS")
"""The principal of a client that has not logged in."""

_IMPLY_DESCRIBE = frozenset({AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER})


class Authorizer:
    """The lists of one broker. The questions are about a principal, such as `User:alice`."""

    def __init__(self, settings: Settings, disk: Disk) -> None:
        self.is_on = settings.has_authorizer
        self._super_users = settings.super_users
        self._rights: Journal[Right] = disk.journal("acls")

    def grant(self, right: Right) -> None:
        """Decision: an added entry is in force at once; adding it again changes nothing."""
        rule("KIP890-375")
        self._rights.replace(dict.fromkeys((*self._rights, right)))

    def revoke(self, right: Right) -> None:
        """Decision: a removed entry is in force no longer."""
        rule("KIP890-375")
        self._rights.replace([one for one in self._rights if one != right])

    def rights(self) -> tuple[Right, ...]:
        """All entries, in the order in which they were made."""
        return tuple(self._rights)

    def allows(self, principal: str, operation: AclOperation, resource: Resource) -> bool:
        """Whether the principal may do that to this."""
        if not self.is_on or principal in self._super_users:
            return True
        enough = {operation, *_IMPLY_DESCRIBE} if operation is AclOperation.DESCRIBE else {operation}
        return any(right.principal == principal and right.resource == resource and right.operation in enough for right in self._rights)

    def may_use_transactional_id(self, principal: str, transactional_id: str) -> bool:
        """Decision: whether the principal may make requests about a transaction of that transactional id."""
        rule("KIP890-173")
        return self.allows(principal, AclOperation.WRITE, Resource(ResourceKind.TRANSACTIONAL_ID, transactional_id))

    def may_find_coordinator(self, principal: str, transactional_id: str) -> bool:
        """Decision: whether the principal may learn which node coordinates that transactional id."""
        rule("KIP890-259")
        return self._may_describe(principal, transactional_id)

    def may_find_group(self, principal: str, group: str) -> bool:
        """Decision: whether the principal may learn which node coordinates that group."""
        rule("KIP890-259")
        return self.allows(principal, AclOperation.DESCRIBE, Resource(ResourceKind.GROUP, group))

    def may_see_transactional_id(self, principal: str, transactional_id: str) -> bool:
        """Decision: whether DescribeTransactions and ListTransactions show the principal that transactional id."""
        rule("KIP890-260")
        rule("KIP890-261")
        return self._may_describe(principal, transactional_id)

    def denied(self, names: Sequence[str], may_see: Callable[[str], bool]) -> list[str]:
        """Decision: which of several ids or topics are kept from a principal: each that it may not see, whatever holds for the others."""
        return [one for one in names if not may_see(one)]

    def may_see_topic(self, principal: str, topic: str) -> bool:
        """Decision: whether DescribeTransactions shows the principal that the topic is part of a transaction."""
        rule("KIP890-269")
        return self.allows(principal, AclOperation.DESCRIBE, Resource(ResourceKind.TOPIC, topic))

    def _may_describe(self, principal: str, transactional_id: str) -> bool:
        return self.allows(principal, AclOperation.DESCRIBE, Resource(ResourceKind.TRANSACTIONAL_ID, transactional_id))

    def may_see_producers_of(self, principal: str, topic: str) -> bool:
        """Decision: whether DescribeProducers shows the principal the producers of that topic."""
        rule("KIP890-262")
        return self.allows(principal, AclOperation.READ, Resource(ResourceKind.TOPIC, topic))

    def may_add_for_brokers(self, principal: str, version: int) -> bool:  # noqa: ARG002 - all batched versions are for brokers
        """Decision: whether the principal may send a batched AddPartitionsToTxn of that version: brokers may, by CLUSTER_ACTION."""
        rule("KIP890-036")
        return self.allows(principal, AclOperation.CLUSTER_ACTION, CLUSTER)

    def may_write_markers(self, principal: str) -> bool:
        """Decision: whether the principal may end transactions in partitions, as an operator or as a broker."""
        rule("KIP890-175")
        return self.allows(principal, AclOperation.ALTER, CLUSTER) or self.allows(principal, AclOperation.CLUSTER_ACTION, CLUSTER)

    def may_commit_for_group(self, principal: str, group: str) -> bool:
        """Decision: whether offsets of the group may be part of the principal's transaction."""
        rule("KIP890-174")
        return self.allows(principal, AclOperation.READ, Resource(ResourceKind.GROUP, group))

    def may_commit_offsets_in(self, principal: str, topic: str) -> bool:
        """Decision: whether the principal may commit offsets of the topic."""
        rule("KIP890-174")
        return self.allows(principal, AclOperation.READ, Resource(ResourceKind.TOPIC, topic))

    def may_write_to(self, principal: str, topic: str) -> bool:
        """Decision: whether the principal's records, and so its transactions, may reach the topic."""
        rule("KIP890-176")
        return self.allows(principal, AclOperation.WRITE, Resource(ResourceKind.TOPIC, topic))

    def may_add(self, principal: str, topic: str) -> bool:
        """Decision: whether the principal may put partitions of the topic into its transaction."""
        rule("KIP890-258")
        return self.allows(principal, AclOperation.WRITE, Resource(ResourceKind.TOPIC, topic))

    def may_be_idempotent(self, principal: str) -> bool:
        """Decision: whether the principal may have a producer id without a transactional id: if it may write to any topic."""
        rule("KIP890-379")
        kinds = {right.resource.kind for right in self._rights if right.principal == principal and right.operation is AclOperation.WRITE}
        return ResourceKind.TOPIC in kinds or self.allows(principal, AclOperation.IDEMPOTENT_WRITE, CLUSTER)

    def may_change_rights(self, principal: str) -> bool:
        """Decision: whether the principal may add and remove entries."""
        rule("KIP890-376")
        return self.allows(principal, AclOperation.ALTER, CLUSTER)

    def may_list_rights(self, principal: str) -> bool:
        """Decision: whether the principal may list the entries."""
        rule("KIP890-376")
        return self.allows(principal, AclOperation.DESCRIBE, CLUSTER)
