"""A producer that keeps adding partitions, on paper: a coordinator that answers from a script, and takes its time."""

from types import SimpleNamespace
from typing import Any

import pytest

from fencepost.contract.outcomes import Done
from fencepost.steps.kip890.lifetimes import writes_now_and_then

TIMEOUT_MS = 2_000


class Coordinator:
    """It aborts the transaction when its timeout has passed. A look takes 10 ms, and the one at `slow_at_ms` takes 1,250 ms more."""

    def __init__(self, slow_at_ms: int | None) -> None:
        self.now_ms, self._slow_at_ms = 0, slow_at_ms
        self.writes: list[int] = []

    def attempts(self) -> Any:
        for number in range(1_000):
            yield number
            self.now_ms += 50

    def describe(self, _: object) -> Any:
        state = "Ongoing" if self.now_ms < TIMEOUT_MS else "CompleteAbort"
        self.now_ms += 10
        if self._slow_at_ms is not None and self.now_ms >= self._slow_at_ms:
            self.now_ms, self._slow_at_ms = self.now_ms + 1_250, None
        return SimpleNamespace(state=state)

    def write(self, *_: object, **__: object) -> Done[None]:
        self.writes.append(self.now_ms)
        return Done(None)

    def context(self) -> Any:
        partitions = [SimpleNamespace(topic="ledger", number=number) for number in range(50)]
        producer = SimpleNamespace(write=self.write)
        time = SimpleNamespace(now_ms=lambda: self.now_ms, attempts=self.attempts)
        return SimpleNamespace(
            time=time,
            partitions=partitions,
            topics={"ledger": "ledger"},
            turn_of=lambda _: producer,
            describe=self.describe,
            version=lambda *_: 12,
        )


@pytest.mark.parametrize("slow_at_ms", [None, 900, 1_500, 1_800])
def test_nothing_is_written_on_an_answer_that_is_out_of_date(slow_at_ms: int | None) -> None:
    """A look that takes longer than a fifth of the timeout is repeated: no write follows the abort, which would be refused."""
    coordinator = Coordinator(slow_at_ms)

    writes_now_and_then(coordinator.context(), "A", "ledger")

    assert coordinator.writes
    assert max(coordinator.writes) < TIMEOUT_MS
    assert slow_at_ms is not None or len(coordinator.writes) == 3
