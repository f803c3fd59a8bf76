"""The reference at an address in real time, with manners that the protocol allows and that Apache Kafka does not have by default.

It does not lie: what it answers is the reference's own.
"""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from served import EventLoop

from fencepost.reference.kafka import AdvertisedListener, KafkaParts, Profile, ReferenceKafka
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.serving.kafka import KafkaConnection
from fencepost.reference.serving.served_kafka import now_ms
from fencepost.reference.serving.server import HOST, Server, follow_the_wall_clock, listen
from fencepost.reference.serving.unread_bytes import Memory

LONG_HOST = ".".join(f"0x{number:060x}" for number in (127, 0, 0, 1))
"""127.0.0.1 in 251 characters, of which each library of C makes the address by itself."""


@dataclass(frozen=True)
class Manners:
    """How a conforming broker may differ in what is no field of an answer."""

    late_s: float = 0.0
    """How long each answer waits before it is sent, in seconds."""

    idle_s: float | None = None
    """After how many seconds without a request a connection is closed; None for never."""

    host: str = HOST
    """The name by which the broker advertises itself."""

    first_offset: int = 0
    """Where a new log begins: brokers whose offsets are places in their storage begin far on."""


class _Connection(KafkaConnection):
    def __init__(
        self, manners: Manners, broker: ReferenceKafka, memory: Memory, *streams: asyncio.StreamReader | asyncio.StreamWriter
    ) -> None:
        super().__init__(broker, memory, *streams)  # type: ignore[arg-type]  # the two streams, in this order
        self._manners = manners

    async def _frame(self) -> bytes:
        try:
            return await asyncio.wait_for(super()._frame(), self._manners.idle_s)
        except TimeoutError:
            raise ConnectionError("the client was idle") from None

    async def _answer(self, frame: bytes) -> bytes | None:
        answer = await super()._answer(frame)
        await asyncio.sleep(self._manners.late_s)
        return answer


def _log_from(first_offset: int) -> type[PartitionLog]:
    class LogFromThere(PartitionLog):
        def __init__(self, *parts: Any) -> None:
            super().__init__(*parts)
            self.start_offset = max(self.start_offset, first_offset)

    return LogFromThere


async def serve(listener: socket.socket, manners: Manners) -> None:
    """Serve until cancelled."""
    address = AdvertisedListener(manners.host, listener.getsockname()[1])
    parts = KafkaParts(partition_log=_log_from(manners.first_offset))
    broker = ReferenceKafka(Profile.load("seed"), parts, address=address, now_ms=now_ms())
    server = Server(lambda memory, reader, writer: _Connection(manners, broker, memory, reader, writer))
    await asyncio.gather(server.serve(listener), follow_the_wall_clock(broker.advance))


@contextlib.contextmanager
def strange_broker(manners: Manners) -> Iterator[str]:
    """Such a broker in this process; gives its address."""
    listener = listen(0)
    with EventLoop() as loop:
        serving = loop.do(lambda: asyncio.get_running_loop().create_task(serve(listener, manners)))

        async def ended() -> None:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

        try:
            yield f"{HOST}:{listener.getsockname()[1]}"
        finally:
            loop.wait_for(ended())
