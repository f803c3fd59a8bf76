"""The calls that read transactions and producers and change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kio.schema.errors import ErrorCode

from fencepost.contract.outcomes import Done, Outcome, Unknown

from .cluster import AnyNode, ClusterNode, CoordinatorKind, CoordinatorOf, LeaderOf
from .handshake import offer_of
from .kafka_calls import KafkaCalls, partition_result, the_only
from .kafka_error_outcomes import COORDINATOR_AWAY, TO_LEADER, refused, verdict
from .kafka_values import ActiveProducer, ListedTransaction, ProducerIdentity, TopicPartition, TransactionDescription, TransactionList
from .offer import KafkaOffer


class InspectionCalls(KafkaCalls):
    """Calls that an administrator makes."""

    def api_versions(self, version: int) -> Outcome[KafkaOffer]:
        """ApiVersions, as in the handshake, in version 3 or later."""
        message = self._request("api_versions", version, client_software_name="fencepost", client_software_version="1")
        return self._read(AnyNode(), message, lambda answer: Done(offer_of(answer)), frozenset())

    def describe_transaction(self, transactional_id: str) -> Outcome[TransactionDescription]:
        """DescribeTransactions for one transactional id."""
        message = self._request("describe_transactions", 0, transactional_ids=[transactional_id])

        def read(answer: Any) -> Outcome[TransactionDescription]:
            found = [state for state in answer.transaction_states if state.transactional_id == transactional_id]
            state = the_only(found, answer, transactional_id)
            return verdict(state.error_code, _description(state))

        return self._read(CoordinatorOf(CoordinatorKind.TRANSACTION, transactional_id), message, read, COORDINATOR_AWAY)

    def coordinator_now(self, transactional_id: str) -> Outcome[None]:
        """DescribeTransactions, once, to the coordinator that is known: only whether it serves, whatever state the transaction has."""
        message = self._request("describe_transactions", 0, transactional_ids=[transactional_id])
        return self._send(
            CoordinatorOf(CoordinatorKind.TRANSACTION, transactional_id),
            message,
            lambda answer: verdict(the_only(answer.transaction_states, answer, transactional_id).error_code, None),
        )()

    def meet_coordinator(self, transactional_id: str) -> Outcome[None]:
        """Find the coordinator of a transactional id and connect to it, so that the next request to it is sent at once."""
        return self._located(CoordinatorOf(CoordinatorKind.TRANSACTION, transactional_id)).then(
            lambda address: self._read(ClusterNode(address), self._request("api_versions", 0), lambda _: Done(None), frozenset())
        )

    def settled(self, transactional_id: str) -> Outcome[TransactionDescription]:
        """DescribeTransactions until no transaction is open and no marker is in flight; Unknown if patience ends before that."""
        last = "the session's patience is over before the first attempt"
        for _ in self._time.attempts():
            match self.describe_transaction(transactional_id):
                case Done(description) if not description.is_settled:
                    last = f"{transactional_id} is not settled; last seen: {description}"
                case outcome:
                    return outcome
        return Unknown(last)

    def list_transactions(
        self,
        *,
        states: Sequence[str] = (),
        producer_ids: Sequence[int] = (),
        longer_than_ms: int | None = None,
        pattern: str | None = None,
    ) -> Outcome[TransactionList]:
        """ListTransactions of every node, in the lowest version that has the given filters; the first failure is the outcome."""
        filters: dict[str, Any] = {"state_filters": states, "producer_id_filters": producer_ids}
        version = 0
        if longer_than_ms is not None:
            version, filters["duration_filter"] = 1, longer_than_ms
        if pattern is not None:
            version, filters["transactional_id_pattern"] = 2, pattern
        message = self._request("list_transactions", version, **filters)

        transactions: set[ListedTransaction] = set()
        unknown_states: set[str] = set()
        match self._cluster.brokers():
            case Done(brokers):
                for address in brokers.values():
                    match self._read(ClusterNode(address), message, _listed, COORDINATOR_AWAY):
                        case Done(listed):
                            transactions |= listed.transactions
                            unknown_states |= listed.unknown_states
                        case trouble:
                            return trouble
                return Done(TransactionList(frozenset(transactions), frozenset(unknown_states)))
            case trouble:
                return trouble

    def forget_coordinator(self, transactional_id: str) -> None:
        """Look the coordinator up again the next time, as a client does that has learnt that it moved."""
        self._cluster.forget(CoordinatorOf(CoordinatorKind.TRANSACTION, transactional_id))

    def coordinator_node(self, key: str, version: int, *, kind: CoordinatorKind = CoordinatorKind.TRANSACTION) -> Outcome[int]:
        """FindCoordinator of that version for a transactional id or a group: the node's number, -1 if Metadata does not name it."""
        match self._cluster.nodes(), self.coordinator_id(key, version, kind=kind):
            case Done(nodes), Done(node_id):
                return Done(nodes.number_of(node_id))
            case Done(), trouble:
                return trouble
            case trouble, _:
                return trouble

    def coordinator_id(
        self, key: str, version: int, *, asked: int | None = None, kind: CoordinatorKind = CoordinatorKind.TRANSACTION
    ) -> Outcome[int]:
        """FindCoordinator of that version; returns the node's id, even if Metadata does not name it. `asked` is the node to ask."""
        if version >= 4:
            message = self._request("find_coordinator", version, key_type=kind, coordinator_keys=[key])
        else:
            of_kind = {"key_type": kind} if version > 0 else {}  # version 0 is for groups only
            message = self._request("find_coordinator", version, key=key, **of_kind)

        def read(answer: Any) -> Outcome[int]:
            found = [answer] if version < 4 else [entry for entry in answer.coordinators if entry.key == key]
            entry = the_only(found, answer, key)
            return verdict(entry.error_code, int(entry.node_id), getattr(entry, "error_message", None))

        if asked is None:
            return self._read(AnyNode(), message, read, COORDINATOR_AWAY)
        return self._cluster.nodes().then(lambda nodes: self._read(ClusterNode(nodes.address_of(asked)), message, read, COORDINATOR_AWAY))

    def describe_producers(self, partition: TopicPartition, *, retry: bool = True) -> Outcome[tuple[ActiveProducer, ...]]:
        """DescribeProducers: the producers that the partition's leader knows."""
        message = self._request("describe_producers", 0, topics=[{"name": partition.topic, "partition_indexes": [partition.partition]}])

        def read(answer: Any) -> Outcome[tuple[ActiveProducer, ...]]:
            result = partition_result(answer.topics, partition, answer)
            return verdict(result.error_code, tuple(_active(producer) for producer in result.active_producers), result.error_message)

        return self._read(LeaderOf(partition), message, read, TO_LEADER, retry=retry)


def _description(state: Any) -> TransactionDescription:
    return TransactionDescription(
        state=state.transaction_state,
        producer=ProducerIdentity(int(state.producer_id), int(state.producer_epoch)),
        timeout_ms=round(state.transaction_timeout.total_seconds() * 1000),
        start_time=int(state.transaction_start_time),
        partitions=frozenset(TopicPartition(topic.topic, int(number)) for topic in state.topics for number in topic.partitions),
    )


def _listed(answer: Any) -> Outcome[TransactionList]:
    if answer.error_code != ErrorCode.none:
        return refused(answer.error_code)
    listed = (
        ListedTransaction(state.transactional_id, int(state.producer_id), state.transaction_state) for state in answer.transaction_states
    )
    return Done(TransactionList(frozenset(listed), frozenset(answer.unknown_state_filters)))


def _active(producer: Any) -> ActiveProducer:
    return ActiveProducer(
        producer=ProducerIdentity(int(producer.producer_id), int(producer.producer_epoch)),
        last_sequence=int(producer.last_sequence),
        last_timestamp=int(producer.last_timestamp),
        coordinator_epoch=int(producer.coordinator_epoch),
        transaction_start=int(producer.current_txn_start_offset),
    )
