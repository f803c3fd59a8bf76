"""Partitions, and coordinators, that another node takes over: it knows what the logs have, and nothing else."""

from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_values import TRANSACTIONS, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Refused

from .performer import CannotDisturb, Performer
from .prelude import done

_CLIENT = "the client of the moves"


class LeaderMoved(Performer):
    """Between two steps the other node becomes the leader of each partition of the scenario."""

    idle = "no partition of the scenario was there"

    session: KafkaSession

    def before_step(self) -> None:
        probe: KafkaProbe = self.session.client(_CLIENT)
        for name in self.undisturbed.created:
            topic, leaders = self.session.unique(name), probe.leader_nodes(self.session.unique(name))
            if isinstance(leaders, Refused):  # it is not made yet, or was deleted
                continue
            for number, node in done(leaders, f"looking for the leaders of {topic}").items():
                where = TopicPartition(topic, number)
                done(probe.move_partition(where, _other(node)), f"moving {where}")
                self.did("moved", "leader")


class CoordinatorMoved(Performer):
    """Between two steps the other node becomes the coordinator of each transactional id of the scenario."""

    idle = "the scenario has no transactional id, or no client had looked for a coordinator yet"

    session: KafkaSession

    def before_step(self) -> None:
        probe: KafkaProbe = self.session.client(_CLIENT)
        moved: dict[TopicPartition, int] = {}
        for transactional_id in map(self.session.unique, self.undisturbed.writers):
            try:
                where = done(probe.partition_of(transactional_id, TRANSACTIONS), f"looking for the log of {transactional_id}")
            except NotOffered:  # no client has looked for a coordinator yet
                return
            version = probe.newest("find_coordinator", 1, 6)
            if where not in moved:
                node = done(probe.coordinator_node(transactional_id, version), f"looking for the coordinator of {transactional_id}")
                moved[where] = _other(node)
                done(probe.move_partition(where, moved[where]), f"moving {where}")
                self.did("moved", "coordinator")
            for _ in self.session.time.attempts():
                if (now := probe.coordinator_node(transactional_id, version)) == Done(moved[where]):
                    break
            else:
                raise CannotDisturb(f"the disturbance could not be brought about: {transactional_id} has its former coordinator: {now}")


def _other(node: int) -> int:
    """The number of the node that takes over, the first or the second; a cluster may have more."""
    return 2 if node == 1 else 1
