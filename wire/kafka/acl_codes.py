"""Access-control lists in Kafka's numbers: kinds of resources, operations, and the entries that CreateAcls makes of them.

Only what the suite needs: entries that allow, for one user from anywhere, one operation on the resource of exactly that name.
"""

from dataclasses import dataclass
from enum import IntEnum


class ResourceKind(IntEnum):
    """The kind of resource of an entry."""

    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5


class AclOperation(IntEnum):
    """What an entry allows."""

    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    IDEMPOTENT_WRITE = 12


ALLOW = 3
"""The permission type of an entry that allows."""

LITERAL = 3
"""The pattern type of an entry that matches only the name that it has."""

ANYWHERE = "*"
"""The host of an entry that allows a user from any host."""


@dataclass(frozen=True, order=True)
class Resource:
    """The object of an operation."""

    kind: ResourceKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind.name.lower()} {self.name}"


CLUSTER = Resource(ResourceKind.CLUSTER, "kafka-cluster")
"""The only one of its kind."""


@dataclass(frozen=True, order=True)
class Right:
    """An entry: this principal may perform that operation on this resource."""

    principal: str
    operation: AclOperation
    resource: Resource

    def __str__(self) -> str:
        return f"{self.principal} may {self.operation.name} {self.resource}"


def principal_of(user: str) -> str:
    """A user as principals are written."""
    return f"User:{user}"
