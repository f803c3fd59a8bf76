"""A client's user, and the user's rights: access-control lists, as an administrator changes them.

A call returns when its change is in force: each node shows it in DescribeAcls, from the list by which that node decides.
"""

from __future__ import annotations

from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.wire.kafka.acl_codes import ALLOW, ANYWHERE, LITERAL, AclOperation, Resource, ResourceKind, Right

from .cluster import AnyNode, ClusterNode
from .kafka_calls import KafkaCalls, the_only
from .kafka_error_outcomes import refused, verdict

_VERSION = 3

_ANYTHING: dict[str, object] = {
    "resource_type_filter": 1,
    "resource_name_filter": None,
    "pattern_type_filter": 1,
    "principal_filter": None,
    "host_filter": None,
    "operation": 1,
    "permission_type": 1,
}
"""The filter that finds every entry."""


class AccessCalls(KafkaCalls):
    """Logging in, and changing the rights of users."""

    def log_in_as(self, user: str) -> None:
        """From now on, this client sends all requests as that user. Raises NotOffered if the broker has no logins."""
        self._cluster.log_in_as(user)

    def grant(self, right: Right) -> Outcome[None]:
        """CreateAcls, and wait until the right is in force."""
        return self._then_await(self.create_acl(right), right, is_there=True)

    def create_acl(self, right: Right, **otherwise: object) -> Outcome[None]:
        """CreateAcls of this entry, or of one that differs in these fields, without a wait."""
        creation = {
            "resource_type": right.resource.kind,
            "resource_name": right.resource.name,
            "resource_pattern_type": LITERAL,
            "principal": right.principal,
            "host": ANYWHERE,
            "operation": right.operation,
            "permission_type": ALLOW,
        } | otherwise

        def read(answer: Any) -> Outcome[None]:
            result = the_only(answer.results, answer, right)
            return verdict(result.error_code, None, result.error_message)

        return self._write(AnyNode(), self._request("create_acls", _VERSION, creations=[creation]), read, frozenset())

    def revoke(self, right: Right) -> Outcome[None]:
        """DeleteAcls, and wait until the right is no longer in force."""
        return self.delete_acl(right).then(lambda _: self._then_await(Done(None), right, is_there=False))

    def delete_acl(self, right: Right) -> Outcome[tuple[Right, ...]]:
        """DeleteAcls of only this entry; returns the entries that the answer names as deleted."""

        def read(answer: Any) -> Outcome[tuple[Right, ...]]:
            result = the_only(answer.filter_results, answer, right)
            deleted = tuple(found for one in result.matching_acls if one.error_code == 0 and (found := _entry(one, one)) is not None)
            return verdict(result.error_code, deleted, result.error_message)

        return self._write(AnyNode(), self._request("delete_acls", _VERSION, filters=[_just(right)]), read, frozenset())

    def acls(self, **filters: object) -> Outcome[tuple[Right, ...]]:
        """DescribeAcls: the entries that allow, by exact names; a filter that is not named matches everything."""

        def read(answer: Any) -> Outcome[tuple[Right, ...]]:
            found = (_entry(resource, one) for resource in answer.resources for one in resource.acls)
            return verdict(answer.error_code, tuple(one for one in found if one is not None), answer.error_message)

        return self._read(AnyNode(), self._request("describe_acls", _VERSION, **(_ANYTHING | filters)), read, frozenset())

    def _then_await(self, changed: Outcome[None], right: Right, *, is_there: bool) -> Outcome[None]:
        """Wait until every node knows the change: each decides by what it knows."""
        if not isinstance(changed, Done):
            return changed
        match self._cluster.brokers():
            case Done(nodes):
                late = list(nodes.values())
            case trouble:
                return trouble
        last: object = "no request was sent"
        for _ in self._time.attempts():
            match self._has(right, late[-1]):
                case Done(found) if found is is_there:
                    late.pop()
                case Done():
                    last = f"the answer of {late[-1]} is still the one from before"
                case trouble:
                    last = trouble
            if not late:
                return Done(None)
        return Unknown(f"{'granted' if is_there else 'revoked'}: {right}; but DescribeAcls does not show that: {last}")

    def _has(self, right: Right, node: Address) -> Outcome[bool]:
        def read(answer: Any) -> Outcome[bool]:
            return refused(answer.error_code, answer.error_message) if answer.error_code != 0 else Done(bool(answer.resources))

        return self._read(ClusterNode(node), self._request("describe_acls", _VERSION, **_just(right)), read, frozenset())


def _entry(resource: Any, entry: Any) -> Right | None:
    """An entry of an answer; None for a kind that the suite does not create."""
    if (resource.pattern_type, entry.host, entry.permission_type) != (LITERAL, ANYWHERE, ALLOW):
        return None
    try:
        kind, operation = ResourceKind(resource.resource_type), AclOperation(entry.operation)
    except ValueError:
        return None
    return Right(str(entry.principal), operation, Resource(kind, str(resource.resource_name)))


def _just(right: Right) -> dict[str, Any]:
    """The filter that finds this entry and no other."""
    return {
        "resource_type_filter": right.resource.kind,
        "resource_name_filter": right.resource.name,
        "pattern_type_filter": LITERAL,
        "principal_filter": right.principal,
        "host_filter": ANYWHERE,
        "operation": right.operation,
        "permission_type": ALLOW,
    }
