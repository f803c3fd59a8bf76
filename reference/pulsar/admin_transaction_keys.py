"""The admin calls of transaction keys, and their metrics. Transaction-key proposal, "Admin API" and "Metrics".

The proposal's paths have no owner: the query parameter `?owner=NAME` names it; without it the keys of clients without a name are meant.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from fencepost.reference.kernel.rules import rule
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .admin_routes import route
from .api.peer import Peer
from .node import PulsarNode
from .ownership import coordinator_topic
from .server_errors import CommandRefused, ServerError
from .transaction_key.claims import Measured
from .transaction_key.coordinator_keys import TransactionKeys
from .transaction_key.key import TransactionKey

_KEYS = "/admin/v2/transactions/transaction-keys"
_LABELS = ("owner", "transaction_key")


def _list(node: PulsarNode, _peers: Sequence[Peer], _named: Mapping[str, str], request: AdminRequest) -> object:
    owner = request.query.get("owner")
    found = [key for keys in _of_all(node, request) for key in keys.listed()]
    return [{"owner": key.owner, "key": key.name} for key in found if owner in (None, key.owner)]


def _get(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], request: AdminRequest) -> object:
    key = _key(named, request)
    home, keys = _keys_of(node, key, request)
    record, open_ones = keys.describe(key)
    transactions = [{"mostSigBits": txn.tc_id, "leastSigBits": txn.sequence} for txn in open_ones]
    return {"owner": key.owner, "key": key.name, "epoch": record.epoch, "coordinator": home, "transactions": transactions}


def _delete(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], request: AdminRequest) -> None:
    key = _key(named, request)
    _, keys = _keys_of(node, key, request)
    keys.delete(key)


def _metrics(node: PulsarNode, _peers: Sequence[Peer], _named: Mapping[str, str], _request: AdminRequest) -> AdminAnswer:
    registry = CollectorRegistry()
    registry.register(_Keys(node))
    return AdminAnswer(200, generate_latest(registry), "text/plain; version=0.0.4; charset=utf-8")


class _Keys(Collector):
    """How many keys there are, and for each the epoch and the age of its latest connection, in ms."""

    def __init__(self, node: PulsarNode) -> None:
        self._node = node

    def collect(self) -> Iterator[Metric]:
        rule("TXKEY-31")
        both = [keys for scalable in (False, True) for keys in _at_coordinators(self._node, scalable=scalable)]
        found = _once_each(one for keys in both for one in keys.measured())
        yield GaugeMetricFamily("pulsar_txn_transaction_key_count", "transaction keys that are there", value=len(found))
        epochs = GaugeMetricFamily("pulsar_txn_transaction_key_epoch", "the latest epoch of each transaction key", labels=_LABELS)
        ages = SummaryMetricFamily("pulsar_txn_transaction_key_age", "milliseconds since the key was connected with", labels=_LABELS)
        for one in found:
            labels = (one.key.owner, one.key.name)
            epochs.add_metric(labels, one.epoch)
            ages.add_metric(labels, 1, one.age_ms)
        yield epochs
        yield ages


def _once_each(measured: Iterable[Measured]) -> list[Measured]:
    """A key may be at coordinators of both kinds; a duplicate sample makes Prometheus refuse the whole answer."""
    found: dict[TransactionKey, Measured] = {}
    for one in measured:
        other = found.get(one.key, one)
        found[one.key] = Measured(one.key, max(one.epoch, other.epoch), min(one.age_ms, other.age_ms))
    return list(found.values())


def _key(named: Mapping[str, str], request: AdminRequest) -> TransactionKey:
    return TransactionKey(request.query.get("owner", ""), named["key"])


def _is_scalable(request: AdminRequest) -> bool:
    return request.query.get("scalable") == "true"


def _keys_of(node: PulsarNode, key: TransactionKey, request: AdminRequest) -> tuple[int, TransactionKeys]:
    """Where a key is, on whichever node."""
    home = node.home_of(key, scalable=_is_scalable(request))
    return home, _at(node, home, scalable=_is_scalable(request))


def _at(node: PulsarNode, tc_id: int, *, scalable: bool) -> TransactionKeys:
    """The keys of a coordinator, on whichever node.

    Raises CommandRefused: SERVICE_NOT_READY while it is not loaded, since an administrator understands 404 as a missing key.
    """
    try:
        return node.owner_of(coordinator_topic(tc_id)).keys_of(tc_id, scalable=scalable)
    except CommandRefused as refused:
        raise CommandRefused(ServerError.SERVICE_NOT_READY, refused.message) from refused


def _of_all(node: PulsarNode, request: AdminRequest) -> list[TransactionKeys]:
    return _at_coordinators(node, scalable=_is_scalable(request))


def _at_coordinators(node: PulsarNode, *, scalable: bool) -> list[TransactionKeys]:
    if scalable and not node.has_scalable_topics:
        return []
    numbers = node.coordinators_of(scalable=scalable)
    return [_at(node, tc_id, scalable=scalable) for tc_id in numbers]


ROUTES = [
    route("GET", _KEYS, _list),
    route("GET", f"{_KEYS}/{{key}}", _get),
    route("DELETE", f"{_KEYS}/{{key}}", _delete),
    route("GET", "/metrics", _metrics),
]
