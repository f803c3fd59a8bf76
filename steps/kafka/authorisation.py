"""Users and their rights, at a system where a user may do only what was granted.

Rights are to names that only this scenario has, so that scenarios do not disturb each other; what a role may do to the whole cluster is
always the same. A user who loses the right to change something keeps the right to describe it, so that the request of the scenario is
refused, and not an earlier look-up.
"""

from fencepost.steps.step_outcomes import achieved
from fencepost.wire.kafka.acl_codes import CLUSTER, AclOperation, Resource, ResourceKind, Right, principal_of

from .kafka_context import KafkaContext
from .rights import DESCRIBE, READ, WRITE_TO, WRITE_UNDER, GrantedRight, OnGroup, OnItsId, OnTopic
from .vocabulary import KAFKA

_USERS = {"an ordinary user": "ordinary", "an operator": "operator", "another broker": "peer"}
_OF_ROLES = {"operator": AclOperation.ALTER, "peer": AclOperation.CLUSTER_ACTION}
"""What a role may do to the cluster."""

_OPERATIONS = {DESCRIBE: AclOperation.DESCRIBE, READ: AclOperation.READ, WRITE_TO: AclOperation.WRITE, WRITE_UNDER: AclOperation.WRITE}


def log_in(context: KafkaContext, producer: str, transactional_id: str, group: str | None, role: str) -> None:
    """Let a producer's client connect as a user with all rights that a producer needs, and with those of the role to the cluster."""
    user = _USERS[role]
    if user in _OF_ROLES:
        _grant(context, user, _OF_ROLES[user], CLUSTER)
    resources: dict[Resource, tuple[AclOperation, ...]] = {
        Resource(ResourceKind.TRANSACTIONAL_ID, context.session.unique(transactional_id)): (AclOperation.WRITE,)
    }
    resources |= {Resource(ResourceKind.TOPIC, topic): (AclOperation.READ, AclOperation.WRITE) for topic in context.topics.values()}
    if group is not None:
        resources[Resource(ResourceKind.GROUP, context.session.unique(group))] = (AclOperation.READ,)
    for resource, operations in resources.items():
        for operation in (AclOperation.DESCRIBE, *operations):
            _grant(context, user, operation, resource)
    context.session.client(producer).log_in_as(user)
    context.users[producer] = user


RIGHTS = KAFKA.act(
    given="the user of {producer} may no longer {right}",
    when="the user of {producer} is {granted} to {right}",
    meaning="CreateAcls of one entry, or DeleteAcls where the user is no longer allowed to. As a Given, that right is taken away, and only "
    "that, and the step waits until it takes effect: the user may still describe what it may no longer write or read. Rights to write or "
    "to read imply the right to describe, so a user who may no longer describe something may do nothing with it.",
)


@RIGHTS.given
def may_no_longer(context: KafkaContext, producer: str, right: GrantedRight) -> None:
    match right:
        case OnItsId("describe"):
            may_no_longer(context, producer, OnItsId(WRITE_UNDER))
        case OnTopic("describe", topic):
            may_no_longer(context, producer, OnTopic(WRITE_TO, topic))
            may_no_longer(context, producer, OnTopic(READ, topic))
    taken = right_of(context, producer, right)
    achieved(context.observer.revoke(taken), f"taking away: {taken}")
    context.rights.discard(taken)


def right_of(context: KafkaContext, producer: str, right: GrantedRight) -> Right:
    """A right of a producer's user, as an entry of an access-control list."""
    one = context.producers[producer]
    match right:
        case OnItsId(written):
            operation, resource = _OPERATIONS[written], Resource(ResourceKind.TRANSACTIONAL_ID, one.transactional_id)
        case OnTopic(written, topic):
            operation, resource = _OPERATIONS[written], Resource(ResourceKind.TOPIC, context.topics[topic])
        case OnGroup(group):
            operation, resource = AclOperation.READ, Resource(ResourceKind.GROUP, context.session.unique(group))
    return Right(principal_of(context.users[producer]), operation, resource)


def _grant(context: KafkaContext, user: str, operation: AclOperation, resource: Resource) -> None:
    right = Right(principal_of(user), operation, resource)
    achieved(context.observer.grant(right), f"granting: {right}")
    context.rights.add(right)
