"""A client that expects its transactions to stay prepared retries for a short time, and then returns the refusal."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from scripted_broker import Answer, ScriptedBroker, says

from fencepost.adapters.kafka.kafka_calls import SOON_S, SOON_TRIES
from fencepost.adapters.kafka.kafka_values import ProducerIdentity
from fencepost.contract.outcomes import Done, Refused

PAIR = ProducerIdentity(7, 3)
STEP_MS = 100
AT_MOST = 100


@dataclass
class PassingTime:
    """A clock that moves between two attempts."""

    now: float = 0.0
    patience_s: float = AT_MOST * STEP_MS / 1000
    step_ms: float = STEP_MS

    def now_ms(self) -> float:
        """The time that it shows."""
        return self.now

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        """Attempts, each at another time."""
        del patience
        for number in range(1, AT_MOST + 1):
            yield number
            self.now += self.step_ms


def end_txn(code: int) -> Answer:
    return says(error_code=code, producer_id=7 if code == 0 else -1, producer_epoch=4 if code == 0 else -1)


@pytest.mark.parametrize("code", [14, 15, 16, 51])
def test_a_refusal_that_goes_away_is_asked_again(code: int) -> None:
    """It was not about the transaction, so it is no answer to a scenario's question."""
    broker = ScriptedBroker(end_txn=[end_txn(code), end_txn(0)])
    probe, _ = broker.probe(time=PassingTime())

    with probe.giving_up_soon():
        outcome = probe.end_txn("t", PAIR, commit=True)

    assert outcome == Done(ProducerIdentity(7, 4))
    assert broker.count("end_txn") == 2


def test_a_refusal_that_stays_is_the_answer_after_a_short_time() -> None:
    """A longer wait would be in vain, and would use up the whole patience."""
    broker = ScriptedBroker(end_txn=[end_txn(51)])
    probe, _ = broker.probe(time=PassingTime())

    with probe.giving_up_soon():
        outcome = probe.end_txn("t", PAIR, commit=True)
    hurried = broker.count("end_txn")
    probe.end_txn("t", PAIR, commit=True)

    assert isinstance(outcome, Refused)
    assert outcome.error == "CONCURRENT_TRANSACTIONS"
    assert hurried == 1000 * SOON_S / STEP_MS + 1
    assert broker.count("end_txn") == hurried + AT_MOST


def test_a_client_whose_answers_are_slow_asks_a_few_times_all_the_same() -> None:
    """On a machine that is too busy for one answer in that time, a temporary refusal is not final."""
    broker = ScriptedBroker(end_txn=[end_txn(51)])
    probe, _ = broker.probe(time=PassingTime(step_ms=2000 * SOON_S))

    with probe.giving_up_soon():
        probe.end_txn("t", PAIR, commit=True)

    assert broker.count("end_txn") == SOON_TRIES
