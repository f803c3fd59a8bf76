"""How long the nodes of a cluster have for their first answers."""

import time

import pytest

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka import reach
from fencepost.adapters.kafka.offer import KafkaOffer
from fencepost.contract.outcomes import Done

BOOTSTRAP, SECOND = Address("first", 9092), Address("second", 9092)


@pytest.mark.parametrize(("took_s", "given_s"), [(0.0, 1.0), (2.0, 7.0)])
def test_the_nodes_of_a_slow_cluster_have_more_time(took_s: float, given_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second each, and three times as long as the first node took for Metadata."""
    now, given = [0.0], []

    class SlowCluster:
        def __init__(self, *_: object) -> None: ...

        def brokers(self) -> Done[dict[int, Address]]:
            now[0] += took_s
            return Done({2: SECOND})

        def close(self) -> None: ...

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(reach, "Cluster", SlowCluster)
    monkeypatch.setattr(reach, "reach", lambda address, within_s, _: given.append((address, within_s)))

    reach.brokers(BOOTSTRAP, KafkaOffer({}))

    assert given == [(SECOND, given_s)]
