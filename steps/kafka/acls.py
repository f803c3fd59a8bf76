"""Access-control lists, as an administrator changes them and looks them up: CreateAcls, DeleteAcls, DescribeAcls."""

from collections.abc import Callable
from dataclasses import dataclass, field

from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.step_outcomes import achieved, observed
from fencepost.wire.kafka.acl_codes import ALLOW, ANYWHERE, CLUSTER, LITERAL, AclOperation, Resource, ResourceKind, Right, principal_of

from .authorisation import RIGHTS, right_of
from .kafka_context import KafkaContext
from .rights import WRITE_TO, GrantedRight, MayWriteUnder, OnlyRight, OnTopic
from .vocabulary import KAFKA

_ELSEWHERE = "192.0.2.1"
"""A host from which no client connects."""

_DENY = 2
_ANY, _MATCH, _PREFIXED = 1, 2, 4
"""Pattern types of filters: any type, patterns that match a name, and names with this prefix."""


@RIGHTS.when
def is_granted(context: KafkaContext, producer: str, granted: str, right: GrantedRight) -> None:
    context.begin()
    wanted = right_of(context, producer, right)
    match granted:
        case "no longer allowed":
            context.keep(None, context.observer.delete_acl(wanted), "DeleteAcls")
            context.rights.discard(wanted)
        case "allowed":
            context.keep(None, context.observer.create_acl(wanted), "CreateAcls")
            context.rights.add(wanted)
        case "denied the right":
            context.keep(None, context.observer.create_acl(wanted, permission_type=_DENY), "CreateAcls")
        case _:
            context.keep(None, context.observer.create_acl(wanted, host=_ELSEWHERE), "CreateAcls")


@KAFKA.when("{acl_request} is sent for a right to read {topic}")
def is_sent(context: KafkaContext, acl_request: str, topic: str) -> None:
    """Sent by a client that may do everything. Only CreateAcls makes an entry; the other requests change nothing."""
    context.begin()
    context.keep(None, asked(context.observer, acl_request, context.topics[topic]), acl_request)


@KAFKA.when("rights to {topic} and to group {group} are given to two users")
def are_given(context: KafkaContext, topic: str, group: str) -> None:
    """CreateAcls of four entries: one user may read and write the topic and read the group, the other may read the topic."""
    context.begin()
    where = Resource(ResourceKind.TOPIC, context.topics[topic])
    behind = Resource(ResourceKind.GROUP, context.session.unique(group))
    one, other = principal_of("one"), principal_of("other")
    wanted = [Right(one, AclOperation.READ, where), Right(one, AclOperation.WRITE, where), Right(one, AclOperation.READ, behind)]
    for right in (*wanted, Right(other, AclOperation.READ, where)):
        context.keep(None, context.observer.create_acl(right), "CreateAcls")
        if not isinstance(context.answer, Done):
            break
        context.rights.add(right)


@KAFKA.when("a user who may {only_right} initialises {with_id}")
def initialises_with_one_right(context: KafkaContext, only_right: OnlyRight, with_id: str) -> None:
    """InitProducerId as a new user of this scenario who has this one right: without a transactional id, or with that of the right.

    Where that right allows the request, the step repeats it until the right takes effect or patience ends.
    """
    match only_right:
        case MayWriteUnder(name):
            may_write, resource = True, Resource(ResourceKind.TRANSACTIONAL_ID, context.session.unique(name))
        case OnTopic(operation, topic):
            may_write, resource = operation == WRITE_TO, Resource(ResourceKind.TOPIC, context.topics[topic])
    user, allowed = ("writer", AclOperation.WRITE) if may_write else ("reader", AclOperation.READ)
    probe = _client_with_right(context, user, allowed, resource)
    transactional_id = resource.name if with_id == "with it" else None
    answer = (
        _when_it_counts(context, lambda: probe.init_producer_id(transactional_id))
        if may_write
        else probe.init_producer_id(transactional_id)
    )
    context.keep(None, answer, "InitProducerId")


@KAFKA.then("the answer names the right to {right} of the user of {producer}, and no other")
def names_the_right(context: KafkaContext, right: GrantedRight, producer: str) -> None:
    """The answer to DeleteAcls lists the entries that it has removed: exactly this one."""
    expected = (right_of(context, producer, right),)
    context.evidence.expect(context.answer == Done(expected), _list(expected), str(context.answer), what="answer to DeleteAcls")


@KAFKA.then("the user of {producer} {may} write to {topic}")
def may_write(context: KafkaContext, producer: str, may: str, topic: str) -> None:
    """Produce of a record outside of transactions, repeated until the answer is the expected one or patience ends."""
    one, where = context.producers[producer], context.partition(f"{topic}-0")
    for _ in context.time.attempts():
        answer = one.probe.produce(where, ["may"], version=one.probe.newest("produce", 3, 12))
        denied = isinstance(answer, Refused) and answer.error == "TOPIC_AUTHORIZATION_FAILED"
        holds = isinstance(answer, Done) if may == "may" else denied
        if holds:
            break
    context.evidence.expect(holds, "success" if may == "may" else "TOPIC_AUTHORIZATION_FAILED", str(answer), what="answer to Produce")


@KAFKA.then("DescribeAcls finds by each filter what it is for")
def finds_what_it_should(context: KafkaContext) -> None:
    """For each filter, DescribeAcls returns exactly the matching entries among those that the scenario has made, each once. It is asked
    until they match or patience ends. Entries of other scenarios are ignored.
    """
    names = {right.resource.name for right in context.rights if right.resource != CLUSTER}
    ours = [right for right in context.rights if right.resource != CLUSTER]
    for one in _filters(ours):
        expected = tuple(sorted(filter(one.passes, ours)))
        for _ in context.time.attempts():
            found = observed(context.observer.acls(**one.fields), f"listing entries {one.name}")
            seen = tuple(sorted(right for right in found if right.resource.name in names))
            if seen == expected:
                break
        context.evidence.expect(seen == expected, _list(expected), _list(seen), what=f"entries {one.name}")


def _when_it_counts(context: KafkaContext, request: Callable[[], Outcome[object]]) -> Outcome[object]:
    """The answer once the broker has learned of the right that its controller has made, or the last refusal when patience ends."""
    answer: Outcome[object] = Unknown("patience is over before the first attempt")
    for _ in context.time.attempts():
        answer = request()
        if not (isinstance(answer, Refused) and answer.error.endswith("AUTHORIZATION_FAILED")):
            break
    return answer


@dataclass(frozen=True)
class _Filter:
    name: str
    passes: Callable[[Right], bool]
    fields: dict[str, object] = field(default_factory=dict)


def _client_with_right(context: KafkaContext, user: str, operation: AclOperation, resource: Resource) -> KafkaProbe:
    context.begin()
    achieved(context.observer.create_acl(Right(principal_of(user), operation, resource)), f"granting {operation.name} to {user}")
    probe: KafkaProbe = context.session.client(user)
    probe.log_in_as(user)
    return probe


def _filters(rights: list[Right]) -> list[_Filter]:
    one = max(rights)
    topic, user = one.resource.name, one.principal
    return [
        _Filter("of any kind", lambda _: True),
        _Filter("about topics", lambda right: right.resource.kind is ResourceKind.TOPIC, {"resource_type_filter": ResourceKind.TOPIC}),
        _Filter("about one name", lambda right: right.resource.name == topic, {"resource_name_filter": topic}),
        _Filter("by exact names", lambda _: True, {"pattern_type_filter": LITERAL}),
        _Filter("that match", lambda right: right.resource.name == topic, {"pattern_type_filter": _MATCH, "resource_name_filter": topic}),
        _Filter("by prefixes", lambda _: False, {"pattern_type_filter": _PREFIXED}),
        _Filter("of one user", lambda right: right.principal == user, {"principal_filter": user}),
        _Filter("of nobody", lambda _: False, {"principal_filter": principal_of("nobody")}),
        _Filter("from anywhere", lambda _: True, {"host_filter": ANYWHERE}),
        _Filter("from one host", lambda _: False, {"host_filter": _ELSEWHERE}),
        _Filter("to write", lambda right: right.operation is AclOperation.WRITE, {"operation": AclOperation.WRITE}),
        _Filter("that allow", lambda _: True, {"permission_type": ALLOW}),
        _Filter("that deny", lambda _: False, {"permission_type": _DENY}),
    ]


def asked(probe: KafkaProbe, acl_request: str, topic: str) -> Outcome[object]:
    """The answer to a request about the right of a missing user to read a topic of this name."""
    right = Right(principal_of("somebody"), AclOperation.READ, Resource(ResourceKind.TOPIC, topic))
    match acl_request:
        case "CreateAcls":
            return probe.create_acl(right)
        case "DeleteAcls":
            return probe.delete_acl(right)
        case _:
            return probe.acls(resource_name_filter=right.resource.name, pattern_type_filter=_ANY)


def _list(rights: tuple[Right, ...]) -> str:
    return "; ".join(map(str, rights)) or "none"
