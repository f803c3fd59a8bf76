"""The admin interface: the calls of Pulsar's REST API that the kit makes, answered from the running broker."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fencepost.reference.kernel.rules import rule
from fencepost.reference.scalable.layout import LayoutRefused
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from . import admin_scalable, admin_transaction_keys, closing
from . import admin_stats as stats
from .admin_routes import Route, route
from .api.peer import Peer
from .coordinator import TransactionCoordinator
from .node import PulsarNode
from .ownership import coordinator_topic
from .pulsar_types import EndAction, TxnId, namespace_of
from .server_errors import CommandRefused, ServerError
from .topic import PulsarTopic

_MOST = 1_000
"""The partitions of a topic, and the coordinators, are always fewer than this."""

_STATUS = {
    ServerError.TOPIC_NOT_FOUND: HTTPStatus.NOT_FOUND,
    ServerError.SUBSCRIPTION_NOT_FOUND: HTTPStatus.NOT_FOUND,
    ServerError.TRANSACTION_NOT_FOUND: HTTPStatus.NOT_FOUND,
    ServerError.TRANSACTION_COORDINATOR_NOT_FOUND: HTTPStatus.NOT_FOUND,
    ServerError.INVALID_TOPIC_NAME: HTTPStatus.PRECONDITION_FAILED,
    ServerError.SERVICE_NOT_READY: HTTPStatus.SERVICE_UNAVAILABLE,
    ServerError.UNKNOWN: HTTPStatus.INTERNAL_SERVER_ERROR,
}


def answer(node: PulsarNode, peers: Sequence[Peer], request: AdminRequest) -> AdminAnswer:
    """Answer a call; 404 for one that is not known here."""
    for known in _routes(node):
        if known.method == request.method and (match := known.path.fullmatch(request.path)):
            try:
                answered = known.act(node, peers, match.groupdict(), request)
            except CommandRefused as refused:
                return _answered(_STATUS.get(refused.error, HTTPStatus.CONFLICT), {"reason": str(refused)})
            except LayoutRefused as refused:
                return _answered(HTTPStatus.PRECONDITION_FAILED, {"reason": str(refused)})
            except ValueError as wrong:
                return _answered(HTTPStatus.PRECONDITION_FAILED, {"reason": f"a number was expected: {wrong}"})
            if isinstance(answered, AdminAnswer):
                return answered
            return AdminAnswer(HTTPStatus.NO_CONTENT) if answered is None else _answered(HTTPStatus.OK, answered)
    return _answered(HTTPStatus.NOT_FOUND, {"reason": f"the reference has no {request.method} {request.path}"})


def _routes(node: PulsarNode) -> Sequence[Route]:
    scalable = admin_scalable.ROUTES if node.has_scalable_topics else ()
    return (*_ROUTES, *scalable, *(admin_transaction_keys.ROUTES if node.keys is not None else ()))


def _answered(status: HTTPStatus, answered: object) -> AdminAnswer:
    return AdminAnswer(int(status), json.dumps(answered).encode())


def _topic_of(named: Mapping[str, str]) -> str:
    return f"persistent://{named['topic']}"


def _found(node: PulsarNode, named: Mapping[str, str]) -> PulsarTopic:
    """A topic, on whichever node it is. Raises CommandRefused: TOPIC_NOT_FOUND when there is none."""
    name = _topic_of(named)
    return node.owner_of(name).topics.named(name)


def _coordinator_of(node: PulsarNode, tc_id: int) -> TransactionCoordinator:
    """A coordinator, on whichever node it is. Raises CommandRefused: TRANSACTION_COORDINATOR_NOT_FOUND when there is none of that
    number.
    """
    return node.owner_of(coordinator_topic(tc_id)).coordinator(tc_id)


def _create(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    if _topic_of(named) in node.topics.names:
        rule("PIP31-176")
        raise CommandRefused(ServerError.NOT_ALLOWED, f"{_topic_of(named)} is there already")
    node.owner_of(_topic_of(named)).bring_up(_topic_of(named))


def _create_partitioned(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], request: AdminRequest) -> None:
    node.topics.create_partitioned(_topic_of(named), _count_in(request, "partitions"))


def _delete(node: PulsarNode, peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    closing.delete(node, peers, _found(node, named).name)


def _unload(node: PulsarNode, peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    closing.unload(node, peers, _found(node, named).name)


def _unload_namespace(node: PulsarNode, peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    loaded = [topic.name for every in node.cluster.nodes.values() for topic in every.topics.loaded()]
    for name in loaded:
        if namespace_of(name) == named["namespace"]:
            closing.unload(node, peers, name)


def _terminate(node: PulsarNode, peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    topic = _found(node, named)
    topic.producers.terminate()
    closing.close_producers(peers, topic.name)
    return {"ledgerId": topic.ledger.last.ledger, "entryId": topic.ledger.last.entry}


def _compact(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    _found(node, named).compaction.compact()


def _deduplication(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], request: AdminRequest) -> None:
    node.set_deduplication(named["namespace"], bool(request.body))


def _coordinators(node: PulsarNode, _peers: Sequence[Peer], _named: Mapping[str, str], _request: AdminRequest) -> object:
    return [{"id": tc_id} for tc_id in range(node.coordinator_count)]


def _more_coordinators(node: PulsarNode, _peers: Sequence[Peer], _named: Mapping[str, str], request: AdminRequest) -> None:
    node.set_coordinators(_count_in(request, "coordinators"))


def _count_in(request: AdminRequest, what: str) -> int:
    """Raises ValueError for text that is no number, CommandRefused: NOT_ALLOWED for a number that is too small or too large."""
    count = int(str(request.body))
    if count not in range(1, _MOST):
        raise CommandRefused(ServerError.NOT_ALLOWED, f"{count} {what}; expected a number from 1 to below {_MOST}")
    return count


def _coordinator_stats(node: PulsarNode, _peers: Sequence[Peer], _named: Mapping[str, str], request: AdminRequest) -> object:
    return stats.of_coordinator(_coordinator_of(node, int(request.query.get("coordinatorId", ""))))


def _abort(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    txn = _txn_of(named)
    _coordinator_of(node, txn.tc_id).end(txn, EndAction.ABORT, lambda: None)


def _txn_of(named: Mapping[str, str]) -> TxnId:
    return TxnId(int(named["most"]), int(named["least"]))


def _metadata(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    return stats.of_transaction(_coordinator_of(node, int(named["most"])).describe(_txn_of(named)))


def _log_stats(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    return stats.of_log(_found(node, named))


def _buffer_stats(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    return stats.of_buffer(_found(node, named).buffer)


def _in_buffer(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    return stats.in_buffer(_found(node, named).buffer, _txn_of(named))


def _pending_acks(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    return stats.of_pending_acks(_found(node, named).subscription(named["subscription"]))


_TOPICS, _TRANSACTIONS = "/admin/v2/persistent/{topic}", "/admin/v3/transactions"
_ROUTES = [
    route("PUT", _TOPICS, _create),
    route("PUT", f"{_TOPICS}/partitions", _create_partitioned),
    route("PUT", f"{_TOPICS}/unload", _unload),
    route("POST", f"{_TOPICS}/terminate", _terminate),
    route("PUT", f"{_TOPICS}/compaction", _compact),
    route("GET", f"{_TOPICS}/compaction", lambda *_: {"status": "SUCCESS"}),
    route("DELETE", _TOPICS, _delete),
    route("GET", f"{_TOPICS}/internalStats", _log_stats),
    route("GET", "/admin/v2/namespaces/{namespace}", lambda *_: {}),
    route("PUT", "/admin/v2/namespaces/{namespace}", lambda *_: None),
    route("DELETE", "/admin/v2/namespaces/{namespace}", lambda *_: None),
    route("PUT", "/admin/v2/namespaces/{namespace}/unload", _unload_namespace),
    route("POST", "/admin/v2/namespaces/{namespace}/deduplication", _deduplication),
    route("POST", "/admin/v2/namespaces/{namespace}/retention", lambda *_: None),
    route("GET", f"{_TRANSACTIONS}/coordinators", _coordinators),
    route("GET", f"{_TRANSACTIONS}/coordinatorStats", _coordinator_stats),
    route("POST", f"{_TRANSACTIONS}/transactionCoordinator/replicas", _more_coordinators),
    route("GET", f"{_TRANSACTIONS}/transactionMetadata/{{most}}/{{least}}", _metadata),
    route("POST", f"{_TRANSACTIONS}/abortTransaction/{{most}}/{{least}}", _abort),
    route("GET", f"{_TRANSACTIONS}/transactionBufferStats/{{topic}}", _buffer_stats),
    route("GET", f"{_TRANSACTIONS}/transactionInBufferStats/{{topic}}/{{most}}/{{least}}", _in_buffer),
    route("GET", f"{_TRANSACTIONS}/pendingAckStats/{{topic}}/{{subscription}}", _pending_acks),
]
