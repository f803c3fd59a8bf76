"""One Kafka broker, or a cluster, that fencepost starts.

A configuration may have more nodes, each a container, or a process of a launcher. They start when the first node serves, so that it has the
internal topics: that node is the coordinator, and crashes concern it.
"""

import contextlib
import threading
from collections.abc import Callable

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.container_broker import ContainerBroker, Starting
from fencepost.adapters.common.time import WallTime
from fencepost.contract.errors import SystemUnreachable
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome

from .handshake import ask
from .kafka_login import Passwords
from .kafka_session import KafkaSession
from .kafka_settings import kafka_settings
from .last_epoch import bring_near_last_epoch
from .levels import FEATURE_LEVELS, put_back
from .nodes import KafkaNodes
from .offer import KafkaOffer
from .producer_pool import ProducerPool
from .reach import Users, brokers, serves_transactions, wall_session
from .written_epochs import write_ids

_ALL_NODES_WITHIN_S = 180.0


class KafkaBroker(ContainerBroker[KafkaNodes, KafkaOffer]):
    """A broker of an `apache/kafka` image. It brings `producers` producers near their last epoch as soon as it serves."""

    writes_ids = True
    """Whether fencepost may write ids near their last epoch into its log, whose place the settings know."""

    in_doubt = "expected an image that is configured as apache/kafka is, by KAFKA_ variables"

    def __init__(self, image: str, configuration: str, patience_s: float, producers: int = 0, starting: Starting | None = None) -> None:
        super().__init__(image, configuration, patience_s, starting)
        self._users = Users(Passwords.made_up_for(kafka_settings().users(configuration)))
        self._pool = ProducerPool(patience_s)
        self._producers = producers
        self._is_back = True
        self._bringing_back = threading.Lock()

    def start_containers(self, waits_for: Callable[[str], None]) -> KafkaNodes:
        from .container_nodes import start

        return start(self._image, self.configuration, self._users.passwords, waits_for)

    def ask(self, containers: KafkaNodes) -> Outcome[KafkaOffer]:
        address = containers.first.address
        transport = self._users.connect("handshake", address)
        try:
            answer = ask(transport, deadline_s=5.0)
        finally:
            transport.close()
        if not isinstance(answer, Done):
            return answer
        served = serves_transactions(address, answer.value, patience_s=5.0, users=self._users)
        if not isinstance(served, Done):
            return served
        self._is_back = True
        return answer

    def on_serving(self, offer: KafkaOffer, waits_for: Callable[[str], None]) -> None:
        """Start the other nodes, and fill the pool with producers near their last epoch, first with ids that were written into the log."""
        nodes = self._started.result()
        nodes.start_others()
        if nodes.count > 1:
            waits_for(f"all {nodes.count} nodes to serve")
            self._await_all(nodes, offer)
        address = nodes.first.address
        # Twice as many: a red scenario that ran concurrently with others is played once more.
        written = write_ids(address, offer, 2 * self._producers) if self._producers and self.writes_ids else []
        if written:
            waits_for("its coordinator to read its log again")
            with contextlib.suppress(SetUpFailed):  # then it was killed, and is down as well
                self.stop()
            self.restart()
        ids = iter(written)
        self._pool.open(lambda progress: bring_near_last_epoch(address, offer, progress, next(ids, None)))
        self._pool.expect(self._producers)

    def shown(self, log: str) -> str:
        """The log without the passwords."""
        return self._users.passwords.hidden_in(log)

    @property
    def address(self) -> Address:
        """The address of the first node on this machine."""
        return self.containers.first.address

    def session(self, needs: frozenset[str]) -> KafkaSession:
        """A fresh session for these needs.

        A broker that the last session left down is restarted, and one that is starting is awaited; feature levels that a scenario may have
        changed are restored.
        """
        offer = self.offer
        with self._bringing_back:
            if not self.containers.is_running():
                self.restart()
            elif not self._is_back:
                self.await_again()
        if FEATURE_LEVELS in needs:
            put_back(self.address, offer, self._patience_s, self._users)
        return wall_session(self.address, offer, self._patience_s, self, needs, users=self._users, take_from_pool=self._pool.take)

    def crash(self) -> None:
        """Kill the first node, which may restart by itself."""
        self._is_back = False
        super().crash()

    def stop(self) -> None:
        """Stop the first node, which may restart by itself."""
        self._is_back = False
        super().stop()

    def start_again(self) -> None:
        """Start the first node on the disk that it had."""
        self._is_back = False
        super().start_again()

    def pause(self, node: int) -> None:
        """Suspend a node until `resume`."""
        self.containers.node(node).pause()

    def resume(self, node: int) -> None:
        """Let the paused node continue, and wait until the cluster lists it again."""
        nodes = self.containers
        nodes.node(node).resume()
        self._await_all(nodes, self.offer)

    def close(self) -> None:
        """Remove the containers, now or as soon as they have been started."""
        self._pool.close()
        super().close()

    def _await_all(self, nodes: KafkaNodes, offer: KafkaOffer) -> None:
        """Wait until the first node lists all nodes, and each of them answers."""
        last: object = "nothing was tried"
        for _ in WallTime(_ALL_NODES_WITHIN_S).attempts():
            if not nodes.are_running():
                raise self.unreachable("has lost a node, whose container ended", last)
            try:
                answering = brokers(nodes.first.address, offer, self._users)
            except SystemUnreachable as error:
                last = error
            else:
                if len(answering) == nodes.count:
                    return
                last = ", ".join(f"node {node} at {address}" for node, address in answering.items())
        raise self.unreachable(f"does not come to {nodes.count} nodes within {_ALL_NODES_WITHIN_S:g} s", last)
