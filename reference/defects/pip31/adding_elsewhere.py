"""Defects of Pulsar in requests about a coordinator that does not exist."""

from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_key.claims import Claim
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.reference.pulsar.transaction_responses import TransactionResponses


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
    origin="red team: the lower half of an id treated as all of it",
    also=[_LooksAtTheNumber, _AsksNoKeys],
)
class PulsarAnyOtherCoordinatorIsTheFirst(TransactionResponses):
    """A request for a missing coordinator goes to the first one, which finds a transaction of the same number."""

    def coordinator_asked_for(self, tc_id: int, known: range) -> int:
        return tc_id if tc_id in known else known.start
