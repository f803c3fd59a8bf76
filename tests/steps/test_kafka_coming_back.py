"""How the kit asks a system that restarts: a simulated broker that does not listen for a while, then answers from a script."""

from types import SimpleNamespace
from typing import Any

import pytest
from scripted_broker import Answer, ScriptedBroker, says

from fencepost.adapters.kafka.inprocess import InProcessKafkaTransport
from fencepost.adapters.kafka.kafka_values import ProducerIdentity
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.evidence import Evidence, SetUpFailed, Violation
from fencepost.contract.outcomes import Done
from fencepost.contract.ports import Exchange
from fencepost.steps.kafka.kafka_answers import every_refusal_was
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.producer import ProducerInstance
from fencepost.steps.kafka.requests import put

PAIR = ProducerIdentity(7, 3)
LOADS, UNKNOWN_ID = 14, 49
STARTS = 3
"""The first and those that follow where the system was back too soon."""


def ends(code: int) -> Answer:
    return says(error_code=code, producer_id=7, producer_epoch=4)


def describes(code: int) -> Answer:
    state = {"error_code": code, "transactional_id": "t", "transaction_state": "Ongoing", "transaction_timeout": 60_000}
    return says(transaction_states=[state | {"transaction_start_time": 0, "producer_id": 7, "producer_epoch": 3, "topics": []}])


class Scenario:
    """A producer that ends its transaction while the broker restarts: the broker does not listen at the first `away` attempts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, away: int, *answers: Answer, coordinator: Answer) -> None:
        self.broker = ScriptedBroker(end_txn=list(answers), describe_transactions=[coordinator])
        self.starts, self._away = 1, away
        self._looks = iter(range(away))
        monkeypatch.setattr(InProcessKafkaTransport, "is_listened_to", lambda _: next(self._looks, None) is None)
        self.producer_probe, self.recorder = self.broker.probe()
        observer, _ = self.broker.probe()
        observer.describe_transaction("t")
        self.broker.asked.clear()
        faults = SimpleNamespace(crash=lambda: None, start_again=self._start_again)
        session: Any = SimpleNamespace(client=lambda _: observer, exchanges=self._exchanges, faults=faults, time=observer._time)
        self.context = KafkaContext(session, Evidence())
        self.context.armed.is_starting = True

    def _start_again(self) -> None:
        self.starts += 1
        self._looks = iter(range(self._away))

    def _exchanges(self) -> list[Exchange]:
        return list(self.recorder.exchanges())

    def play(self) -> None:
        """The When."""
        probe: KafkaProbe = self.producer_probe
        producer = ProducerInstance("A", "t", probe, [PAIR])
        put(self.context, producer, "end_txn", lambda retry: producer.end(True, version=5, retry=retry))

    @property
    def asked(self) -> list[str]:
        return [api for _, api in self.broker.asked]


def test_a_request_that_is_held_until_the_coordinator_has_loaded_was_put(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is sent first, to where the coordinator was before; then the coordinator says that it loads; so nothing was evaded."""
    scenario = Scenario(monkeypatch, 3, ends(0), coordinator=describes(LOADS))

    scenario.play()
    every_refusal_was(scenario.context, None)

    assert scenario.asked == ["end_txn", "describe_transactions"]
    assert scenario.starts == 1
    assert scenario.context.evidence.count == 1
    assert isinstance(scenario.context.answer, Done)


def test_a_system_that_is_back_before_it_is_asked_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the coordinator serves already, and nothing is refused, the question was not put, however often the system is started."""
    scenario = Scenario(monkeypatch, 3, ends(0), coordinator=describes(0))

    scenario.play()

    assert scenario.starts == STARTS
    with pytest.raises(SetUpFailed, match="no EndTxn was refused"):
        every_refusal_was(scenario.context, None)


@pytest.mark.parametrize("away", [0, 3])
def test_what_a_loading_coordinator_refuses_for_good_is_a_violation(monkeypatch: pytest.MonkeyPatch, away: int) -> None:
    """Also where the coordinator reports that it loads: a producer that it treats as unknown is refused."""
    scenario = Scenario(monkeypatch, away, ends(UNKNOWN_ID), coordinator=describes(LOADS))

    scenario.play()

    assert scenario.starts == 1
    with pytest.raises(Violation, match="INVALID_PRODUCER_ID_MAPPING"):
        every_refusal_was(scenario.context, None)


def test_the_coordinator_of_a_system_that_was_never_away_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be asked from the first moment on, and says by itself that it loads."""
    scenario = Scenario(monkeypatch, 0, ends(LOADS), ends(0), coordinator=describes(LOADS))

    scenario.play()
    every_refusal_was(scenario.context, None)

    assert scenario.asked.count("describe_transactions") == 0
    assert scenario.context.errors_answered == {"COORDINATOR_LOAD_IN_PROGRESS"}
