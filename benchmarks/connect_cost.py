"""What a transaction key costs when a client connects to its coordinator, on the served reference.

`make bench`. Rounds of TC_CLIENT_CONNECT over loopback, each kind in turn so that a noisy machine treats them alike: without a key, with
a new key, and with a key that the connection has already, whose epoch grows. Prints the median of all connects, and its ratio to the
first kind; the aim is at most twice.
"""

import statistics
import time
from collections.abc import Iterator
from itertools import count, islice
from typing import Any

from fencepost.wire.pulsar import messages_pb2 as pb

from .served import served
from .splitting import SplitClient

ROUNDS = 20
CONNECTS = 200
AIM = 2
NEW = -1


def main() -> None:
    with served("pulsar", "--transaction-keys", "--port", "0") as (_, (port, *_rest)):
        measured(port)


def measured(port: int) -> None:
    """The medians of all connects."""
    kinds = {"without a key": _without(port), "with a new key": _with_new_keys(port), "with a key that it has": _with_one_key(port)}
    took: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(ROUNDS):
        for kind, connects in kinds.items():
            took[kind] += islice(connects, CONNECTS)
    medians = {kind: statistics.median(times) for kind, times in took.items()}
    for kind, median in medians.items():
        ratio = median / medians["without a key"]
        print(f"TC_CLIENT_CONNECT {kind}: {median * 1e6:,.0f} microseconds, {ratio:.1f} times (aim: at most {AIM})", flush=True)


def _without(port: int) -> Iterator[float]:
    """Seconds, on one connection."""
    client = SplitClient(port)
    for request in count():
        yield _seconds(client, pb.CommandTcClientConnectRequest(request_id=request, tc_id=0))[0]


def _with_new_keys(port: int) -> Iterator[float]:
    """Each on a separate connection, since one connection has one key; opening and closing is not counted."""
    for number in count():
        client = SplitClient(port)
        connect = pb.CommandTcClientConnectRequest(request_id=0, tc_id=0, transaction_key=b"new-%d" % number, transaction_key_epoch=NEW)
        yield _seconds(client, connect)[0]
        client.close()


def _with_one_key(port: int) -> Iterator[float]:
    """On one connection, with the epoch that was granted last."""
    client, epoch = SplitClient(port), NEW
    for request in count():
        connect = pb.CommandTcClientConnectRequest(request_id=request, tc_id=0, transaction_key=b"one", transaction_key_epoch=epoch)
        seconds, answer = _seconds(client, connect)
        assert answer.transaction_key_epoch > epoch, answer
        epoch = answer.transaction_key_epoch
        yield seconds


def _seconds(client: SplitClient, connect: pb.CommandTcClientConnectRequest) -> tuple[float, Any]:
    """The time until the answer, and the answer."""
    began = time.perf_counter()
    answer: Any = client.ask(connect).body
    seconds = time.perf_counter() - began
    assert not answer.HasField("error"), answer
    return seconds, answer


if __name__ == "__main__":
    main()
