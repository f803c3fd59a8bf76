"""How much memory the reference takes for a million transactions. By hand, since it takes minutes:

    python -m benchmarks.memory_use [TRANSACTIONS]

Ten transactional ids in turn write one record to one of four partitions, store a group's offset, and commit. The logs keep what the
settings say by default. Prints the largest size of this process now and then, so that growth can be seen.
"""

import itertools
import resource
import sys
import time
from typing import Any

from fencepost.reference.kafka import Profile, ReferenceKafka
from fencepost.wire.kafka.batches import Batch, Record, encode
from fencepost.wire.kafka.entities import request

IDS = 10
PARTITIONS = 4
AIM_MB = 500


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    broker = ReferenceKafka(Profile.load("seed"))
    topic = {"name": "t", "num_partitions": PARTITIONS, "replication_factor": 1, "assignments": [], "configs": []}
    broker.handle(request("create_topics", 7, topics=[topic]))
    names = [f"id-{number}" for number in range(IDS)]
    pairs = {name: _init(broker, name) for name in names}
    began = time.perf_counter()
    for number, name in zip(range(1, count + 1), itertools.cycle(names), strict=False):
        pairs[name] = _transaction(broker, name, *pairs[name], number)
        if number % max(count // 10, 1) == 0:
            broker.advance(1_000)
            print(f"{number:>9,} transactions, {time.perf_counter() - began:4.0f} s: {_megabytes():.0f} MB at most", flush=True)
    if _megabytes() > AIM_MB:
        raise SystemExit(f"more than the {AIM_MB} MB that are aimed at")


def _init(broker: ReferenceKafka, name: str) -> tuple[int, int]:
    answer: Any = broker.handle(request("init_producer_id", 5, transactional_id=name, transaction_timeout=60_000))
    return int(answer.producer_id), int(answer.producer_epoch)


def _transaction(broker: ReferenceKafka, name: str, producer_id: int, epoch: int, number: int) -> tuple[int, int]:
    pair = {"producer_id": producer_id, "producer_epoch": epoch}
    batch = Batch((Record(b"value %d" % number, timestamp=number),), 0, producer_id, epoch, 0, transactional=True)
    data = [{"name": "t", "partition_data": [{"index": number % PARTITIONS, "records": encode(batch)}]}]
    broker.handle(request("produce", 12, transactional_id=name, acks=-1, timeout=1000, topic_data=data))
    offsets = [{"name": "t", "partitions": [{"partition_index": 0, "committed_offset": number, "committed_metadata": None}]}]
    broker.handle(request("txn_offset_commit", 5, transactional_id=name, group_id="g", topics=offsets, **pair))
    answer: Any = broker.handle(request("end_txn", 5, transactional_id=name, committed=True, **pair))
    assert answer.error_code == 0, f"transaction {number} of {name}: {answer}"
    return int(answer.producer_id), int(answer.producer_epoch)


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
