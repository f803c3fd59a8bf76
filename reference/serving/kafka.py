"""Kafka's connections: frames in, answers out, one after the other.

A request is answered before the next one is looked at, so answers come in the order of their requests, and a client that does not read its
answers is not read from either. What a broker does not understand ends the connection, as with Apache Kafka: a frame of an absurd length,
an API or version that is not served, invalid bytes of a request. ApiVersions is the exception: a version of it that is not served is
answered in version 0.
"""

import asyncio
import logging
from typing import Any

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.reference.kafka import ReferenceKafka
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.wire.kafka.entities import api_of, title
from fencepost.wire.kafka.frames import LENGTH, MalformedKafkaFrame, asked_in, decode_request, encode_response

from .kafka_caller import Caller
from .line import ClientConversation
from .unread_bytes import Memory

LONGEST_FRAME = 100 * 1024 * 1024
"""`socket.request.max.bytes`, with Kafka's default."""

_LOOK_AGAIN_S = 0.02
"""How often a Fetch that waits for records looks for them."""

_LOG = logging.getLogger("fencepost.serve")


class KafkaConnection(ClientConversation):
    """A conversation of one client of Kafka's protocol with one node."""

    not_understood = MalformedKafkaFrame

    def __init__(
        self, broker: ReferenceKafka, memory: Memory, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, node: int = 1
    ) -> None:
        super().__init__(memory, reader, writer)
        self._broker = broker
        self._caller = Caller(broker, node)

    async def _talk(self) -> None:
        while (answer := await self._answer(await self._frame())) is not None:
            self._writer.write(answer)
            await self._drained()
            # A client that sends many requests at once takes turns with the others.
            await asyncio.sleep(0)

    async def _frame(self) -> bytes:
        """The next request's frame, without its length."""
        prefix = await self._reader.readexactly(LENGTH.size)
        length: int = LENGTH.unpack(prefix)[0]
        if not 0 <= length <= LONGEST_FRAME:
            raise MalformedKafkaFrame(f"a frame announces {length} bytes, and 0 to {LONGEST_FRAME} are read", prefix)
        return await self._read(length)

    async def _answer(self, frame: bytes) -> bytes | None:
        """The answer's frame, empty if the client wants none; None when the connection is to be closed."""
        asked = asked_in(frame)
        if asked.can_be_read:
            request = decode_request(asked, frame)
            response = await self._response(request)
            if response is not None and _wants_no_answer(request):
                return None if _has_refused(response) else b""
        else:
            response = self._broker.refuse(asked.api)
        if response is None:
            api = f"API key {asked.api_key}" if asked.api is None else title(asked.api)
            _LOG.info("%s: closed: %s v%d is not served", self._name, api, asked.version)
            return None
        return encode_response(response, asked.correlation_id)

    async def _response(self, request: RequestPayload) -> ResponsePayload | None:
        response = await self._answered(request)
        if api_of(request) == "fetch":
            wanted: Any = request
            end = asyncio.get_running_loop().time() + wanted.max_wait.total_seconds()
            while _is_less_than(wanted.min_bytes, response) and asyncio.get_running_loop().time() < end:
                await asyncio.sleep(_LOOK_AGAIN_S)
                response = await self._answered(request)
        return response

    async def _answered(self, request: RequestPayload) -> ResponsePayload | None:
        sent = self._caller.send(request)
        while sent.is_kept:
            await asyncio.sleep(_LOOK_AGAIN_S)
        return sent.read()


def _is_less_than(size: int, fetched: Any) -> bool:
    """Whether a Fetch has found so little that it waits for more. One with an error does not wait."""
    if fetched is None or getattr(fetched, "error_code", Errors.NONE) != Errors.NONE:
        return False
    partitions = [partition for topic in fetched.responses for partition in topic.partitions]
    return (
        not any(partition.error_code for partition in partitions) and sum(len(partition.records or b"") for partition in partitions) < size
    )


def _wants_no_answer(request: Any) -> bool:
    return api_of(request) == "produce" and request.acks == 0


def _has_refused(produced: Any) -> bool:
    """Whether a Produce was refused in some partition; a client that wants no answer finds its connection closed."""
    return any(partition.error_code != Errors.NONE for topic in produced.responses for partition in topic.partition_responses)
