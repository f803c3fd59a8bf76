"""The calls that a transaction coordinator answers, and the two calls of coordinators that any client may make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.wire.pulsar import messages_pb2 as pb

from .call_outcomes import read_answer
from .client import COORDINATORS, PulsarClient
from .connection import NOTHING_MORE, About, ClientConnection
from .pulsar_calls import PulsarCalls
from .pulsar_error_outcomes import NOT_READY, TO_COORDINATOR
from .pulsar_recording import PulsarCall
from .pulsar_values import (
    AddSubscriptions,
    AddTopics,
    CoordinatorId,
    End,
    NewTransaction,
    PendingEnd,
    SubscriptionHandle,
    TransactionId,
    TransactionRequest,
    TxnAction,
)
from .transaction_requests import about_transaction, command_of, coordinator_of, id_fields

T = TypeVar("T")


class PulsarTransactionCalls(PulsarCalls):
    """A client's requests about transactions. Each goes to the coordinator that the id names."""

    def __init__(self, client: PulsarClient, time: Time) -> None:
        super().__init__(client, time)
        self._ending: dict[int, tuple[PulsarCall, ClientConnection]] = {}

    def coordinators(self) -> Outcome[int]:
        """The number of transaction coordinators, of PIP-31's transactions."""
        return self._patiently(lambda: self._client.partitions(COORDINATORS), lambda outcome: isinstance(outcome, Unknown), retry=True)

    def new_transaction(
        self, timeout_ms: int = 60_000, *, coordinator: int | None = None, scalable: bool = False, retry: bool = True
    ) -> Outcome[TransactionId]:
        """NEW_TXN. Without `coordinator`, the request goes to the coordinator of the client's key, or to the first. A scalable transaction
        is for segments.
        """
        request = NewTransaction(timeout_ms, self._own_coordinator(scalable) if coordinator is None else coordinator, scalable)
        return self._to_coordinator(request, _reader_of(request), retry=retry, about=self._about_key(request))

    def add_topics(self, transaction: TransactionId, topics: Sequence[str], *, retry: bool = True) -> Outcome[None]:
        """ADD_PARTITION_TO_TXN: the transaction will write to these topics, or partitions of topics by their full names."""
        self._client.added[transaction].update(topics)
        return self._to_coordinator(AddTopics(transaction, topics), _nothing, retry=retry)

    def add_subscriptions(
        self, transaction: TransactionId, subscriptions: Sequence[SubscriptionHandle], *, retry: bool = True
    ) -> Outcome[None]:
        """ADD_SUBSCRIPTION_TO_TXN: the transaction will acknowledge messages of these subscriptions."""
        self._client.added[transaction].update(subscription.topic for subscription in subscriptions)
        self._client.attached.subscriptions.update((transaction, subscription) for subscription in subscriptions)
        return self._to_coordinator(AddSubscriptions(transaction, subscriptions), _nothing, retry=retry)

    def end(self, transaction: TransactionId, action: TxnAction, *, retry: bool = True) -> Outcome[None]:
        """END_TXN, and wait for the answer. A broker may answer after all participants are done, so a missing answer decides nothing."""
        outcome = self._to_coordinator(End(transaction, action), _nothing, retry=retry)
        if isinstance(outcome, Done):
            self._client.attached.ended(transaction, action is TxnAction.ABORT)
        return outcome

    def reach_coordinator(self, coordinator: int = 0) -> Outcome[None]:
        """Connect to a coordinator, so that the next request to it is in flight at once."""
        return self._located(lambda: self._client.coordinator(CoordinatorId(coordinator))).converted(lambda _: None)

    def begin_end(self, transaction: TransactionId, action: TxnAction) -> Outcome[PendingEnd]:
        """END_TXN without waiting: `ended` waits for the answer. The outcome here is only that of reaching the coordinator."""
        request = End(transaction, action)
        match self._located(lambda: self._client.coordinator(coordinator_of(request))):
            case Done(connection):
                pending = PendingEnd(transaction, action, self._client.next_request())
                call = connection.ask(command_of(request, pending.number))
                self._ending[pending.number] = (call, connection)
                return Done(pending)
            case trouble:
                return trouble

    def ended(self, pending: PendingEnd, *, within_s: float | None = None) -> Outcome[None]:
        """Wait for the answer to an END_TXN in flight. After Unknown the caller can wait again: it may come later."""
        call, connection = self._ending[pending.number]
        return read_answer(connection.answer(call, self._within(within_s)), _nothing)

    def is_answered(self, pending: PendingEnd) -> bool:
        """Whether the answer to an END_TXN in flight has come; this does not wait."""
        call, connection = self._ending[pending.number]
        connection.drain()
        return call.answer is not None

    def end_on_topic(self, transaction: TransactionId, topic: str, action: TxnAction) -> Outcome[None]:
        """END_TXN_ON_PARTITION, which a coordinator sends to the broker of a topic; brokers accept it from any client.

        They close the connection if it has no low watermark.
        """
        return self._write(
            lambda: self._client.owner(topic),
            lambda number: pb.CommandEndTxnOnPartition(
                request_id=number,
                topic=topic,
                txn_action=pb.TxnAction.Name(action),
                txnid_least_bits_of_low_watermark=0,
                **id_fields(transaction),
            ),
            _nothing,
            NOT_READY,
            about=about_transaction(transaction),
        )

    def end_on_subscription(self, transaction: TransactionId, subscription: SubscriptionHandle, action: TxnAction) -> Outcome[None]:
        """END_TXN_ON_SUBSCRIPTION, likewise."""
        return self._write(
            lambda: self._client.owner(subscription.topic),
            lambda number: pb.CommandEndTxnOnSubscription(
                request_id=number,
                subscription=pb.Subscription(topic=subscription.topic, subscription=subscription.name),
                txn_action=pb.TxnAction.Name(action),
                txnid_least_bits_of_low_watermark=0,
                **id_fields(transaction),
            ),
            _nothing,
            NOT_READY,
            about=about_transaction(transaction),
        )

    def at_once(self, requests: Sequence[TransactionRequest]) -> list[Outcome[TransactionId | None]]:
        """Send all requests, once, before any answer is read; the outcomes are in the order of the requests.

        All go over the connection of the first request.
        """
        match self._located(lambda: self._client.coordinator(coordinator_of(requests[0]))):
            case Done(connection):
                return self.at_once_on(connection, requests)
            case trouble:
                return [trouble for _ in requests]

    def at_once_on(self, connection: ClientConnection, requests: Sequence[TransactionRequest]) -> list[Outcome[TransactionId | None]]:
        """The same on an existing connection."""
        calls = [connection.ask(command_of(request, self._client.next_request()), about=self._about_key(request)) for request in requests]
        answers = [connection.answer(call, self._client.deadline_s) for call in calls]
        reads = [_reader_of(request) if isinstance(request, NewTransaction) else _nothing for request in requests]
        return [read_answer(answer, read) for answer, read in zip(answers, reads, strict=True)]

    def _own_coordinator(self, scalable: bool) -> int:
        keyed = self._client.keyed
        return keyed.coordinator.number if keyed is not None and keyed.coordinator.scalable == scalable else 0

    def _about_key(self, request: TransactionRequest) -> About:
        """The key with which a transaction is begun. The request does not have it, because the connection has it."""
        keyed = self._client.keyed
        if keyed is None or not isinstance(request, NewTransaction) or coordinator_of(request) != keyed.coordinator:
            return NOTHING_MORE
        return {"key": keyed.label, "key_epoch": keyed.epoch}

    def _to_coordinator(
        self, request: TransactionRequest, read: Callable[[Any], T], *, retry: bool, about: About = NOTHING_MORE
    ) -> Outcome[T]:
        coordinator = coordinator_of(request)

        def located() -> Outcome[ClientConnection]:
            return self._client.coordinator(coordinator)

        # A refusal that a coordinator is not found is retried while it is being loaded, and final if there is none.
        exists = self._client.has_coordinator(coordinator) != Done(False)
        outcome = self._write(
            located, lambda number: command_of(request, number), read, TO_COORDINATOR if exists else NOT_READY, retry=retry, about=about
        )
        if isinstance(outcome, Refused) and outcome.code in TO_COORDINATOR:
            self._client.forget_coordinator(coordinator)
        return outcome


def _reader_of(request: NewTransaction) -> Callable[[Any], TransactionId]:
    """The id is in the answer, and the kind of the transaction in the request."""
    return lambda answer: TransactionId(answer.txnid_most_bits, answer.txnid_least_bits, request.scalable)


def _nothing(_answer: Any) -> None:
    return None
