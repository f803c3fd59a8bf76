"""Who a client is, and what its user may do: access-control lists, as an administrator changes them.

A change counts when the call returns: the broker that is asked shows it in its own list, the one by which it decides.
"""

from typing import Any

from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.wire.kafka.acls import ALLOW, ANYWHERE, LITERAL, Right

from .calls import Calls, the_only
from .cluster import AnyNode
from .errors import refused, verdict

_VERSION = 3


class AccessCalls(Calls):
    """Users and their rights."""

    def log_in_as(self, user: str) -> None:
        """All that this client asks from now on, it asks as that user. Raises NotOffered where nobody can log in."""
        self._cluster.log_in_as(user)

    def grant(self, right: Right) -> Outcome[None]:
        """CreateAcls, and the right is in force."""
        creation = {
            "resource_type": right.resource.kind,
            "resource_name": right.resource.name,
            "resource_pattern_type": LITERAL,
            "principal": right.principal,
            "host": ANYWHERE,
            "operation": right.operation,
            "permission_type": ALLOW,
        }

        def read(answer: Any) -> Outcome[None]:
            result = the_only(answer.results, answer, right)
            return verdict(result.error_code, None, result.error_message)

        message = self._request("create_acls", _VERSION, creations=[creation])
        return self._then_await(self._write(AnyNode(), message, read, frozenset()), right, is_there=True)

    def revoke(self, right: Right) -> Outcome[None]:
        """DeleteAcls, and the right is no longer in force."""

        def read(answer: Any) -> Outcome[None]:
            result = the_only(answer.filter_results, answer, right)
            return verdict(result.error_code, None, result.error_message)

        message = self._request("delete_acls", _VERSION, filters=[_just(right)])
        return self._then_await(self._write(AnyNode(), message, read, frozenset()), right, is_there=False)

    def _then_await(self, changed: Outcome[None], right: Right, *, is_there: bool) -> Outcome[None]:
        if not isinstance(changed, Done):
            return changed
        last: object = "nobody was asked"
        for _ in self._time.attempts():
            match self._has(right):
                case Done(found) if found is is_there:
                    return Done(None)
                case Done():
                    last = "its answer is still the one from before"
                case trouble:
                    last = trouble
        return Unknown(f"{'granted' if is_there else 'revoked'}: {right}; but DescribeAcls does not show that: {last}")

    def _has(self, right: Right) -> Outcome[bool]:
        def read(answer: Any) -> Outcome[bool]:
            return refused(answer.error_code, answer.error_message) if answer.error_code != 0 else Done(bool(answer.resources))

        return self._read(AnyNode(), self._request("describe_acls", _VERSION, **_just(right)), read, frozenset())


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
