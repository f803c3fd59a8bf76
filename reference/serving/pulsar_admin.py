"""Pulsar's admin calls over HTTP/1.1: the h11 library knows the protocol, the reference the calls.

A body is bounded, and JSON or empty. What is no HTTP, and what is no JSON, is answered 400; what is too large 413. While the broker is down
a call is not answered, and its connection closed.
"""

import asyncio
import json
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

import h11

from fencepost.reference.pulsar import ReferencePulsar
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .line import ClientConversation
from .pulsar import Outgoing
from .unread_bytes import Memory

LONGEST_BODY = 1024 * 1024
_LONGEST_HEAD = 64 * 1024
_CHUNK = 64 * 1024


class _Bad(Exception):
    """A request that is answered with an error, after which the connection is closed."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class AdminConnection(ClientConversation):
    """A conversation with one HTTP client."""

    not_understood = h11.ProtocolError

    def __init__(
        self,
        broker: ReferencePulsar,
        outgoing: Outgoing,
        memory: Memory,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        super().__init__(memory, reader, writer)
        self._broker = broker
        self._outgoing = outgoing
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_LONGEST_HEAD)

    async def _talk(self) -> None:
        while (answer := await self._answer()) is not None:
            await self._send(answer)
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()
            await asyncio.sleep(0)

    async def _answer(self) -> AdminAnswer | None:
        """The answer to the next call; None when there is none, or no broker."""
        try:
            head = await self._event()
            if not isinstance(head, h11.Request):
                return None
            request = _request(head, await self._body())
        except h11.RemoteProtocolError as error:
            return _refusal(error.error_status_hint, str(error))
        except _Bad as bad:
            return _refusal(bad.status, str(bad))
        try:
            return self._broker.admin(request)
        finally:
            self._outgoing.flush()

    async def _body(self) -> bytes:
        body = bytearray()
        while isinstance(event := await self._event(), h11.Data):
            body += event.data
            self._memory.hold(self, len(body))
            if len(body) > LONGEST_BODY:
                raise _Bad(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body may have {LONGEST_BODY} bytes")
        self._memory.hold(self, 0)
        return bytes(body)

    async def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                self._write(h11.InformationalResponse(status_code=HTTPStatus.CONTINUE, headers=[]))
            self._http.receive_data(await self._reader.read(_CHUNK))
        return event

    async def _send(self, answer: AdminAnswer) -> None:
        headers = [("content-type", answer.content_type), ("content-length", str(len(answer.body)))]
        if answer.status == HTTPStatus.NO_CONTENT:
            headers = []
        self._write(h11.Response(status_code=answer.status, headers=headers))
        self._write(h11.Data(data=answer.body))
        self._write(h11.EndOfMessage())
        await self._drained()

    def _write(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")


def _request(head: h11.Request, body: bytes) -> AdminRequest:
    target = urlsplit(head.target.decode("ascii"))
    try:
        parsed = json.loads(body) if body else None
    except (ValueError, RecursionError) as error:
        raise _Bad(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}") from error
    return AdminRequest(head.method.decode("ascii"), unquote(target.path), dict(parse_qsl(target.query)), parsed)


def _refusal(status: int, why: str) -> AdminAnswer:
    return AdminAnswer(status, json.dumps({"reason": why}).encode())
