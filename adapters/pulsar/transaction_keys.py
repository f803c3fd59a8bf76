"""The calls of a client that has a transaction key, and administrators' calls about keys.

A client that was granted a key has it on one connection. Its requests to the key's coordinator go there, even if the broker has closed that
connection: then they are lost, and the client does not reconnect silently, since on a new connection it would be a client without a key.
`forget_key` makes it one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from google.protobuf.message import Message
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from fencepost.adapters.common.shared_outcomes import without_value
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .administration import AdminCalls, refusal
from .call_outcomes import refusal_in
from .client import PulsarClient
from .connection import ClientConnection
from .keyed import Keyed
from .pulsar_recording import PulsarCall
from .pulsar_transaction_calls import PulsarTransactionCalls
from .pulsar_values import CoordinatorId, KeyGrant, KeyMetrics, KeyState, NewTransaction, OwnedKey, PendingKeyConnect, TransactionId
from .transaction_requests import command_of

NEW = -1
"""The epoch of a client that has no epoch yet."""

_IS_THERE = "is there"
"""A field of refusals: False if the refusal names another coordinator as the key's."""
_KEYS = "/admin/v2/transactions/transaction-keys"
_METRICS = AdminRequest("GET", "/metrics")
_COUNT = "pulsar_txn_transaction_key_count"
_EPOCH = "pulsar_txn_transaction_key_epoch"
_AGE = "pulsar_txn_transaction_key_age"


class TransactionKeyCalls(PulsarTransactionCalls, AdminCalls):
    """A client's calls with a key."""

    is_scalable: bool = False

    def __init__(self, client: PulsarClient, time: Time) -> None:
        super().__init__(client, time)
        self._connecting: dict[int, tuple[PulsarCall, ClientConnection]] = {}

    # --- connecting -----------------------------------------------------------------------------------------------------------

    def connect_with_key(self, key: str | bytes, epoch: int | None = NEW, *, coordinator: int | None = None) -> Outcome[KeyGrant]:
        """TC_CLIENT_CONNECT with a key. Without `coordinator`, the first one is asked, and then the one that its answer names.

        While the coordinator is not found because it is being loaded, the request is retried.
        """

        return self._connected(key, epoch, coordinator)

    def connect_without_key(self) -> Outcome[KeyGrant]:
        """TC_CLIENT_CONNECT without a key, retried too: no epoch is expected, and one that arrives all the same is reported."""
        return self._connected(None, NEW, None)

    def connect_second_key(self, key: bytes, coordinator: int) -> Outcome[KeyGrant]:
        """TC_CLIENT_CONNECT with another key, once, on the connection that has one already."""
        asked = CoordinatorId(coordinator, self.is_scalable)
        return self.connected_with_key(self._asked_for(key, NEW, asked, self._with_key().connection, False))

    def begin_at_other_coordinator(self, timeout_ms: int) -> Outcome[TransactionId | None]:
        """NEW_TXN on the connection that has the key, at the first other coordinator that its broker has; retried until there is one."""
        own, asked = self._with_key().coordinator.number, self.coordinators()
        if not isinstance(asked, Done):
            return asked
        others = [NewTransaction(timeout_ms, number, self.is_scalable) for number in range(asked.value) if number != own]

        def attempt() -> Outcome[TransactionId | None]:
            answers = self.at_once_on(self._with_key().connection, others)
            return next((answer for answer in answers if not _is_elsewhere(answer)), answers[0])

        return self._patiently(attempt, _is_elsewhere, retry=True)

    def approach_coordinator(self, coordinator: int = 0) -> Outcome[None]:
        """Open a connection to the coordinator's broker, so that a connect with a key is in flight at once."""
        return without_value(self._located(lambda: self._client.way_to(CoordinatorId(coordinator, self.is_scalable))))

    def begin_connect_with_key(
        self, key: str | bytes | None, epoch: int | None = NEW, *, coordinator: int | None = None
    ) -> Outcome[PendingKeyConnect]:
        """TC_CLIENT_CONNECT without waiting: `connected_with_key` waits for the answer. The outcome is only that of reaching the broker."""
        asked = CoordinatorId(coordinator or 0, self.is_scalable)
        return self._located(lambda: self._client.way_to(asked)).converted(
            lambda connection: self._asked_for(key.encode() if isinstance(key, str) else key, epoch, asked, connection, coordinator is None)
        )

    def _connected(self, key: str | bytes | None, epoch: int | None, coordinator: int | None) -> Outcome[KeyGrant]:
        def attempt() -> Outcome[KeyGrant]:
            return self.begin_connect_with_key(key, epoch, coordinator=coordinator).then(self.connected_with_key)

        return self._patiently(attempt, _is_being_loaded, retry=True)

    def connected_with_key(self, pending: PendingKeyConnect, *, within_s: float | None = None) -> Outcome[KeyGrant]:
        """Wait for the answer to a connect with a key; if the key is granted, the client has it from then on."""
        call, connection = self._connecting[pending.number]
        match connection.answer(call, self._within(within_s)):
            case Done(frame):
                answer = frame.body
            case unknown:
                return unknown
        reported = answer.transaction_key_tc_id if answer.HasField("transaction_key_tc_id") else None
        if (refused := refusal_in(answer)) is not None:
            is_there = reported in (None, pending.coordinator.number)
            if pending.key is not None and pending.follows and refused.code == pb.TransactionCoordinatorNotFound and not is_there:
                return self.connect_with_key(pending.key, pending.epoch, coordinator=reported)
            return replace(refused, fields={_IS_THERE: is_there})
        number = pending.coordinator.number if reported is None else reported
        if not answer.HasField("transaction_key_epoch"):
            return Done(KeyGrant(None, number))
        if pending.key is None:
            return Done(KeyGrant(answer.transaction_key_epoch, number))
        granted = CoordinatorId(number, self.is_scalable)
        connection.coordinators.add(granted)
        self._client.keep_key(Keyed(pending.key, self._client.principal, answer.transaction_key_epoch, granted, connection))
        return Done(KeyGrant(answer.transaction_key_epoch, number))

    @property
    def key(self) -> Keyed | None:
        """The key that this client has, as it was granted last."""
        return self._client.keyed

    def is_beside_key(self, topic: str) -> Outcome[bool]:
        """Whether this client's requests about a topic go over the connection with the key, because the same broker has both."""
        return self._located(lambda: self._client.owner(topic)).converted(lambda connection: connection is self._with_key().connection)

    def was_sent_away(self) -> bool:
        """Whether the connection with the key has been closed; this does not wait."""
        keyed = self._with_key()
        keyed.connection.drain()
        return keyed.connection.lost is not None

    def ping_with_key(self) -> Outcome[None]:
        """PING on the connection with the key."""
        connection = self._with_key().connection
        answer = connection.answer(connection.ask(pb.CommandPing()), self._client.deadline_s)
        return Done(None) if isinstance(answer, Done) else answer

    def ask_for_transaction(self, timeout_ms: int) -> None:
        """NEW_TXN on the connection with the key, without waiting for its answer."""
        keyed = self._with_key()
        request = NewTransaction(timeout_ms, keyed.coordinator.number, keyed.coordinator.scalable)
        keyed.connection.ask(command_of(request, self._client.next_request()), about=self._about_key(request))

    def forget_key(self) -> None:
        """Become a client without a key, whose requests go over new connections from now on."""
        self._client.forget_key()

    def _with_key(self) -> Keyed:
        keyed = self._client.keyed
        assert keyed is not None, "a client is granted a key before its connection is looked at"
        return keyed

    def _asked_for(
        self, key: bytes | None, epoch: int | None, asked: CoordinatorId, connection: ClientConnection, follows: bool
    ) -> PendingKeyConnect:
        pending = PendingKeyConnect(self._client.next_request(), key, epoch, asked, follows)
        about = {"owner": self._client.principal}
        self._connecting[pending.number] = (connection.ask(_command(pending), about=about), connection)
        return pending

    # --- administering --------------------------------------------------------------------------------------------------------

    def transaction_keys(self, owner: str | None = None) -> Outcome[list[OwnedKey]]:
        """All keys, or all of an owner."""
        return self._look(_KEYS, lambda answer: [OwnedKey(str(one["owner"]), str(one["key"])) for one in answer], self._query(owner))

    def transaction_key(self, key: str, owner: str | None = None) -> Outcome[KeyState]:
        """One key, with its open transactions; 404 if it is not known."""
        return self._look(_path(key), self._key_state, self._query(owner))

    def delete_transaction_key(self, key: str, owner: str | None = None) -> Outcome[None]:
        """Remove a key, and abort its open transactions; 404 if it is not known."""
        return self._change("DELETE", _path(key), self._query(owner))

    def key_metrics(self) -> Outcome[KeyMetrics]:
        """The broker's metrics of all keys, as Prometheus scrapes them."""
        match self._client.administer(_METRICS):
            case Done(AdminAnswer(status, body)) if status < HTTPStatus.MULTIPLE_CHOICES:
                return Done(read_metrics(body))
            case Done(AdminAnswer(status, body)):
                return refusal(status, body)
            case unknown:
                return unknown

    def _query(self, owner: str | None) -> dict[str, str]:
        return ({} if owner is None else {"owner": owner}) | ({"scalable": "true"} if self.is_scalable else {})

    def _key_state(self, answer: Any) -> KeyState:
        open_ones = [TransactionId(int(one["mostSigBits"]), int(one["leastSigBits"]), self.is_scalable) for one in answer["transactions"]]
        return KeyState(str(answer["owner"]), str(answer["key"]), int(answer["epoch"]), int(answer["coordinator"]), tuple(open_ones))


def read_metrics(body: bytes) -> KeyMetrics:
    """The metrics of keys in a broker's answer to Prometheus. Raises Malformed if it is no such answer, or does not count keys."""
    try:
        families: dict[str, Metric] = {one.name: one for one in text_string_to_metric_families(body.decode())}
    except ValueError as error:
        raise Malformed(f"{_METRICS} was answered with what Prometheus cannot read: {error}") from error
    count = next((sample.value for sample in _samples(families, _COUNT)), None)
    if count is None:
        raise Malformed(f"{_METRICS} was answered without {_COUNT}")
    ages = {name: _by_key(_samples(families, _AGE), f"{_AGE}_{name}") for name in ("sum", "count")}
    return KeyMetrics(
        count=int(count),
        epochs={key: int(epoch) for key, epoch in _by_key(_samples(families, _EPOCH), _EPOCH).items()},
        ages_ms={key: total / ages["count"][key] for key, total in ages["sum"].items() if ages["count"].get(key)},
    )


def _is_being_loaded(outcome: Outcome[KeyGrant]) -> bool:
    return isinstance(outcome, Refused) and outcome.code == pb.TransactionCoordinatorNotFound and outcome.fields[_IS_THERE]


def _is_elsewhere(outcome: Outcome[TransactionId | None]) -> bool:
    return isinstance(outcome, Refused) and outcome.code == pb.TransactionCoordinatorNotFound


def _samples(families: dict[str, Metric], name: str) -> Iterable[Any]:
    return families[name].samples if name in families else ()


def _by_key(samples: Iterable[Any], name: str) -> dict[OwnedKey, float]:
    labelled = [(sample.labels, sample.value) for sample in samples if sample.name == name]
    return {OwnedKey(labels.get("owner", ""), labels.get("transaction_key", "")): float(value) for labels, value in labelled}


def _path(key: str) -> str:
    return f"{_KEYS}/{quote(key, safe='')}"


def _command(pending: PendingKeyConnect) -> Message:
    return pb.CommandTcClientConnectRequest(
        request_id=pending.number,
        tc_id=pending.coordinator.number,
        scalable=pending.coordinator.scalable or None,
        transaction_key=pending.key,
        transaction_key_epoch=None if pending.key is None else pending.epoch,
    )


def offers_keys(probe: TransactionKeyCalls, key: str) -> str | None:
    """Why a broker has no transaction keys, as a text with what was sent; None if it has. Deletes the key again."""
    match probe.connect_with_key(key):
        case Done(KeyGrant(epoch=None)):
            return "TC_CLIENT_CONNECT with a transaction_key (field 100) was answered without a transaction_key_epoch (field 101)"
        case Done():
            probe.delete_transaction_key(key)
            return None
        case Refused() | Unknown() as trouble:
            return f"TC_CLIENT_CONNECT with a transaction_key (field 100) came to: {trouble}"
