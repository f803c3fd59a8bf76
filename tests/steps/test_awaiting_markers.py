"""How often a scenario asks the coordinator whether markers are in flight, before a sentence looks at what they decide."""

from types import SimpleNamespace
from typing import Any

import pytest
from scripted_broker import Answer, CountedTime, ScriptedBroker, says

from fencepost.adapters.kafka.kafka_values import ProducerIdentity
from fencepost.contract.evidence import Evidence
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.producer import ProducerInstance

PAIR = ProducerIdentity(7, 3)


class CountingTime(CountedTime):
    """Counts what may have changed something."""

    def __init__(self) -> None:
        self.changes = 0

    def has_changed(self) -> None:
        self.changes += 1


def describes(state: str) -> Answer:
    known = {"error_code": 0, "transactional_id": "t", "transaction_state": state, "transaction_timeout": 60_000}
    return says(transaction_states=[known | {"transaction_start_time": 0, "producer_id": 7, "producer_epoch": 3, "topics": []}])


@pytest.mark.parametrize(("state", "looks"), [("CompleteCommit", [1, 1, 2, 3]), ("Ongoing", [1, 2, 3, 4])])
def test_what_is_settled_is_asked_again_only_after_a_change(state: str, looks: list[int]) -> None:
    """A request to change something is one, and so is a fault; what is open may be ended by its timeout at any time."""
    broker, time = ScriptedBroker(describe_transactions=[describes(state)], end_txn=[says(error_code=0)]), CountingTime()
    probe, _ = broker.probe(time=time)
    session: Any = SimpleNamespace(client=lambda _: probe, time=time, faults=None)
    context = KafkaContext(session, Evidence())
    context.producers["A"] = ProducerInstance("A", "t", probe, [PAIR])
    asked = []

    for change in (lambda: None, lambda: None, lambda: probe.end_txn("t", PAIR, commit=True), lambda: context.faults):
        change()
        context.await_markers()
        asked.append(broker.count("describe_transactions"))

    assert asked == looks
