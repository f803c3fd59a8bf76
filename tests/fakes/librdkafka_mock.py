"""librdkafka's built-in mock broker: a wrong system that is not our own, and that needs no container.

It knows the first protocol only, and pretends: no producer is fenced, nothing is verified, the last stable offset is the high watermark
while a transaction is open, and its markers have no checksum. `python tests/fakes/librdkafka_mock.py` serves it until its input ends, for
`fencepost run kafka --bootstrap`.
"""

import contextlib
import sys
from collections.abc import Iterator

from confluent_kafka.admin import AdminClient


@contextlib.contextmanager
def librdkafka_mock() -> Iterator[str]:
    """The address of a mock cluster of one node, which lives as long as the `with` block."""
    owner = AdminClient({"test.mock.num.brokers": 1, "log_level": 0})
    (node,) = owner.list_topics(timeout=10).brokers.values()
    yield f"{node.host}:{node.port}"
    del owner


if __name__ == "__main__":
    with librdkafka_mock() as address:
        print(address, flush=True)
        sys.stdin.read()
