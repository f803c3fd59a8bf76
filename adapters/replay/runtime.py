"""Kafka's wire protocol in as few lines as recorded requests need, with the standard library only.

`fencepost replay` puts this module into each script unchanged, and reads recorded answers with it, so that a script and the recording that
it was made from read the same bytes in the same way.
"""

import argparse
import socket
import struct
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

RETRIABLE = {3, 5, 6, 14, 15, 16, 51}
"""Unknown topic, no leader or coordinator, loading, or busy with an earlier end: sent again, unless that was the answer in the red."""
IGNORED = {
    "throttle_time", "leader_epoch", "current_leader_epoch", "timestamp", "transaction_start_time", "log_append_time", "last_timestamp",
    "error_message", "topic_id", "session_id", "preferred_read_replica", "coordinator_epoch", "member_id", "last_updated_timestamp",
    "replication_factor", "configs", "log_start_offset",
}  # fmt: skip
"""Fields that may differ between two correct brokers."""


# --- writing ------------------------------------------------------------------------------------------------------------------
def hex_(digits: str) -> bytes:
    return bytes.fromhex(digits)


def int16(value: int) -> bytes:
    return struct.pack(">h", value)


def int32(value: int) -> bytes:
    return struct.pack(">i", value)


def int64(value: int) -> bytes:
    return struct.pack(">q", value)


def uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def compact_string(value: str) -> bytes:
    return uvarint(len(value.encode()) + 1) + value.encode()


def string(value: str) -> bytes:
    return struct.pack(">h", len(value.encode())) + value.encode()


def compact_records(*batches: bytes) -> bytes:
    data = b"".join(batches)
    return uvarint(len(data) + 1) + data


def records(*batches: bytes) -> bytes:
    data = b"".join(batches)
    return int32(len(data)) + data


def batch(*parts: bytes) -> bytes:
    """A record batch with the checksum of its present content."""
    data = b"".join(parts)
    return data[:17] + struct.pack(">I", crc32c(data[21:])) + data[21:]


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


# --- reading ------------------------------------------------------------------------------------------------------------------
class Bytes:
    """Reads an answer, from the beginning."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise ValueError(f"the answer ends at byte {len(self.data)}, and {size} more were due at byte {self.at}")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def uvarint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def varint(self) -> int:
        value = self.uvarint()
        return value >> 1 ^ -(value & 1)

    def size(self, flexible: bool, form: str) -> int:
        return self.uvarint() - 1 if flexible else int(self.number(form))

    def skip_tags(self) -> None:
        for _ in range(self.uvarint()):
            self.uvarint()
            self.take(self.uvarint())

    def entity(self, shape: Any) -> dict[str, Any]:
        """`shape` is whether the message is flexible, then pairs of name and kind: the name of a kind, a list of one kind, or a shape."""
        flexible, *fields = shape
        found = {name: self.value(kind, flexible) for name, kind in fields}
        if flexible:
            self.skip_tags()
        return found

    def value(self, kind: Any, flexible: bool) -> Any:
        if isinstance(kind, list):
            count = self.size(flexible, ">i")
            return None if count < 0 else [self.value(kind[0], flexible) for _ in range(count)]
        if isinstance(kind, tuple):
            return self.entity(kind)
        if kind == "string":
            size = self.size(flexible, ">h")
            return None if size < 0 else self.take(size).decode()
        if kind in ("bytes", "records"):
            size = self.size(flexible, ">i")
            data = b"" if size < 0 else self.take(size)
            return list(batches(data)) if kind == "records" else data.hex()
        if kind == "uuid":
            return str(uuid.UUID(bytes=self.take(16)))
        return self.number({"bool": ">?", "int8": ">b", "int16": ">h", "int32": ">i", "int64": ">q", "uint16": ">H", "float64": ">d"}[kind])


def batches(data: bytes) -> Iterator[dict[str, Any]]:
    """The whole record batches of a log as a reader sees them: markers by name, records by value."""
    at = 0
    while len(data) - at >= 61 and at + 12 + struct.unpack_from(">i", data, at + 8)[0] <= len(data):
        offset, length = struct.unpack_from(">qi", data, at)
        attributes, _, _, _, producer_id, epoch, sequence, count = struct.unpack_from(">hiqqqhii", data, at + 21)
        inside = Bytes(data[at + 61 : at + 12 + length])
        found: dict[str, Any] = {"base_offset": offset, "producer_id": producer_id, "producer_epoch": epoch, "base_sequence": sequence}
        pairs = [] if attributes & 7 else [record(inside) for _ in range(count)]
        if attributes & 0x20:
            found["marker"] = {b"\0\0": "ABORT", b"\0\1": "COMMIT"}.get((pairs[0][0] or b"")[2:4], "?") if pairs else "?"
        else:
            found["transactional"] = bool(attributes & 0x10)
            found["values"] = [None if value is None else value.decode(errors="replace") for _, value in pairs]
        yield found
        at += 12 + length


def record(data: Bytes) -> tuple[bytes | None, bytes | None]:
    """Key and value of a record."""
    end = data.varint() + data.at
    data.take(1)
    data.varint()
    data.varint()
    sizes = []
    for _ in range(2):
        size = data.varint()
        sizes.append(None if size < 0 else data.take(size))
    data.take(end - data.at)
    return sizes[0], sizes[1]


def flat(value: Any, names: "Names", path: str = "") -> Iterator[tuple[str, Any]]:
    """An answer as pairs of a field's path and its value, without the fields that may differ between two correct brokers."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in IGNORED:
                yield from flat(names.of(name, inner), names, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        yield f"{path}.count", len(value)
        for place, inner in enumerate(value):
            yield from flat(inner, names, f"{path}[{place}]")
    else:
        yield path, value


class Names:
    """Names and producer ids in a form that is the same in every run of the same requests."""

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix
        self.producers: dict[int, str] = {}

    def of(self, name: str, value: Any) -> Any:
        if name == "producer_id" and isinstance(value, int) and value >= 0:
            return self.producers.setdefault(value, f"producer id {len(self.producers) + 1}")
        return value.replace(f"-{self.suffix}", "") if isinstance(value, str) and self.suffix else value


# --- asking -------------------------------------------------------------------------------------------------------------------
@dataclass
class Step:
    """One request: the client, what it sends, to which node, and how the answer is read."""

    client: str
    title: str
    api_key: int
    version: int
    request: Callable[["Broker"], bytes]
    to: tuple[str, str, int]
    """`coordinator of a transaction`, `coordinator of a group`, `leader` with topic and partition, or `any`."""
    flexible: bool
    shape: Any
    wait_s: float = 0.0
    final: Sequence[int] = ()
    """Errors that are not retried, since they were the answer in the red or are the expected one."""
    state: str = ""
    """The state of a transaction that is waited for, as the red's client did before it went on."""


@dataclass
class Broker:
    """The broker under test, and its answers by the number of the step."""

    address: tuple[str, int]
    patience_s: float
    suffix: str = field(default_factory=lambda: uuid.uuid4().hex[:6])
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)
    connections: dict[tuple[str, tuple[str, int]], socket.socket] = field(default_factory=dict)
    topic_ids: dict[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        """The name of this scenario's topic, group or id in this run of the script."""
        return f"{name}-{self.suffix}"

    def answered(self, number: int, *path: str | int) -> Any:
        """A value of an earlier answer; -1 if the answer does not have it, because that step was refused."""
        value: Any = self.answers.get(number)
        try:
            for part in path:
                value = value[part]
        except (LookupError, TypeError):
            return -1
        return value

    def topic_id(self, topic: str) -> bytes:
        self.leader(topic, 0)
        return uuid.UUID(self.topic_ids[topic]).bytes

    def ask(
        self, client: str, node: tuple[str, int], api_key: int, version: int, flexible: bool, body: bytes, shape: Any
    ) -> dict[str, Any]:
        if (client, node) not in self.connections:
            self.connections[client, node] = socket.create_connection(node, 10)
            self.connections[client, node].settimeout(30)
        connection = self.connections[client, node]
        header = struct.pack(">hhi", api_key, version, 1) + string(client) + (b"\0" if flexible else b"")
        connection.sendall(int32(len(header) + len(body)) + header + body)
        answer = Bytes(self.exactly(connection, struct.unpack(">i", self.exactly(connection, 4))[0]))
        answer.take(4)
        if flexible:
            answer.skip_tags()
        return answer.entity(shape)

    @staticmethod
    def exactly(connection: socket.socket, size: int) -> bytes:
        data = b""
        while len(data) < size:
            some = connection.recv(size - len(data))
            if not some:
                raise ConnectionError("the broker closed the connection instead of answering")
            data += some
        return data

    def coordinator(self, kind: int, key: str) -> tuple[str, int]:
        entry = ("key", "string"), ("node_id", "int32"), ("host", "string"), ("port", "int32"), ("error_code", "int16"), ("m", "string")
        shape = (True, ("throttle_time", "int32"), ("coordinators", [(True, *entry)]))
        body = struct.pack(">b", kind) + uvarint(2) + compact_string(key) + b"\0"
        found = self.patiently(lambda: self.ask("", self.address, 10, 4, True, body, shape)["coordinators"][0])
        return found["host"], found["port"]

    def leader(self, topic: str, partition: int) -> tuple[str, int]:
        node = (True, ("node_id", "int32"), ("host", "string"), ("port", "int32"), ("rack", "string"))
        numbers = ["int32"]
        part = (True, ("error_code", "int16"), ("index", "int32"), ("leader_id", "int32"), ("leader_epoch", "int32"),
                ("replicas", numbers), ("isr", numbers), ("offline", numbers))  # fmt: skip
        entry = (
            True,
            ("error_code", "int16"),
            ("name", "string"),
            ("topic_id", "uuid"),
            ("internal", "bool"),
            ("parts", [part]),
            ("ops", "int32"),
        )
        shape = (True, ("throttle_time", "int32"), ("nodes", [node]), ("cluster", "string"), ("controller", "int32"), ("topics", [entry]))
        body = uvarint(2) + bytes(16) + compact_string(topic) + b"\0" + b"\0\0" + b"\0"

        def look() -> dict[str, Any]:
            answer = self.ask("", self.address, 3, 12, True, body, shape)
            entry_of = answer["topics"][0]
            self.topic_ids[topic] = entry_of["topic_id"]
            leaders = {one["index"]: one for one in entry_of["parts"]}
            at: dict[str, Any] = leaders.get(partition) or {"error_code": entry_of["error_code"] or 3}
            nodes = {one["node_id"]: one for one in answer["nodes"]}
            at |= nodes.get(at.get("leader_id", -1), {})
            return at

        found = self.patiently(look)
        return found.get("host", self.address[0]), found.get("port", self.address[1])

    def patiently(self, act: Callable[[], dict[str, Any]], final: Sequence[int] = (), state: str = "") -> dict[str, Any]:
        """The first answer without a retriable error, and with that state if one is named; after 10 s the last one."""
        until = time.monotonic() + 10
        while True:
            answer = act()
            fields = list(flat(answer, Names("")))
            codes = {value for path, value in fields if path.endswith("error_code")}
            is_due = bool(codes & RETRIABLE - set(final)) or (state not in ("", *(value for _, value in fields)))
            if not is_due or time.monotonic() > until:
                return answer
            time.sleep(0.05)

    def node_of(self, step: Step) -> tuple[str, int]:
        kind, key, partition = step.to
        if kind == "leader":
            return self.leader(self.name(key), partition)
        return self.address if kind == "any" else self.coordinator(int(kind.endswith("transaction")), self.name(key))

    def play(self, number: int, step: Step) -> dict[str, Any]:
        """Make the request of that number; returns its answer."""
        node = self.node_of(step)

        def act() -> dict[str, Any]:
            return self.ask(step.client, node, step.api_key, step.version, step.flexible, step.request(self), step.shape)

        self.answers[number] = self.patiently(act, step.final, step.state)
        return self.answers[number]

    def close(self) -> None:
        for connection in self.connections.values():
            connection.close()


SHOWN, NOT_SHOWN, UNDECIDED = 1, 0, 2


def decide(found: dict[str, Any], seen: dict[str, Any], expected: dict[str, Any]) -> int:
    """What an answer shows, by the fields in which the red and the reference differ."""
    if all(found.get(path) == value for path, value in seen.items()):
        return SHOWN
    return NOT_SHOWN if all(found.get(path) == value for path, value in expected.items()) else UNDECIDED


def summary(answer: dict[str, Any], names: Names) -> str:
    codes = [f"{path} {value}" for path, value in flat(answer, names) if path.endswith(("error_code", "producer_id", "producer_epoch"))]
    return ", ".join(codes[:6]) or "answered"


def main(steps: Sequence[Step], seen: dict[str, Any], expected: dict[str, Any], looks: bool, story: str) -> int:
    """Make the requests, and print what the last answer shows. Returns the exit code."""
    parser = argparse.ArgumentParser(description=story)
    parser.add_argument("address", metavar="HOST:PORT", help="a broker without TLS and login")
    parser.add_argument("--patience", type=float, default=5.0, metavar="S", help="how long what only looks is asked again (default 5)")
    asked = parser.parse_args()
    host, _, port = asked.address.rpartition(":")
    if not host or not port.isdigit():
        parser.error(f"expected HOST:PORT, such as 127.0.0.1:9092, and not {asked.address!r}")
    broker = Broker((host, int(port)), asked.patience)
    names = Names(broker.suffix)
    try:
        for number, step in enumerate(steps, 1):
            time.sleep(step.wait_s)
            answer = broker.play(number, step)
            found = dict(flat(answer, names))
            print(f"{number:3} {step.client}: {step.title} -> {summary(answer, names)}")
        verdict = decide(found, seen, expected)
        until, same_since = time.monotonic() + asked.patience, time.monotonic()
        while looks and time.monotonic() < until and not (verdict == NOT_SHOWN and time.monotonic() - same_since > 0.5):
            time.sleep(0.1)
            found = dict(flat(broker.play(len(steps), steps[-1]), names))
            before, verdict = verdict, decide(found, seen, expected)
            same_since = same_since if verdict == before else time.monotonic()
    except (OSError, ValueError, LookupError, struct.error) as error:
        print(f"undecided: {error}")
        return UNDECIDED
    finally:
        broker.close()
    shown = ", ".join(f"{path} = {found.get(path, 'absent')}" for path in seen)
    print({SHOWN: "shown, as in the red", NOT_SHOWN: "not shown, as expected", UNDECIDED: "undecided, neither"}[verdict] + f": {shown}")
    return verdict
