"""What a split costs producers: how many messages it loses, and how long the segment accepts none, on the served reference.

`make bench`. One producer writes 1,500 messages a second to the only segment of a scalable topic, without waiting for receipts, and in
the middle an administrator splits it. When the producer is closed or refused it asks for the layout, opens the children, sends
all messages without a receipt there again, and continues at its pace. A subscription that was registered before then reads the parent
and both children to their ends: each message with a receipt must be there once, and none without one. Both profiles that have
scalable topics are measured, since one refuses a late SEND, and the other is silent.
"""

import http.client
import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator

from google.protobuf.message import Message as Command

from fencepost.adapters.common.address import Address
from fencepost.adapters.pulsar.tcp import PulsarTcpTransport
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, Payload, frame_of

from .served import served

PROFILES = ("seed", "pulsar-5.0")
PER_SECOND = 1_500
SECONDS = 4
SPLIT_AFTER_S = 1.5
MESSAGES = PER_SECOND * SECONDS
WITHIN_S = 10.0
"""The limit of every wait."""

TOPIC = "public/default/split-under-load"
SUBSCRIPTION = "reader"


def main() -> None:
    for profile in PROFILES:
        with served("pulsar", "--profile", profile, "--port", "0", "--admin-port", "0", ports=2) as (_, (port, admin, *_rest)):
            measured(profile, port, admin)


def measured(profile: str, port: int, admin: int) -> None:
    """One split under load, and its result."""
    path = f"/admin/v2/scalable/{TOPIC}"
    administer(admin, "PUT", f"{path}?numInitialSegments=1")
    administer(admin, "PUT", f"{path}/subscriptions/{SUBSCRIPTION}")
    took: list[float] = []

    def split() -> None:
        began = time.perf_counter()
        administer(admin, "POST", f"{path}/split/0")
        took.append(time.perf_counter() - began)

    splitting = threading.Timer(SPLIT_AFTER_S, split)
    splitting.start()
    writer = SplitWriter(port, admin)
    began = time.perf_counter()
    writer.write()
    seconds = time.perf_counter() - began
    splitting.join()
    segments = layout(admin)
    read = Counter(itertools.chain.from_iterable(messages(port, segment) for segment in segments))
    wrong = {
        "lost": writer.receipted - read.keys(),
        "twice": {one for one, times in read.items() if times > 1},
        "without a receipt": read.keys() - writer.receipted,
    }
    reported = ", ".join(f"{len(ones)} {how}" for how, ones in wrong.items())
    print(
        f"{profile}: a split under {MESSAGES / seconds:,.0f} SENDs a second (aim: {PER_SECOND:,}) took {took[0] * 1000:,.0f} ms; "
        f"of {len(writer.receipted):,} messages {reported}; {writer.again} were sent again; none was taken for {writer.gap * 1000:,.0f} ms",
        flush=True,
    )
    assert not any(wrong.values()), f"a split lost messages, or made some: {wrong}"
    assert len(writer.receipted) == MESSAGES, "not all was taken"
    assert len(segments) == len(("parent", "child", "child")), f"there was no split: {segments}"


def administer(admin: int, method: str, path: str) -> bytes:
    """The answer of the admin interface."""
    connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=WITHIN_S)
    connection.request(method, path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status < http.client.MULTIPLE_CHOICES, f"{method} {path} was answered {answer.status}: {body!r}"
    return body


def layout(admin: int) -> dict[str, bool]:
    """The segments, parents first, and whether each is active."""
    segments = json.loads(administer(admin, "GET", f"/admin/v2/scalable/{TOPIC}"))["segments"].values()
    named = {}
    for one in sorted(segments, key=lambda one: one["segmentId"]):
        first, last = one["hashRange"]["start"], one["hashRange"]["end"]
        named[f"segment://{TOPIC}/{first:04x}-{last:04x}-{one['segmentId']}"] = one["state"] == "ACTIVE"
    return named


class SplitClient:
    """A connection to the broker."""

    def __init__(self, port: int) -> None:
        self._transport = PulsarTcpTransport(Address("127.0.0.1", port))
        self.close = self._transport.close
        self.ask(pb.CommandConnect(client_version="bench", protocol_version=21))

    def say(self, command: Command, payload: Payload | None = None) -> None:
        self._transport.send(frame_of(command, payload))

    def ask(self, command: Command) -> Frame:
        self.say(command)
        return self.wait()

    def wait(self) -> Frame:
        """The next frame from the broker."""
        frame = self.hear(WITHIN_S)
        assert frame is not None, "the broker says nothing"
        return frame

    def hear(self, within_s: float) -> Frame | None:
        """The same, or None if none arrives in time; a PING is answered."""
        while (frame := self._transport.receive(within_s)) is not None and frame.name == "PING":
            self.say(pb.CommandPong())
        return frame


class SplitWriter:
    """The producer. A message's text is its number, and the numbers go to the children in turn."""

    def __init__(self, port: int, admin: int) -> None:
        self._client, self._admin = SplitClient(port), admin
        self._producers: list[int] = []
        self._unanswered: dict[tuple[int, int], None] = {}
        """Producer and number of unanswered messages, in the order in which they were sent."""
        self.receipted: set[str] = set()
        self.again = 0
        self._taken_at = 0.0
        self.gap = 0.0
        """The longest time in which no message was accepted."""
        self._open()

    def write(self) -> None:
        """Send all, each at its time, and return when all have their receipts."""
        began = time.perf_counter()
        self._taken_at = began
        for number in range(MESSAGES):
            due = began + number / PER_SECOND
            self._listen(until=due)
            self._send(number)
        while self._unanswered:
            self._listen(until=time.perf_counter() + 1 / PER_SECOND)
            assert time.perf_counter() - self._taken_at < WITHIN_S, f"{len(self._unanswered)} messages have no receipt: broker silent"
        self._client.close()

    def _listen(self, until: float) -> None:
        """Process the broker's frames until then."""
        while (left := until - time.perf_counter()) > 0 and (frame := self._client.hear(left)) is not None:
            match frame.body:
                case pb.CommandSendReceipt() as receipt:
                    del self._unanswered[receipt.producer_id, receipt.sequence_id]
                    self.receipted.add(str(receipt.sequence_id))
                    now = time.perf_counter()
                    self.gap, self._taken_at = max(self.gap, now - self._taken_at), now
                case pb.CommandSendError(producer_id=producer) | pb.CommandCloseProducer(producer_id=producer):
                    if producer in self._producers:
                        self._move()
                case _:
                    raise AssertionError(f"the broker says {frame.name}: {frame.body}")

    def _move(self) -> None:
        """The segment accepts no more: messages that it has not accepted go to its children."""
        waiting = [number for _, number in self._unanswered]
        self._unanswered.clear()
        while len(children := [name for name, is_active in layout(self._admin).items() if is_active]) == 1:
            pass  # the parent is sealed before its children are in the layout
        self._open(children)
        self.again = len(waiting)
        for number in waiting:
            self._send(number)

    def _open(self, segments: list[str] | None = None) -> None:
        names = segments or list(layout(self._admin))
        first = self._producers[-1] + 1 if self._producers else 0
        self._producers = list(range(first, first + len(names)))
        for producer, name in zip(self._producers, names, strict=True):
            self._client.say(pb.CommandProducer(topic=name, producer_id=producer, request_id=producer))
            while (frame := self._client.wait()).name in ("SEND_ERROR", "CLOSE_PRODUCER"):
                pass  # of the former segment
            assert frame.name == "PRODUCER_SUCCESS", f"{name} was not opened: {frame.body}"

    def _send(self, number: int) -> None:
        producer = self._producers[number % len(self._producers)]
        self._unanswered[producer, number] = None
        metadata = pb.MessageMetadata(producer_name=f"bench-{producer}", sequence_id=number, publish_time=1)
        self._client.say(pb.CommandSend(producer_id=producer, sequence_id=number), Payload(metadata, str(number).encode()))


def messages(port: int, segment: str) -> Iterator[str]:
    """What the subscription reads there, up to the newest message of the segment."""
    client = SplitClient(port)
    client.ask(
        pb.CommandSubscribe(topic=segment, subscription=SUBSCRIPTION, sub_type=pb.CommandSubscribe.Shared, consumer_id=1, request_id=1)
    )
    answer = client.ask(pb.CommandGetLastMessageId(consumer_id=1, request_id=2)).body
    last = answer.last_message_id.ledger_id, answer.last_message_id.entry_id
    client.say(pb.CommandFlow(consumer_id=1, message_permits=MESSAGES))
    seen = (-1, -1)
    while seen < last:
        match (frame := client.wait()).body:
            case pb.CommandMessage(message_id=at):
                seen = at.ledger_id, at.entry_id
                assert frame.payload is not None
                yield frame.payload.data.decode()
            case pb.CommandReachedEndOfTopic():
                pass
    client.close()


if __name__ == "__main__":
    main()
