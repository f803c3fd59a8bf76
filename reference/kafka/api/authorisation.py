"""What a principal may ask, decided before the handlers, so that a refusal has changed nothing.

A gate refuses a request as a whole, or removes from it what is not allowed, hands on the rest, and joins the answers; the order of its
checks is that of Apache Kafka. An API without a gate here is open to every principal: a client that reads, or creates, moves or deletes
topics, needs no right here, though it does in Apache Kafka.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, cast

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.authorizer import Authorizer
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import NOTHING, PartitionName
from fencepost.reference.kafka.node import KafkaNode
from fencepost.wire.kafka.batches import MalformedBatch, decode
from fencepost.wire.kafka.entities import api_of, response

from .shapes import NOT_DESCRIBED, NOWHERE, by_topic, key_type_of

_FOR_BROKERS = 4
"""From this version on AddPartitionsToTxn is a broker's request."""

_BY_ID = 13
"""From this version on Produce names topics by their ids."""

_BATCHED = 4
"""From this version on FindCoordinator is about several keys."""

Handler: TypeAlias = Callable[[KafkaNode, Any], ResponsePayload]


@dataclass(frozen=True)
class _Asker:
    """The principal and the node that it asks; `go_on` is the handler after the gate."""

    node: KafkaNode
    principal: str
    handler: Handler

    @property
    def authorizer(self) -> Authorizer:
        return self.node.authorizer

    def go_on(self, asked: Any) -> ResponsePayload:
        return self.handler(self.node, asked)


_Gate: TypeAlias = Callable[[_Asker, Any], ResponsePayload]


def authorised(node: KafkaNode, principal: str, asked: Any, handler: Handler) -> ResponsePayload:
    """The answer to the principal's request: the handler's, for what is allowed."""
    gate = _GATES.get(api_of(asked)) if node.authorizer.is_on else None
    return handler(node, asked) if gate is None else gate(_Asker(node, principal, handler), asked)


def _init_producer_id(asker: _Asker, asked: Any) -> ResponsePayload:
    if asked.transactional_id is None:
        error = Errors.NONE if asker.authorizer.may_be_idempotent(asker.principal) else Errors.CLUSTER_AUTHORIZATION_FAILED
    else:
        error = _of_transactional_id(asker, asked.transactional_id)
    return response(asked, throttle_time=0, error_code=error, producer_id=NOTHING, producer_epoch=NOTHING) if error else asker.go_on(asked)


def _add_partitions_to_txn(asker: _Asker, asked: Any) -> ResponsePayload:
    if asked.__version__ >= _FOR_BROKERS:
        if asker.authorizer.may_add_for_brokers(asker.principal, int(asked.__version__)):
            return asker.go_on(asked)
        return response(asked, throttle_time=0, error_code=Errors.CLUSTER_AUTHORIZATION_FAILED, results_by_transaction=[])
    partitions = [PartitionName(topic.name, int(number)) for topic in asked.v3_and_below_topics for number in topic.partitions]
    if error := _of_transactional_id(asker, asked.v3_and_below_transactional_id):
        return _added(asked, dict.fromkeys(partitions, error))
    if all(asker.authorizer.may_add(asker.principal, partition.topic) for partition in partitions):
        return asker.go_on(asked)
    return _added(asked, {partition: _beside_a_refusal(asker, partition) for partition in partitions})


def _beside_a_refusal(asker: _Asker, partition: PartitionName) -> Errors:
    """The answer for a partition when another of the request's topics is refused: then none is added."""
    if not asker.authorizer.may_add(asker.principal, partition.topic):
        return Errors.TOPIC_AUTHORIZATION_FAILED
    return Errors.OPERATION_NOT_ATTEMPTED if partition in asker.node.topics else Errors.UNKNOWN_TOPIC_OR_PARTITION


def _added(asked: Any, errors: dict[PartitionName, Errors]) -> ResponsePayload:
    topics = [
        {
            "name": topic,
            "results_by_partition": [{"partition_index": one.partition, "partition_error_code": errors[one]} for one in partitions],
        }
        for topic, partitions in by_topic(errors)
    ]
    return response(asked, throttle_time=0, results_by_topic_v3_and_below=topics)


def _add_offsets_to_txn(asker: _Asker, asked: Any) -> ResponsePayload:
    error = _of_transactional_id(asker, asked.transactional_id) or _of_group(asker, asked.group_id)
    return response(asked, throttle_time=0, error_code=error) if error else asker.go_on(asked)


def _txn_offset_commit(asker: _Asker, asked: Any) -> ResponsePayload:
    if error := _of_transactional_id(asker, asked.transactional_id) or _of_group(asker, asked.group_id):
        return response(asked, throttle_time=0, topics=_not_committed(asked.topics, error))
    allowed = [topic for topic in asked.topics if asker.authorizer.may_commit_offsets_in(asker.principal, topic.name)]
    if len(allowed) == len(asked.topics) > 0:
        return asker.go_on(asked)
    denied = [topic for topic in asked.topics if topic not in allowed]
    refused = response(asked, throttle_time=0, topics=_not_committed(denied, Errors.TOPIC_AUTHORIZATION_FAILED))
    if not allowed:
        return refused
    answer = asker.go_on(replace(asked, topics=tuple(allowed)))
    return _joined(answer, refused, "topics")


def _not_committed(topics: Iterable[Any], error: Errors) -> list[dict[str, Any]]:
    return [
        {"name": topic.name, "partitions": [{"partition_index": one.partition_index, "error_code": error} for one in topic.partitions]}
        for topic in topics
    ]


def _produce(asker: _Asker, asked: Any) -> ResponsePayload:
    if _is_transactional(asked) and (error := _of_transactional_id(asker, asked.transactional_id)):
        return response(asked, responses=_not_appended(asked, asked.topic_data, error), throttle_time=0)
    allowed = [topic for topic in asked.topic_data if _may_write_to(asker, asked, topic)]
    if len(allowed) == len(asked.topic_data) > 0:
        return asker.go_on(asked)
    denied = [topic for topic in asked.topic_data if topic not in allowed]
    refused = response(asked, responses=_not_appended(asked, denied, Errors.TOPIC_AUTHORIZATION_FAILED), throttle_time=0)
    if not allowed:
        return refused
    answer = asker.go_on(replace(asked, topic_data=tuple(allowed)))
    return _joined(answer, refused, "responses")


def _is_transactional(asked: Any) -> bool:
    """Whether a batch in it says so; bytes that cannot be read are for the handler to refuse."""
    try:
        return any(
            batch.transactional for topic in asked.topic_data for one in topic.partition_data for batch in decode(one.records or b"")
        )
    except MalformedBatch:
        return False


def _may_write_to(asker: _Asker, asked: Any, topic: Any) -> bool:
    """Whether records may go there; a topic by an unknown id is for the handler to refuse."""
    if asked.__version__ < _BY_ID:
        return asker.authorizer.may_write_to(asker.principal, topic.name)
    known = asker.node.topics.with_id(topic.topic_id)
    return known is None or asker.authorizer.may_write_to(asker.principal, known.name)


def _not_appended(asked: Any, topics: Iterable[Any], error: Errors) -> list[dict[str, Any]]:
    def key(topic: Any) -> dict[str, Any]:
        return {"name": topic.name} if asked.__version__ < _BY_ID else {"topic_id": topic.topic_id}

    result = {"error_code": error, "base_offset": NOTHING, "log_start_offset": NOTHING, "record_errors": [], "error_message": None}
    return [{**key(topic), "partition_responses": [{"index": one.index, **result} for one in topic.partition_data]} for topic in topics]


def _end_txn(asker: _Asker, asked: Any) -> ResponsePayload:
    error = _of_transactional_id(asker, asked.transactional_id)
    return response(asked, throttle_time=0, error_code=error, producer_id=NOTHING, producer_epoch=NOTHING) if error else asker.go_on(asked)


def _write_txn_markers(asker: _Asker, asked: Any) -> ResponsePayload:
    if asker.authorizer.may_write_markers(asker.principal):
        return asker.go_on(asked)
    error = Errors.CLUSTER_AUTHORIZATION_FAILED
    markers = [
        {
            "producer_id": marker.producer_id,
            "topics": [
                {
                    "name": topic.name,
                    "partitions": [{"partition_index": number, "error_code": error} for number in topic.partition_indexes],
                }
                for topic in marker.topics
            ],
        }
        for marker in asked.markers
    ]
    return response(asked, markers=markers)


def _find_coordinator(asker: _Asker, asked: Any) -> ResponsePayload:
    kind = key_type_of(asked)
    error = {0: Errors.GROUP_AUTHORIZATION_FAILED, 1: Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED}.get(kind, Errors.NONE)

    def may_know(key: str) -> bool:
        if kind == 1:
            return asker.authorizer.may_find_coordinator(asker.principal, key)
        return kind != 0 or asker.authorizer.may_find_group(asker.principal, key)

    nowhere = {**NOWHERE, "error_code": error, "error_message": None}
    if asked.__version__ < _BATCHED:
        return asker.go_on(asked) if may_know(asked.key) else response(asked, throttle_time=0, **nowhere)
    denied = asker.authorizer.denied(asked.coordinator_keys, may_know)
    if not denied:
        return asker.go_on(asked)
    allowed = tuple(key for key in asked.coordinator_keys if key not in denied)
    refused = response(asked, throttle_time=0, coordinators=[{"key": key, **nowhere} for key in denied])
    return _joined(asker.go_on(replace(asked, coordinator_keys=allowed)), refused, "coordinators")


def _describe_transactions(asker: _Asker, asked: Any) -> ResponsePayload:
    denied = asker.authorizer.denied(asked.transactional_ids, partial(asker.authorizer.may_see_transactional_id, asker.principal))
    allowed = tuple(one for one in asked.transactional_ids if one not in denied)
    found: Any = asker.go_on(replace(asked, transactional_ids=allowed) if denied else asked)
    described = tuple(_with_topics_seen(asker, state) for state in found.transaction_states)
    answer = found if described == found.transaction_states else cast(ResponsePayload, replace(found, transaction_states=described))
    if not denied:
        return answer
    error = Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    states = [{"error_code": error, "transactional_id": one, **NOT_DESCRIBED} for one in denied]
    return _joined(answer, response(asked, throttle_time=0, transaction_states=states), "transaction_states")


def _with_topics_seen(asker: _Asker, state: Any) -> Any:
    seen = tuple(topic for topic in state.topics if asker.authorizer.may_see_topic(asker.principal, topic.topic))
    return state if len(seen) == len(state.topics) else replace(state, topics=seen)


def _list_transactions(asker: _Asker, asked: Any) -> ResponsePayload:
    answer: Any = asker.go_on(asked)
    may_see = partial(asker.authorizer.may_see_transactional_id, asker.principal)
    denied = asker.authorizer.denied([state.transactional_id for state in answer.transaction_states], may_see)
    seen = tuple(state for state in answer.transaction_states if state.transactional_id not in denied)
    return cast(ResponsePayload, replace(answer, transaction_states=seen))


def _describe_producers(asker: _Asker, asked: Any) -> ResponsePayload:
    may_see = partial(asker.authorizer.may_see_producers_of, asker.principal)
    unseen = asker.authorizer.denied([topic.name for topic in asked.topics], may_see)
    if not unseen:
        return asker.go_on(asked)
    answer = asker.go_on(replace(asked, topics=tuple(topic for topic in asked.topics if topic.name not in unseen)))
    refusal: dict[str, Any] = {"error_code": Errors.TOPIC_AUTHORIZATION_FAILED, "error_message": None, "active_producers": []}
    denied = [
        {"name": topic.name, "partitions": [{"partition_index": number, **refusal} for number in topic.partition_indexes]}
        for topic in asked.topics
        if topic.name in unseen
    ]
    return _joined(answer, response(asked, throttle_time=0, topics=denied), "topics")


def _create_acls(asker: _Asker, asked: Any) -> ResponsePayload:
    if asker.authorizer.may_change_rights(asker.principal):
        return asker.go_on(asked)
    result = {"error_code": Errors.CLUSTER_AUTHORIZATION_FAILED, "error_message": None}
    return response(asked, throttle_time=0, results=[result for _ in asked.creations])


def _delete_acls(asker: _Asker, asked: Any) -> ResponsePayload:
    if asker.authorizer.may_change_rights(asker.principal):
        return asker.go_on(asked)
    result: dict[str, Any] = {"error_code": Errors.CLUSTER_AUTHORIZATION_FAILED, "error_message": None, "matching_acls": []}
    return response(asked, throttle_time=0, filter_results=[result for _ in asked.filters])


def _describe_acls(asker: _Asker, asked: Any) -> ResponsePayload:
    if asker.authorizer.may_list_rights(asker.principal):
        return asker.go_on(asked)
    return response(asked, throttle_time=0, error_code=Errors.CLUSTER_AUTHORIZATION_FAILED, error_message=None, resources=[])


def _joined(answer: ResponsePayload, refused: ResponsePayload, field: str) -> ResponsePayload:
    """One answer for what was handed on and for what was not."""
    together = (*getattr(answer, field), *getattr(refused, field))
    return cast(ResponsePayload, replace(cast(Any, answer), **{field: together}))


def _of_transactional_id(asker: _Asker, transactional_id: str | None) -> Errors:
    """The error for the transactional id, NONE if it may be used. Without an id, no principal has a right to it."""
    if transactional_id is not None and asker.authorizer.may_use_transactional_id(asker.principal, transactional_id):
        return Errors.NONE
    return Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


def _of_group(asker: _Asker, group: str) -> Errors:
    return Errors.NONE if asker.authorizer.may_commit_for_group(asker.principal, group) else Errors.GROUP_AUTHORIZATION_FAILED


_GATES: dict[str, _Gate] = {
    "add_offsets_to_txn": _add_offsets_to_txn,
    "add_partitions_to_txn": _add_partitions_to_txn,
    "create_acls": _create_acls,
    "delete_acls": _delete_acls,
    "describe_acls": _describe_acls,
    "describe_producers": _describe_producers,
    "describe_transactions": _describe_transactions,
    "end_txn": _end_txn,
    "find_coordinator": _find_coordinator,
    "init_producer_id": _init_producer_id,
    "list_transactions": _list_transactions,
    "produce": _produce,
    "txn_offset_commit": _txn_offset_commit,
    "write_txn_markers": _write_txn_markers,
}
