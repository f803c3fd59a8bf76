"""The reference on a loopback socket, which damages its answers to one API on purpose.

All other answers are the reference's own, so the suite gets as far as that API. A lie takes the whole frame of the true answer
and gives the bytes that are sent instead; None hangs up.
"""

import contextlib
import dataclasses
import io
import socketserver
import struct
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeAlias

from kio.index import load_request_schema
from kio.serial import entity_reader, entity_writer
from kio.static.primitive import i32

from fencepost.reference.kafka import Profile, ReferenceKafka
from fencepost.wire.kafka.entities import API_KEYS

Lie: TypeAlias = Callable[[bytes], bytes | None]

LIES: dict[str, Lie] = {
    "closes": lambda _: None,
    "swaps-correlation-ids": lambda frame: frame[:4] + struct.pack(">i", struct.unpack_from(">i", frame, 4)[0] + 1) + frame[8:],
    "truncates": lambda frame: struct.pack(">i", len(frame) - 8) + frame[4:-4],
    "announces-too-much": lambda frame: struct.pack(">i", 0x7FFFFFFF) + frame[4:],
    "invents-an-error": lambda frame: frame[:13] + b"\x27\x0f" + frame[15:],
}


class LyingBroker:
    """Listens while the `with` block lasts; `lie` damages the answers to `api`."""

    hangs_up = False
    """Whether a connection ends with each answer."""

    def __init__(self, api: str, lie: Lie) -> None:
        self.reference = ReferenceKafka(Profile.load("seed"))
        self.api_key, self.lie = API_KEYS[api], lie
        self.one_at_a_time = threading.Lock()
        self.server = _Server(("127.0.0.1", 0), _Connection)
        self.server.broker = self
        self.port: int = self.server.server_address[1]

    def __enter__(self) -> "LyingBroker":
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def go_away(self) -> None:
        """Stop listening; connected clients stay connected."""
        self.server.shutdown()
        self.server.server_close()

    def answer(self, frame: bytes) -> bytes | None:
        """The bytes to send for a request's frame, its length left out."""
        api_key, version, correlation_id = struct.unpack_from(">hhi", frame)
        kind = load_request_schema(api_key, version)
        _, header_size = entity_reader(kind.__header_schema__)(frame, 0)
        request, _ = entity_reader(kind)(frame, header_size)
        with self.one_at_a_time:
            entity: Any = self.reference.handle(request)
        if entity is None:
            return None
        out = io.BytesIO()
        header = entity.__header_schema__(correlation_id=i32(correlation_id))
        entity_writer(type(header))(out, header)
        entity_writer(type(entity))(out, self._at_home(entity))
        true = struct.pack(">i", len(out.getvalue())) + out.getvalue()
        return self.lie(true) if api_key == self.api_key else true

    def _at_home(self, entity: Any) -> Any:
        """The same answer with this socket as the address of every node."""
        names = {field.name for field in dataclasses.fields(entity)}
        for name in names & {"brokers", "coordinators"}:
            nodes = tuple(dataclasses.replace(node, host="127.0.0.1", port=i32(self.port)) for node in getattr(entity, name))
            entity = dataclasses.replace(entity, **{name: nodes})
        return entity


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    broker: LyingBroker


class _Connection(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, _Server)
        with contextlib.suppress(ConnectionError):  # a client that was lied to hangs up
            while prefix := self.rfile.read(4):
                answer = self.server.broker.answer(self.rfile.read(struct.unpack(">i", prefix)[0]))
                if answer is None:
                    return
                self.wfile.write(answer)
                if self.server.broker.hangs_up:
                    return
