"""What clients find after a scenario's last step: in its partitions, for its groups, and with each of its transactional ids.

A scenario looks at what it is about, and a disturbance may have changed something else. So its transactional ids are taken over, each
commits one more record, and readers look at all that is there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from fencepost.adapters.kafka.kafka_core import KafkaLog
from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_values import IsolationLevel, LogView, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.outcomes import Done, Outcome

from .performer import Undisturbed, said
from .prelude import TIMEOUT_MS

_CLIENT = "the client of the last look"
_MOST_PARTITIONS = 4
"""More of a topic are not looked at."""


def kafka_last_look(session: KafkaSession, undisturbed: Undisturbed) -> Iterator[str]:
    """What is there, each as a text without numbers that a disturbance may move."""
    probe: KafkaProbe = session.client(_CLIENT)
    topics = {name: session.unique(name) for name in undisturbed.created}
    yield from _seen(probe, topics, [session.unique(name) for name in undisturbed.groups])
    log: KafkaLog = session.transactional_log()
    for writer in undisturbed.writers:
        last = partial(_committed, probe, log, session.unique(writer), next(iter(topics.values()), None))
        yield f"a commit of the next instance of {writer}: {said(last)}"
    yield from _seen(probe, topics, ())


def _seen(probe: KafkaProbe, topics: dict[str, str], groups: Sequence[str]) -> Iterator[str]:
    for name, topic in topics.items():
        leaders = said(partial(probe.leader_nodes, topic))
        if not isinstance(leaders, dict):
            yield f"{name}: {leaders}"
            continue
        for number in sorted(leaders)[:_MOST_PARTITIONS]:
            where = TopicPartition(topic, number)
            view = said(partial(probe.read, where, IsolationLevel.READ_COMMITTED))
            if not isinstance(view, LogView):
                yield f"readers of {name}-{number}: {view}"
                continue
            undecided = "" if view.last_stable_offset == view.high_watermark else ", and something is undecided"
            yield f"readers of {name}-{number}: {view.values()}{undecided}"
            for group in groups:
                place = said(partial(probe.committed_offset, group, where, require_stable=True, retry=False))
                before = [value for at, value in view.handed_over() if at < place] if isinstance(place, int) else place
                yield f"place of a group in {name}-{number}: {before}"


def _committed(probe: KafkaProbe, log: KafkaLog, transactional_id: str, topic: str | None) -> Outcome[Any]:
    """Take the id over, and commit a record, which has a key, since the topic may be compacted."""
    taken = probe.init_producer_id(transactional_id, timeout_ms=TIMEOUT_MS)
    if not isinstance(taken, Done) or topic is None:
        return Done("success") if isinstance(taken, Done) else taken
    who, where = taken.value, TopicPartition(topic, 0)
    if log.kind.is_old and not isinstance(added := probe.add_partitions(transactional_id, who, [where]), Done):
        return added
    batch = probe.batch_of(["last"], producer=who, sequence=0, transactional=True)
    batch = replace(batch, records=tuple(replace(one, key=transactional_id.encode()) for one in batch.records))
    written = probe.produce_one_batch(where, batch, transactional_id=transactional_id, version=log.version("produce"))
    if not isinstance(written, Done):
        return written
    ended = probe.end_txn(transactional_id, who, commit=True, version=log.version("end_txn"))
    return Done("success") if isinstance(ended, Done) else ended
