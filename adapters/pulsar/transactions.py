"""The calls that a transaction coordinator answers, and the two that it makes itself and any client may make."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from fencepost.adapters.live import ANSWER_WITHIN_S
from fencepost.adapters.ports import Done, Outcome, Refused, Time, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb

from .calls import Calls, read_answer
from .client import COORDINATORS, Client
from .connection import Connection
from .errors import NOT_READY, TO_COORDINATOR
from .recording import Call
from .values import Action, PendingEnd, Subscription, TxnId

T = TypeVar("T")


class TransactionCalls(Calls):
    """A client's requests about transactions. Each goes to the coordinator that the id names."""

    def __init__(self, client: Client, time: Time) -> None:
        super().__init__(client, time)
        self._ending: dict[int, tuple[Call, Connection]] = {}

    def coordinators(self) -> Outcome[int]:
        """How many transaction coordinators there are."""
        return self._patiently(lambda: self._client.partitions(COORDINATORS), lambda outcome: isinstance(outcome, Unknown), retry=True)

    def new_transaction(self, timeout_ms: int = 60_000, *, coordinator: int = 0, retry: bool = True) -> Outcome[TxnId]:
        """NEW_TXN. `coordinator` is the one that is asked."""
        return self._to_coordinator(
            coordinator,
            lambda number: pb.CommandNewTxn(request_id=number, txn_ttl_millis=timeout_ms, tc_id=coordinator),
            lambda answer: TxnId(answer.txnid_most_bits, answer.txnid_least_bits),
            retry=retry,
        )

    def add_topics(self, transaction: TxnId, topics: Sequence[str], *, retry: bool = True) -> Outcome[None]:
        """ADD_PARTITION_TO_TXN: the transaction will write to these topics, or partitions of topics by their full names."""
        return self._to_coordinator(
            transaction.coordinator,
            lambda number: pb.CommandAddPartitionToTxn(request_id=number, partitions=topics, **_id(transaction)),
            _nothing,
            retry=retry,
        )

    def add_subscriptions(self, transaction: TxnId, subscriptions: Sequence[Subscription], *, retry: bool = True) -> Outcome[None]:
        """ADD_SUBSCRIPTION_TO_TXN: the transaction will acknowledge messages of these subscriptions."""
        named = [pb.Subscription(topic=subscription.topic, subscription=subscription.name) for subscription in subscriptions]
        return self._to_coordinator(
            transaction.coordinator,
            lambda number: pb.CommandAddSubscriptionToTxn(request_id=number, subscription=named, **_id(transaction)),
            _nothing,
            retry=retry,
        )

    def end(self, transaction: TxnId, action: Action, *, retry: bool = True) -> Outcome[None]:
        """END_TXN, and wait for the answer. A broker may answer when all participants are done, so no answer decides nothing."""
        return self._to_coordinator(transaction.coordinator, self._end_command(transaction, action), _nothing, retry=retry)

    def reach_coordinator(self, coordinator: int = 0) -> Outcome[None]:
        """Connect to a coordinator, so that the next request to it is under way at once."""
        match self._located(lambda: self._client.coordinator(coordinator)):
            case Done():
                return Done(None)
            case trouble:
                return trouble

    def begin_end(self, transaction: TxnId, action: Action) -> Outcome[PendingEnd]:
        """END_TXN without waiting: `ended` asks for the answer. Only reaching the coordinator has an outcome here."""
        match self._located(lambda: self._client.coordinator(transaction.coordinator)):
            case Done(connection):
                pending = PendingEnd(transaction, action, self._client.next_request())
                call = connection.ask(self._end_command(transaction, action)(pending.number))
                self._ending[pending.number] = (call, connection)
                return Done(pending)
            case trouble:
                return trouble

    def ended(self, pending: PendingEnd, *, within_s: float = ANSWER_WITHIN_S) -> Outcome[None]:
        """The answer to an END_TXN that is on its way, waited for. After Unknown it can be asked for again: it may come later."""
        call, connection = self._ending[pending.number]
        return read_answer(connection.answer(call, within_s), _nothing)

    def is_answered(self, pending: PendingEnd) -> bool:
        """Whether the answer to an END_TXN that is on its way has come; this does not wait."""
        call, connection = self._ending[pending.number]
        connection.drain()
        return call.answer is not None

    def end_on_topic(self, transaction: TxnId, topic: str, action: Action, *, low_watermark: int = 0) -> Outcome[None]:
        """END_TXN_ON_PARTITION, which a coordinator sends to the broker of a topic; brokers take it from any client."""
        return self._write(
            lambda: self._client.owner(topic),
            lambda number: pb.CommandEndTxnOnPartition(
                request_id=number,
                topic=topic,
                txn_action=pb.TxnAction.Name(action),
                txnid_least_bits_of_low_watermark=low_watermark,
                **_id(transaction),
            ),
            _nothing,
            NOT_READY,
        )

    def end_on_subscription(
        self, transaction: TxnId, subscription: Subscription, action: Action, *, low_watermark: int = 0
    ) -> Outcome[None]:
        """END_TXN_ON_SUBSCRIPTION, likewise."""
        return self._write(
            lambda: self._client.owner(subscription.topic),
            lambda number: pb.CommandEndTxnOnSubscription(
                request_id=number,
                subscription=pb.Subscription(topic=subscription.topic, subscription=subscription.name),
                txn_action=pb.TxnAction.Name(action),
                txnid_least_bits_of_low_watermark=low_watermark,
                **_id(transaction),
            ),
            _nothing,
            NOT_READY,
        )

    def _to_coordinator(self, number: int, command: Callable[[int], Message], read: Callable[[Any], T], *, retry: bool) -> Outcome[T]:
        def located() -> Outcome[Connection]:
            return self._client.coordinator(number)

        # That a coordinator is not found is asked again while it is being loaded, and final where there is none.
        exists = self._client.has_coordinator(number) != Done(False)
        outcome = self._write(located, command, read, TO_COORDINATOR if exists else NOT_READY, retry=retry)
        if isinstance(outcome, Refused) and outcome.code in TO_COORDINATOR:
            self._client.forget_coordinator(number)
        return outcome

    @staticmethod
    def _end_command(transaction: TxnId, action: Action) -> Callable[[int], Message]:
        return lambda number: pb.CommandEndTxn(request_id=number, txn_action=pb.TxnAction.Name(action), **_id(transaction))


def _id(transaction: TxnId) -> dict[str, int]:
    return {"txnid_most_bits": transaction.most, "txnid_least_bits": transaction.least}


def _nothing(_answer: Any) -> None:
    return None
