"""A Kafka system over TCP that is running already and that fencepost did not start."""

from collections.abc import Collection

from fencepost.adapters.common import genuine
from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.adapters.common.restart_command import CONFIGURATION, RESTART_COMMAND, THROWAWAY
from fencepost.contract.brokers import MOST_AT_ONCE, StandIn, Where
from fencepost.contract.errors import NotOffered, SystemUnreachable
from fencepost.contract.outcomes import Done, Refused
from fencepost.contract.ports import Handshake

from .granted import CAN_BE_NAMED, Granted, users_of
from .handshake import MAY_BE_OFFERED, describe
from .kafka_login import Passwords
from .kafka_session import KafkaSession
from .kafka_settings import kafka_settings
from .last_epoch import bring_near_last_epoch
from .producer_pool import NEAR_LAST_EPOCH, ProducerPool
from .reach import REQUIRED_TIMEOUT_MS, Users, brokers, parse_addresses
from .release import identify, reported_by
from .running import RunningBroker
from .security import OPEN, KafkaSecurity

_NOTHING_GRANTED = Granted()
_SAME_BROKER = ("short", "near-last-epoch")
"""The configurations whose scenarios the broker at the first address plays: there they only need patience."""


class KafkaAt:
    """The broker or cluster at `HOST:PORT`, or at the first of several addresses that answers; and further brokers, one for each
    configuration.
    """

    name = "kafka"
    costs = "kafka-at-address"
    """The name under which `fixtures/costs.yaml` has how long its scenarios take."""
    most_at_once = MOST_AT_ONCE

    def __init__(
        self, bootstrap: str, patience_s: float = PATIENCE_S, granted: Granted = _NOTHING_GRANTED, security: KafkaSecurity = OPEN
    ) -> None:
        self._patience_s = patience_s
        self._granted = granted
        self._main = RunningBroker(parse_addresses(bootstrap), patience_s, granted.command, Users(Passwords({}), security))
        self._others = {
            name: RunningBroker((address,), patience_s, granted.command, users_of(name, security))
            for name, address in granted.configurations.items()
        }
        self._pool = ProducerPool(patience_s)
        self._producers = 0

    @property
    def _bootstrap(self) -> Address:
        return self._main.address

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """Count the producers near their last epoch that are needed; the pool starts to prepare them in `open`."""
        self._producers = sum(NEAR_LAST_EPOCH in need for need in needs)

    def may_offer(self) -> frozenset[str]:
        """The capabilities that need no settings and no container to kill, and those that the user grants."""
        return MAY_BE_OFFERED | self._offered()

    def _offered(self) -> frozenset[str]:
        return frozenset().union(*(self._granted.capabilities(name) for name in (*_SAME_BROKER, *self._others)))

    def open(self) -> Handshake:
        """Ask the bootstrap node for its offer, and check that the further brokers answer.

        A system that cannot initialise a transactional id is opened all the same, with a note: scenarios judge that. Raises
        SystemUnreachable if it allows no transaction timeouts as long as those of scenarios.
        """
        notes = self._main.open()
        nodes = brokers(self._bootstrap, self._main.offer, self._main.users)
        notes.append("nodes: " + ", ".join(f"{node} at {address}" for node, address in nodes.items()))
        try:
            outcome = self._main.serves(self._patience_s)
        except NotOffered as error:
            notes.append(f"no transactional id could be initialised: {error}")
        else:
            if isinstance(outcome, Refused) and outcome.error == "INVALID_TRANSACTION_TIMEOUT":
                raise SystemUnreachable(
                    f"{self._bootstrap} refuses a transaction timeout of {REQUIRED_TIMEOUT_MS} ms with {outcome.error}, and scenarios "
                    f"have transactions as long as that: set transaction.max.timeout.ms to {REQUIRED_TIMEOUT_MS} or more"
                )
            if not isinstance(outcome, Done):
                notes.append(f"no transactional id could be initialised within {self._patience_s:g} s: {outcome}")
        for name, other in self._others.items():
            self._open_other(name, other)
            notes.append(f"configuration {name} at {other.address}")
        self._pool.open(
            lambda progress: bring_near_last_epoch(self._bootstrap, self._main.offer, progress, users=self._main.users), len(nodes)
        )
        self._pool.expect(self._producers)
        settings, supported = kafka_settings(), self._main.offer.supported.get("metadata.version")
        reported = reported_by(supported, settings.releases)
        return describe(
            self._main.offer,
            identify(supported, settings.releases),
            genuine.of_stranger(settings.project_of(self.name), f"the broker at {self._bootstrap}", reported),
            offered=self._offered(),
            missing=self._missing(),
            notes=notes,
        )

    def stand_in(self) -> StandIn:
        """The reference with the main broker's offer of requests."""
        from .stand_in import KafkaStandIn as Reference

        return Reference(self._main.offer)

    @staticmethod
    def _open_other(name: str, other: RunningBroker) -> None:
        try:
            other.open()
        except SystemUnreachable as error:
            raise SystemUnreachable(f"--{CONFIGURATION} {name}={other.address}: {error}") from error

    def _missing(self) -> list[str]:
        """A line for each capability that is not offered, with the option that would grant it."""
        killing = f"{self._bootstrap} was not started by fencepost; --{RESTART_COMMAND} CMD says how it is killed and started"
        why = {
            "crash": killing,
            "clean-stop": f"{self._bootstrap} was not started by fencepost, and no option says how to stop it",
            "reload": killing,
            "hold-markers": f"it leaves transactions undecided for ever; --{THROWAWAY} says that {self._bootstrap} may be left so",
        }
        by_name = {
            capability: f"--{CONFIGURATION} {name}=HOST:PORT names a broker with that"
            for name in CAN_BE_NAMED
            for capability in kafka_settings().configuration(name).offers
        }
        settings = f"{self._bootstrap} was not started with settings for that"
        return [
            f"{name}: {why.get(name) or '; '.join(filter(None, (settings, by_name.get(name))))}"
            for name in sorted(kafka_settings().capabilities - self._offered())
        ]

    def where(self, needs: Collection[str]) -> Where:
        """The further broker with the configuration of these needs, if the user named one; else the main broker."""
        name = kafka_settings().configurations_for([needs])
        return Where(name[0]) if name and name[0] in self._others else Where()

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> KafkaSession:  # noqa: ARG002 - names are random
        """A fresh session, on the broker with the configuration of these needs. Raises SetUpFailed."""
        other = self._others.get(kafka_settings().configuration_for(needs))
        if other is not None:
            return other.session(needs)
        session = self._main.session(needs, self._pool.take)
        session.has_unknown_rights = True
        return session

    def answers(self) -> bool:
        """Whether every broker that the user named answers now."""
        return all(broker.answers() for broker in (self._main, *self._others.values()))

    def close(self) -> None:
        """Stop raising epochs, and leave all brokers running. Connections belong to sessions, which close them."""
        self._pool.close()
        for broker in (self._main, *self._others.values()):
            broker.close()
