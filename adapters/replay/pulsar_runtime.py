"""Pulsar's binary protocol and admin calls in as few lines as recorded requests need, with the standard library only.

`fencepost replay` puts this module into each script, with what it uses of `runtime`, and reads recorded frames with it, so that a script
and the recording that it was made from read the same bytes in the same way.
"""

import argparse
import http.client
import json
import socket
import struct
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.adapters.replay.runtime import NOT_SHOWN, SHOWN, UNDECIDED, crc32c, decide, hex_, uvarint

RETRIABLE = {"ServiceNotReady", "TransactionCoordinatorNotFound", "TooManyRequests", "ProducerBusy", "ConsumerBusy"}
"""Loading, not here yet, or a former client not gone yet: sent again, unless that was the answer in the red."""
IGNORED = {
    "request_id", "txnid_least_bits", "txnid_most_bits", "ledger_id", "producer_name", "message", "broker_service_url",
    "broker_service_url_tls", "server_version", "protocol_version", "max_message_size", "feature_flags", "topic_epoch",
    "consumer_epoch", "publish_time", "consumer_id", "producer_id", "authoritative", "proxy_through_service_url", "response",
}  # fmt: skip
"""Fields that may differ between two correct brokers."""
VOLATILE = ("rate", "time", "timestamp", "size", "address", "since", "counter", "version", "id", "url", "throughput", "bytes", "broker")
"""Endings of names in the answers of the admin interface that may differ between two correct brokers."""
MARK = "{suffix}"
"""What stands in a name for the suffix of this run of the script."""


# --- writing ------------------------------------------------------------------------------------------------------------------
def number(tag: str, value: int) -> bytes:
    return hex_(tag) + uvarint(value & (1 << 64) - 1)


def text(tag: str, value: object) -> bytes:
    data = str(value).encode()
    return hex_(tag) + uvarint(len(data)) + data


def inside(tag: str, *parts: bytes) -> bytes:
    data = b"".join(parts)
    return hex_(tag) + uvarint(len(data)) + data


def command(*parts: bytes) -> bytes:
    data = b"".join(parts)
    return struct.pack(">I", len(data)) + data


def payload(metadata: bytes, data: bytes) -> bytes:
    """Metadata and data of a message, with the checksum of their present content."""
    covered = metadata + data
    return b"\x0e\x01" + struct.pack(">I", crc32c(covered)) + covered


# --- reading ------------------------------------------------------------------------------------------------------------------
def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value - (1 << 64) if value >> 63 else value, at


def message(data: bytes, shape: Mapping[int, Any]) -> dict[str, Any]:
    """`shape` has for each number of a field its name, whether it is repeated, and its kind: a shape, the names of an enum, or a word."""
    found: dict[str, Any] = {}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, repeated, kind = shape.get(tag >> 3, ("", False, "unknown"))
        value: Any
        if tag & 7 == 0:
            value, at = varint(data, at)
            value = kind.get(value, value) if isinstance(kind, Mapping) else bool(value) if kind == "bool" else value
        elif tag & 7 == 2:
            size, start = varint(data, at)
            at = start + size
            inner = data[start:at]
            value = message(inner, kind) if isinstance(kind, Mapping) else inner.decode() if kind == "string" else inner.hex()
        else:
            size = 8 if tag & 7 == 1 else 4
            value, at = data[at : at + size].hex(), at + size
        if repeated:
            found.setdefault(name, []).append(value)
        elif name:
            found[name] = value
    return found


def frame(data: bytes, shape: Mapping[int, Any]) -> dict[str, Any]:
    """A frame without its size: its type, its command's fields, and the value of a message."""
    (size,) = struct.unpack_from(">I", data)
    found = message(data[4 : 4 + size], shape)
    name = str(found.pop("type", "?"))
    said: dict[str, Any] = {"type": name, **next(iter(found.values()), {})}
    if len(data) > 4 + size:
        start = 4 + size + 2 + 4
        (length,) = struct.unpack_from(">I", data, start)
        said["value"] = data[start + 4 + length :].decode(errors="replace")
    return said


def key_of(said: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """How a request and its answer are matched; for what is pushed, to whom; None for what has no answer."""
    name = said["type"]
    if name in ("CONNECT", "CONNECTED") or (name == "ERROR" and said.get("request_id") == -1):
        return ("connect",)
    if name in ("SEND", "SEND_RECEIPT", "SEND_ERROR"):
        return ("send", said.get("producer_id"), said.get("sequence_id"))
    ids = [one for one in ("session_id", "watch_id", "request_id") if one in said]
    if ids and not (name.startswith("CLOSE_") and said[ids[0]] <= 0):  # a broker closes producers and consumers without a number
        return (ids[0], said[ids[0]])
    return None


def pushed_to(said: Mapping[str, Any]) -> tuple[str, int]:
    """The consumer or producer of a frame that answers nothing."""
    kind = "consumer" if "consumer_id" in said else "producer"
    return kind, int(said.get(f"{kind}_id", -1))


def flat(value: Any, suffix: str, path: str = "") -> Iterator[tuple[str, Any]]:
    """An answer as pairs of a field's path and its value, without the fields that may differ between two correct brokers."""
    if isinstance(value, Mapping):
        is_sent = value.get("type") in ("SEND_RECEIPT", "MESSAGE")
        for name, inner in value.items():
            if name not in IGNORED and not (is_sent and name == "message_id"):
                yield from flat(inner, suffix, f"{path}.{name}" if path else str(name).replace(suffix, ""))
    elif isinstance(value, (list, tuple)):
        yield f"{path}.count", len(value)
        for place, inner in enumerate(value):
            yield from flat(inner, suffix, f"{path}[{place}]")
    elif not isinstance(value, float):
        yield path, value.replace(f"-{suffix}", "") if isinstance(value, str) and suffix else value


def of_admin(status: int, body: bytes) -> dict[str, Any]:
    """The answer to an admin call; of JSON without what passes by itself."""
    try:
        read = json.loads(body) if body else None
    except ValueError:
        read = None
    return {"type": "ADMIN", "status": status, "body": _steady(read)} if status < 300 else {"type": "ADMIN", "status": status}


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _steady(inner) for name, inner in value.items() if not name.lower().endswith(VOLATILE)}
    return [_steady(inner) for inner in value] if isinstance(value, list) else value


# --- asking -------------------------------------------------------------------------------------------------------------------
@dataclass
class RequestStep:
    """One request: the client, what it sends on which connection (0 is the admin interface), and how its answer is known."""

    client: str
    title: str
    connection: int
    request: Callable[["AskedPulsar"], Any]
    key: tuple[Any, ...] | None = None
    waits: bool = True
    wait_s: float = 0.0
    final: Sequence[str] = ()
    """Errors that are not retried, since they were the answer in the red or are the expected one."""


@dataclass
class AskedPulsar:
    """The broker under test, and its answers by the number of the step."""

    address: tuple[str, int]
    admin: tuple[str, int]
    shape: Mapping[int, Any]
    routes: Mapping[int, tuple[int, int]]
    """For each connection the step that looked up where it goes, 0 for the given address; and the connection that it replaces, or 0."""
    patience_s: float
    suffix: str = field(default_factory=lambda: uuid.uuid4().hex[:6])
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)
    pushes: dict[tuple[int, str, int], list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    connections: dict[int, socket.socket] = field(default_factory=dict)
    waiting: dict[tuple[int, Any], deque[int]] = field(default_factory=lambda: defaultdict(deque))

    def named(self, name: str) -> str:
        return name.replace(MARK, self.suffix)

    def answered(self, step: int, *path: str | int) -> Any:
        """A value of an earlier answer; -1 if the answer does not have it, because that step was refused."""
        self.await_answer(step)
        return self._at(self.answers.get(step), path)

    def pushed(self, connection: int, kind: str, owner: int, place: int, *path: str | int) -> Any:
        """A value of what was pushed to a consumer."""
        owned = self.pushes[connection, kind, owner]
        self.look_until(lambda: len(owned) > place)
        return self._at(owned, (place, *path))

    @staticmethod
    def _at(value: Any, path: Sequence[str | int]) -> Any:
        try:
            for part in path:
                value = value[part]
        except (LookupError, TypeError):
            return -1
        return value

    def await_answer(self, step: int) -> bool:
        return self.look_until(lambda: step in self.answers)

    def look_until(self, happened: Callable[[], bool]) -> bool:
        """Read what comes until that happened, for as long as this script is patient."""
        until = time.monotonic() + self.patience_s
        while not happened() and time.monotonic() < until:
            for connection in list(self.connections):
                self.read(connection, 0.02)
        return happened()

    def read(self, connection: int, within_s: float) -> None:
        """Take one frame, if there is one."""
        opened = self.connections[connection]
        opened.settimeout(within_s)
        try:
            size = opened.recv(4, socket.MSG_PEEK)
        except TimeoutError:
            return
        if not size:
            del self.connections[connection]
            return
        opened.settimeout(10)
        (length,) = struct.unpack(">I", self.exactly(opened, 4))
        said = frame(self.exactly(opened, length), self.shape)
        if said["type"] == "PING":
            opened.sendall(hex_("00 00 00 09 00 00 00 05 08 13 9a 01 00"))
            return
        waiting = self.waiting[connection, key_of(said)]
        if waiting:
            self.answers[waiting.popleft()] = said
        else:
            self.pushes[connection, *pushed_to(said)].append(said)

    @staticmethod
    def exactly(connection: socket.socket, size: int) -> bytes:
        data = b""
        while len(data) < size:
            some = connection.recv(size - len(data))
            if not some:
                raise ConnectionError("the broker closed the connection instead of answering")
            data += some
        return data

    def open(self, connection: int) -> socket.socket:
        if connection not in self.connections:
            looked_up, former = self.routes[connection]
            if former in self.connections:
                self.connections.pop(former).close()
            url = self.answered(looked_up, "broker_service_url") if looked_up else -1
            host, _, port = url.partition("//")[2].rpartition(":") if isinstance(url, str) else ("", "", "")
            self.connections[connection] = socket.create_connection((host, int(port)) if host else self.address, 10)
        return self.connections[connection]

    def play(self, number: int, step: RequestStep) -> None:
        """Make the request of that number, again while the broker is loading."""
        until = time.monotonic() + 10
        while True:
            self.answers.pop(number, None)
            if step.connection == 0:
                self.answers[number] = self.call(*step.request(self))
            else:
                data = command_frame(step.request(self))
                connection = self.open(step.connection)
                if step.key is not None:
                    self.waiting[step.connection, step.key].append(number)
                connection.sendall(data)
                if step.key is not None and step.waits:
                    self.await_answer(number)
            error = self.answers.get(number, {}).get("error")
            if error not in RETRIABLE or error in step.final or time.monotonic() > until:
                return
            time.sleep(0.1)

    def call(self, method: str, path: str, body: Any) -> dict[str, Any]:
        connection = http.client.HTTPConnection(*self.admin, timeout=30)
        try:
            headers = {"Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return of_admin(answer.status, answer.read())
        finally:
            connection.close()

    def close(self) -> None:
        for connection in self.connections.values():
            connection.close()


def command_frame(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def received(pushed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What was pushed: messages by their values, anything else by its name, and how often each was delivered before."""
    return {
        "received": [one.get("value", one["type"]) for one in pushed],
        "deliveries before": [one.get("redelivery_count", 0) for one in pushed],
    }


def observed(broker: AskedPulsar, about: tuple[Any, ...]) -> dict[str, Any]:
    """What decides: ("answer", step), or ("pushed", connection, kind, number)."""
    if about[0] == "answer":
        return dict(flat(broker.answers.get(about[1], {"type": "no answer"}), broker.suffix))
    _, connection, kind, owner = about
    return received(broker.pushes[connection, kind, owner])


def main(
    steps: Sequence[RequestStep],
    routes: Mapping[int, tuple[int, int]],
    shape: Mapping[int, Any],
    about: tuple[Any, ...],
    seen: dict[str, Any],
    expected: dict[str, Any],
    story: str,
) -> int:
    """Make the requests, and print what decides. Returns the exit code."""
    parser = argparse.ArgumentParser(description=story)
    parser.add_argument("address", metavar="HOST:PORT", help="a broker without TLS and login")
    parser.add_argument("--admin", metavar="HOST:PORT", help="its admin interface (default: port 8080 of the same host)")
    parser.add_argument("--patience", type=float, default=5.0, metavar="S", help="how long something is waited for (default 5)")
    asked = parser.parse_args()
    places = []
    for place in (asked.address, asked.admin or f"{asked.address.rpartition(':')[0]}:8080"):
        host, _, port = place.rpartition(":")
        if not host or not port.isdigit():
            parser.error(f"expected HOST:PORT, such as 127.0.0.1:6650, and not {place!r}")
        places.append((host, int(port)))
    broker = AskedPulsar(places[0], places[1], shape, routes, asked.patience)
    try:
        for place_of, step in enumerate(steps, 1):
            time.sleep(step.wait_s)
            broker.play(place_of, step)
            said = broker.answers.get(place_of, {})
            shown = said.get("error") or (said.get("status") if step.connection == 0 else said.get("type", "sent" if said else "no answer"))
            print(
                f"{place_of:3} {step.client}: {step.title}" + (f" -> {shown}" if step.waits and (step.key or not step.connection) else "")
            )
        until, found = time.monotonic() + asked.patience, observed(broker, about)
        verdict, since = decide(found, seen, expected), time.monotonic()
        while time.monotonic() < until and not (verdict != UNDECIDED and time.monotonic() - since > min(1.0, asked.patience / 2)):
            if steps[-1].connection == 0 and about[0] == "answer":
                time.sleep(0.1)
                broker.play(len(steps), steps[-1])
            for connection in list(broker.connections):
                broker.read(connection, 0.02)
            before, found = verdict, observed(broker, about)
            verdict = decide(found, seen, expected)
            since = since if verdict == before else time.monotonic()
    except (OSError, ValueError, LookupError, struct.error) as error:
        print(f"undecided: {error}")
        return UNDECIDED
    finally:
        broker.close()
    fields = ", ".join(f"{path} = {found.get(path, 'absent')}" for path in seen)
    print({SHOWN: "shown, as in the red", NOT_SHOWN: "not shown, as expected", UNDECIDED: "undecided, neither"}[verdict] + f": {fields}")
    return verdict
