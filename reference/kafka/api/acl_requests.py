"""The requests of an administrator of access-control lists: CreateAcls, DeleteAcls, DescribeAcls.

The broker has entries that allow, from any host, for a resource of exactly that name, and answers INVALID_REQUEST to all others.
"""

from collections.abc import Callable
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.node import KafkaNode
from fencepost.wire.kafka.acl_codes import ALLOW, ANYWHERE, LITERAL, AclOperation, Resource, ResourceKind, Right
from fencepost.wire.kafka.entities import response

_ANY = 1
"""In a filter: any kind of resource, operation or permission."""

_MATCHING = (1, 2, LITERAL)
"""The pattern types of filters that find an entry of exactly that name: any, those that match the name, and exact ones."""


def create_acls(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Add entries, each by itself; adding an existing one changes nothing."""
    results = []
    for wanted in asked.creations:
        result: dict[str, Any] = {"error_code": Errors.NONE, "error_message": None}
        try:
            _check_authorizer(node)
            node.authorizer.grant(_right(wanted))
        except RequestRefused as refusal:
            result |= {"error_code": refusal.error, "error_message": refusal.message}
        results.append(result)
    return response(asked, throttle_time=0, results=results)


def delete_acls(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Remove the entries that each filter finds."""
    results = []
    for wanted in asked.filters:
        result: dict[str, Any] = {"error_code": Errors.NONE, "error_message": None, "matching_acls": []}
        try:
            _check_authorizer(node)
            for right in filter(_finds(wanted, wanted.pattern_type_filter), node.authorizer.rights()):
                node.authorizer.revoke(right)
                found = {"error_code": Errors.NONE, "error_message": None, **_reported_resource(right.resource), **_reported(right)}
                result["matching_acls"].append(found)
        except RequestRefused as refusal:
            result |= {"error_code": refusal.error, "error_message": refusal.message}
        results.append(result)
    return response(asked, throttle_time=0, filter_results=results)


def describe_acls(node: KafkaNode, asked: Any) -> ResponsePayload:
    """The entries that the filter finds, by what they are about."""
    try:
        _check_authorizer(node)
    except RequestRefused as refusal:
        return response(asked, throttle_time=0, error_code=refusal.error, error_message=refusal.message, resources=[])
    found: dict[Resource, list[Right]] = {}
    for right in filter(_finds(asked, asked.pattern_type_filter), node.authorizer.rights()):
        found.setdefault(right.resource, []).append(right)
    resources = [{**_reported_resource(resource), "acls": [_reported(right) for right in rights]} for resource, rights in found.items()]
    return response(asked, throttle_time=0, error_code=Errors.NONE, error_message=None, resources=resources)


def _check_authorizer(node: KafkaNode) -> None:
    if not node.authorizer.is_on:
        raise RequestRefused(Errors.SECURITY_DISABLED, "No Authorizer is configured.")


def _right(wanted: Any) -> Right:
    try:
        right = Right(wanted.principal, AclOperation(wanted.operation), Resource(ResourceKind(wanted.resource_type), wanted.resource_name))
    except ValueError as error:
        raise RequestRefused(Errors.INVALID_REQUEST, str(error)) from error
    is_exact = ANYWHERE not in (right.resource.name, right.principal.partition(":")[2])
    if not is_exact or (wanted.permission_type, wanted.resource_pattern_type, wanted.host) != (ALLOW, LITERAL, ANYWHERE):
        raise RequestRefused(Errors.INVALID_REQUEST, "the reference knows only entries that allow, from anywhere, by exact names")
    return right


def _finds(wanted: Any, pattern_type: int) -> Callable[[Right], bool]:
    """Whether the filter finds an entry; a field that it leaves out, or sets to any, matches everything."""

    def finds(right: Right) -> bool:
        return (
            wanted.resource_type_filter in (_ANY, right.resource.kind)
            and wanted.resource_name_filter in (None, right.resource.name)
            and pattern_type in _MATCHING
            and wanted.principal_filter in (None, right.principal)
            and wanted.host_filter in (None, ANYWHERE)
            and wanted.operation in (_ANY, right.operation)
            and wanted.permission_type in (_ANY, ALLOW)
        )

    return finds


def _reported_resource(resource: Resource) -> dict[str, Any]:
    return {"resource_type": resource.kind, "resource_name": resource.name, "pattern_type": LITERAL}


def _reported(right: Right) -> dict[str, Any]:
    return {"principal": right.principal, "host": ANYWHERE, "operation": right.operation, "permission_type": ALLOW}
