"""What clients ask of a transaction coordinator, as values: each knows its coordinator, its command, and what an answer to it tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from google.protobuf.message import Message

from fencepost.wire.pulsar import messages_pb2 as pb

from .values import Action, Subscription, TxnId

T_co = TypeVar("T_co", covariant=True)


class TransactionRequest(Protocol[T_co]):
    """One request. `command` takes the request id that it is to have; `value` reads an answer that is no refusal."""

    @property
    def coordinator(self) -> int: ...

    def command(self, number: int) -> Message: ...

    def value(self, answer: Any) -> T_co: ...


@dataclass(frozen=True)
class NewTransaction:
    """NEW_TXN, which the coordinator answers with an id of its own."""

    timeout_ms: int
    coordinator: int = 0

    def command(self, number: int) -> Message:
        return pb.CommandNewTxn(request_id=number, txn_ttl_millis=self.timeout_ms, tc_id=self.coordinator)

    def value(self, answer: Any) -> TxnId:
        return TxnId(answer.txnid_most_bits, answer.txnid_least_bits)


@dataclass(frozen=True)
class _About:
    """A request about a transaction, whose id says which coordinator it goes to. Its answer tells no more than that it was done."""

    transaction: TxnId

    @property
    def coordinator(self) -> int:
        return self.transaction.coordinator

    @property
    def _id(self) -> dict[str, int]:
        return {"txnid_most_bits": self.transaction.most, "txnid_least_bits": self.transaction.least}

    def value(self, _answer: Any) -> None:
        return None


@dataclass(frozen=True)
class AddTopics(_About):
    """ADD_PARTITION_TO_TXN."""

    topics: Sequence[str]

    def command(self, number: int) -> Message:
        return pb.CommandAddPartitionToTxn(request_id=number, partitions=self.topics, **self._id)


@dataclass(frozen=True)
class AddSubscriptions(_About):
    """ADD_SUBSCRIPTION_TO_TXN."""

    subscriptions: Sequence[Subscription]

    def command(self, number: int) -> Message:
        named = [pb.Subscription(topic=subscription.topic, subscription=subscription.name) for subscription in self.subscriptions]
        return pb.CommandAddSubscriptionToTxn(request_id=number, subscription=named, **self._id)


@dataclass(frozen=True)
class End(_About):
    """END_TXN."""

    action: Action

    def command(self, number: int) -> Message:
        return pb.CommandEndTxn(request_id=number, txn_action=pb.TxnAction.Name(self.action), **self._id)
