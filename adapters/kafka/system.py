"""A Kafka system over TCP that is running already and belongs to somebody else."""

from collections.abc import Collection

from fencepost.adapters.common import genuine
from fencepost.adapters.common.faults import NoFaults
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.errors import NotOffered, WrongUsage
from fencepost.contract.outcomes import Done
from fencepost.contract.ports import Handshake

from .handshake import MAY_BE_OFFERED, describe
from .last_epoch import bring_near_last_epoch
from .offer import Offer
from .producer_pool import NEAR_LAST_EPOCH, ProducerPool
from .reach import brokers, parse_address, reach, readable, serves_transactions, wall_session
from .release import identify, told_by
from .session import KafkaSession
from .settings import kafka_settings

_REACHABLE_WITHIN_S = 6.0
"""Together with the second that each advertised address has, an unreachable system is reported within ten."""


def _needs_settings() -> list[str]:
    return sorted(kafka_settings().capabilities - {"crash", "hold-markers", NEAR_LAST_EPOCH})


class KafkaAt:
    """The broker, or the cluster, at `HOST:PORT`."""

    name = "kafka"

    def __init__(self, bootstrap: str, patience_s: float = PATIENCE_S) -> None:
        self._bootstrap = parse_address(bootstrap)
        self._patience_s = patience_s
        self._offer: Offer | None = None
        self._pool = ProducerPool(patience_s)
        self._producers = 0

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """There is nothing to start but the pool of producers near their last epoch, and that only when the system is open."""
        self._producers = sum(NEAR_LAST_EPOCH in need for need in needs)

    def may_offer(self) -> frozenset[str]:
        """What needs no settings, and no container to kill."""
        return MAY_BE_OFFERED | {NEAR_LAST_EPOCH}

    def open(self) -> Handshake:
        """Ask the bootstrap node what it is.

        A system that cannot initialise a transactional id is opened all the same, with a note: that is for scenarios to judge.
        """
        offer, notes = readable(self._bootstrap, reach(self._bootstrap, _REACHABLE_WITHIN_S))
        nodes = brokers(self._bootstrap, offer)
        notes.append("nodes: " + ", ".join(f"{node} at {address}" for node, address in nodes.items()))
        try:
            outcome = serves_transactions(self._bootstrap, offer, self._patience_s)
        except NotOffered as error:
            notes.append(f"no transactional id could be initialised: {error}")
        else:
            if not isinstance(outcome, Done):
                notes.append(f"no transactional id could be initialised within {self._patience_s:g} s: {outcome}")
        self._offer = offer
        self._pool.open(lambda progress: bring_near_last_epoch(self._bootstrap, offer, progress))
        self._pool.expect(self._producers)
        settings, supported = kafka_settings(), offer.supported.get("metadata.version")
        told = told_by(supported, settings.releases)
        return describe(
            offer,
            identify(supported, settings.releases),
            genuine.of_stranger(settings.project_of(self.name), f"the broker at {self._bootstrap}", told),
            offered={NEAR_LAST_EPOCH},
            missing=[
                f"crash: {self._bootstrap} was not started by fencepost",
                f"hold-markers: it leaves transactions undecided for ever, and {self._bootstrap} is not fencepost's to throw away",
                *(f"{name}: {self._bootstrap} was not started with settings for that" for name in _needs_settings()),
            ],
            notes=notes,
        )

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> KafkaSession:  # noqa: ARG002 - a broker has no use for a title
        """A fresh session."""
        if self._offer is None:
            raise WrongUsage(f"a session with {self._bootstrap} was asked for before open()")
        return wall_session(
            self._bootstrap, self._offer, self._patience_s, NoFaults(str(self._bootstrap)), needs, take_from_pool=self._pool.take
        )

    def close(self) -> None:
        """Stop raising epochs. There is nothing else to give back: connections belong to sessions."""
        self._pool.close()
