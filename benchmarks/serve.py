"""How many transactions a second the served reference ends, over loopback.

`make bench`. A few connections, each with its own transactional id and several requests in flight at a time, send
EndTxn v5 aborts, which a new client may send with nothing open. The epoch that each returns is predictable, since it
grows by one with every end, so no client waits; every answer must be a success. In addition, whole small transactions: a
Produce v12 of one record, and the EndTxn v5 that commits it. The processor time of the server shows what it could do on a machine
that is not shared.
"""

import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka.tcp import KafkaTcpTransport
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.batches import Batch, Record, encode
from fencepost.wire.kafka.entities import request
from fencepost.wire.kafka.frames import encode_request

from .served import served

CONNECTIONS = 4
ENDS = 3_000
WINDOW = 32
ROUNDS = 2
_END_ERROR = slice(9, 11)
"""Where an answer to EndTxn v5 has its error: after the correlation id, the empty tags and the throttle time."""


def main() -> None:
    with served("kafka", "--port", "0") as (server, (port, *_rest)):
        prepare(port)
        print(f"served over loopback to {CONNECTIONS} connections; the aim is 5,000 aborts a second")
        for title, kind in (("EndTxn v5 aborts", aborted), ("Produce v12 of a record and EndTxn v5", whole_transactions)):
            began = _cpu_seconds(server.pid)
            best = max(measured(port, f"{kind.__name__}-{number}", kind) for number in range(ROUNDS))
            by_cpu = ROUNDS * CONNECTIONS * ENDS / (_cpu_seconds(server.pid) - began)
            print(f"{title}: {best:,.0f} a second, {by_cpu:,.0f} a second of the server's processor time", flush=True)


def _cpu_seconds(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def call(port: int, message: Any) -> Any:
    transport = KafkaTcpTransport("bench", Address("127.0.0.1", port))
    outcome = transport.call(message, 10)
    transport.close()
    assert isinstance(outcome, Done), outcome
    return outcome.value


def prepare(port: int) -> None:
    topic = {"name": "t", "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": []}
    call(port, request("create_topics", 7, topics=[topic]))


def measured(port: int, prefix: str, requests: Callable[[str, Any], Iterator[bytes]]) -> float:
    """Rounds per second."""
    ids = [f"{prefix}-{number}" for number in range(CONNECTIONS)]
    pairs = [call(port, request("init_producer_id", 5, transactional_id=name, transaction_timeout=60_000)) for name in ids]
    asked = [list(requests(name, pair)) for name, pair in zip(ids, pairs, strict=True)]
    threads = [threading.Thread(target=pipelined, args=(port, messages)) for messages in asked]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return CONNECTIONS * ENDS / (time.perf_counter() - began)


def aborted(name: str, pair: Any) -> Iterator[bytes]:
    for number in range(ENDS):
        yield _end(name, pair, number, committed=False)


def whole_transactions(name: str, pair: Any) -> Iterator[bytes]:
    for number in range(ENDS):
        batch = Batch((Record(b"v", timestamp=1),), 0, pair.producer_id, pair.producer_epoch + number, 0, transactional=True)
        data = [{"name": "t", "partition_data": [{"index": 0, "records": encode(batch)}]}]
        yield encode_request(request("produce", 12, transactional_id=name, acks=-1, timeout=1000, topic_data=data), -1, "bench")
        yield _end(name, pair, number, committed=True)


def _end(name: str, pair: Any, number: int, *, committed: bool) -> bytes:
    fields = {"transactional_id": name, "producer_id": pair.producer_id, "producer_epoch": pair.producer_epoch + number}
    return encode_request(request("end_txn", 5, committed=committed, **fields), number, "bench")


def pipelined(port: int, messages: list[bytes]) -> None:
    """Send all, with at most `WINDOW` in flight."""
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rb") as answers:
        for begin in range(0, len(messages), WINDOW):
            window = messages[begin : begin + WINDOW]
            connection.sendall(b"".join(window))
            for _ in window:
                frame = answers.read(struct.unpack(">i", answers.read(4))[0])
                is_end = frame[:4] != b"\xff\xff\xff\xff"
                assert not is_end or frame[_END_ERROR] == b"\0\0", f"an EndTxn failed: {frame.hex(' ')}"


if __name__ == "__main__":
    main()
