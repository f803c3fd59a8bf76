"""Two producers of one scenario on a cluster whose nodes share the transactional ids."""

from typing import Any

import pytest
from scripted_broker import BOOTSTRAP, SECOND, ScriptedBroker, coordinator_at, says

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.evidence import Evidence
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.topology import two_producers


class Session:
    """A session whose clients are of one scripted cluster."""

    def __init__(self, broker: ScriptedBroker) -> None:
        self._broker = broker

    def client(self, name: str) -> KafkaProbe:
        del name
        return self._broker.probe()[0]

    def unique(self, name: str) -> str:
        return f"{name}-5e"


@pytest.mark.parametrize(
    ("at_the_second", "named", "looks"),
    [
        ((), "refund-5e", 2),
        (("transfer-5e", "refund-5e"), "refund-5e", 2),
        (("refund-5e", "refund-1-5e"), "refund-2-5e", 4),
        (("transfer-5e",), "refund-5e", 201),
    ],
)
def test_one_coordinator_has_the_ids_of_both(at_the_second: tuple[str, ...], named: str, looks: int) -> None:
    """A request that names both goes to one node; where one node has all ids, no other is asked. Where none is found, the name stays."""

    def find(request: Any) -> Any:
        key = getattr(request, "key", None) or request.coordinator_keys[0]
        at: Address = SECOND if key in at_the_second else BOOTSTRAP
        return coordinator_at(at)(request)

    broker = ScriptedBroker(find_coordinator=[find], init_producer_id=[says(error_code=0, producer_id=7, producer_epoch=0)])
    context = KafkaContext(Session(broker), Evidence())  # type: ignore[arg-type]  # it asks nothing else

    two_producers(context, "A", "B", "transfer", "refund", None)

    assert (context.producers["A"].transactional_id, context.producers["B"].transactional_id) == ("transfer-5e", named)
    assert broker.count("find_coordinator") == looks
