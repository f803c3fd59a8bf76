"""The reference behind a loopback socket, with users that have to log in over SASL/PLAIN and an authorizer."""

import contextlib
import dataclasses
import io
import socketserver
import struct
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from kio.index import load_request_schema
from kio.serial import entity_reader, entity_writer
from kio.static.primitive import i32

from fencepost.adapters.kafka.transport import Address
from fencepost.reference.kafka import Caller, Profile, ReferenceKafka, Settings


class GuardedBroker:
    """Listens while the `with` block lasts. The user `kit` may do everything; without passwords, nobody can log in."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        settings = Settings(has_authorizer=True, super_users=frozenset({"User:kit"}), passwords=passwords)
        self.reference = ReferenceKafka(Profile.load("seed"), settings=settings)
        self.one_at_a_time = threading.Lock()
        self.server = _Server(("127.0.0.1", 0), _Connection)
        self.server.broker = self
        self.address = Address("127.0.0.1", self.server.server_address[1])

    def __enter__(self) -> "GuardedBroker":
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def answer(self, caller: Caller, frame: bytes) -> bytes | None:
        """The frame that answers a request's frame, both without their lengths."""
        api_key, version, correlation_id = struct.unpack_from(">hhi", frame)
        kind = load_request_schema(api_key, version)
        _, header_size = entity_reader(kind.__header_schema__)(frame, 0)
        request, _ = entity_reader(kind)(frame, header_size)
        with self.one_at_a_time:
            entity: Any = caller.handle(request)
        if entity is None:
            return None
        out = io.BytesIO()
        header = entity.__header_schema__(correlation_id=i32(correlation_id))
        entity_writer(type(header))(out, header)
        entity_writer(type(entity))(out, self._at_home(entity))
        return out.getvalue()

    def _at_home(self, entity: Any) -> Any:
        """The same answer with this socket as the address of every node."""
        names = {field.name for field in dataclasses.fields(entity)}
        for name in names & {"brokers", "coordinators"}:
            nodes = tuple(dataclasses.replace(node, host="127.0.0.1", port=i32(self.address.port)) for node in getattr(entity, name))
            entity = dataclasses.replace(entity, **{name: nodes})
        return entity


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    broker: GuardedBroker


class _Connection(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, _Server)
        caller = Caller(self.server.broker.reference)
        with contextlib.suppress(ConnectionError):  # a client may hang up
            while prefix := self.rfile.read(4):
                answer = self.server.broker.answer(caller, self.rfile.read(struct.unpack(">i", prefix)[0]))
                if answer is None:
                    return
                self.wfile.write(struct.pack(">i", len(answer)) + answer)
