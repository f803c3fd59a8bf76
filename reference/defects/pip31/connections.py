"""Defects of Pulsar in what belongs to a connection or a coordinator, and what does not."""

import contextlib
from collections.abc import Mapping
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.api.peer import Peer
from fencepost.reference.pulsar.coordinator import TransactionCoordinator
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_key.claims import Claim, KeyConnection
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.reference.pulsar.transaction_responses import TransactionResponses


@defect(
    {"PIP31-40": seen("InvalidTxnStatus", expected="^success$", what="^answer to ADD_PARTITION_TO_TXN$")},
    origin="red team: a transaction that is a resource of its connection, as a producer is",
)
class PulsarConnectionEndAborts(NodeKeys):
    """When a connection ends, the coordinator aborts the open transactions that began there, though their timeouts have not passed."""

    def __init__(self, *made_of: Any) -> None:
        super().__init__(*made_of)
        self._coordinators: dict[int, TransactionCoordinator] = {}
        self._begun: list[tuple[Mapping[tuple[bool, int], Claim], TxnId]] = []

    def start(self, coordinator: TransactionCoordinator, tc_id: int, *, scalable: bool) -> None:
        super().start(coordinator, tc_id, scalable=scalable)
        if not scalable:
            self._coordinators[tc_id] = coordinator

    def claim_at(self, claims: Mapping[tuple[bool, int], Claim], tc_id: int, *, scalable: bool) -> Claim | None:
        claim = super().claim_at(claims, tc_id, scalable=scalable)
        if claim is None and not scalable and tc_id in self._coordinators:
            self._begun.append((claims, TxnId(tc_id, self._coordinators[tc_id].last_sequence + 1)))
        return claim

    def forget(self, client: KeyConnection) -> None:
        super().forget(client)
        for txn in [txn for claims, txn in self._begun if isinstance(client, Peer) and claims is client.claims]:
            with contextlib.suppress(CommandRefused):  # it has ended, the other way
                self._coordinators[txn.tc_id].end(txn, EndAction.ABORT, lambda: None)


class _LooksAtTheNumber(LogCoordinator):
    def describe(self, txn: TxnId) -> PulsarTransaction:
        return super().describe(TxnId(self.tc_id, txn.sequence))


class _AsksNoKeys(NodeKeys):
    def asks_of(self, claims: Mapping[tuple[bool, int], Claim]) -> bool:  # noqa: ARG002 - that is the defect
        return False


@defect(
    {
        "PIP31-15": seen("^success$", expected="^a refusal with TransactionNotFound or", what="^answer to ADD_PARTITION_TO_TXN$"),
        "PIP31-19": seen("^success$", expected="^a refusal with TransactionNotFound or", what="^answer to ADD_SUBSCRIPTION_TO_TXN$"),
        "PIP31-22": seen("InvalidTxnStatus", expected="^success$", what="^answer to END_TXN$"),
    },
    origin="red team: the lower half of an id taken for all of it",
    also=[_LooksAtTheNumber, _AsksNoKeys],
)
class PulsarAnyOtherCoordinatorIsTheFirst(TransactionResponses):
    """A request for a missing coordinator goes to the first one, which finds a transaction of the same number."""

    def coordinator_asked_for(self, tc_id: int, known: range) -> int:
        return tc_id if tc_id in known else known.start
