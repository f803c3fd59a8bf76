"""A task with a transaction key: it reads an input, writes an output and acknowledges the input, in one transaction.

    fencepost serve pulsar --port 6650
    python task.py 6650 billing input output

It waits for a line on its standard input before it commits. Start it again with the same key while the first one waits, and let
the second one commit: everything that the first one does then is refused, and there is one output.
"""

import socket
import sys

from google.protobuf.message import Message

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import SIZE, Frame, Payload, decode, encode, frame_of


class ExampleConnection:
    """One connection to the broker, which may be fenced at any moment."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.bytes = self.socket.makefile("rb")
        self.ask(pb.CommandConnect(client_version="example", protocol_version=21))

    def notify(self, command: Message, payload: Payload | None = None) -> None:
        self.socket.sendall(encode(frame_of(command, payload)))

    def hear(self, *names: str) -> Frame:
        while size := self.bytes.read(SIZE.size):
            frame = decode(self.bytes.read(SIZE.unpack(size)[0]))
            if frame.name in names or (not names and frame.name not in ("MESSAGE", "ACTIVE_CONSUMER_CHANGE")):
                return frame
        raise ConnectionError("the broker closed the connection")

    def ask(self, command: Message, payload: Payload | None = None) -> Frame:
        self.notify(command, payload)
        answer = self.hear()
        if "error" in answer.body.DESCRIPTOR.fields_by_name and answer.body.HasField("error"):
            raise ConnectionError(answer.body.message)
        return answer


def main(port: int, key: str, source: str, target: str) -> None:
    """Process one message."""
    read_from, write_to = (f"persistent://public/default/{name}" for name in (source, target))
    broker = ExampleConnection(port)
    connect = pb.CommandTcClientConnectRequest(request_id=1, tc_id=0, transaction_key=key.encode(), transaction_key_epoch=-1)
    print("connected, epoch", broker.ask(connect).body.transaction_key_epoch, flush=True)
    begun = broker.ask(pb.CommandNewTxn(request_id=2, tc_id=0, txn_ttl_millis=600_000)).body
    txn = {"txnid_most_bits": begun.txnid_most_bits, "txnid_least_bits": begun.txnid_least_bits}
    inputs = pb.CommandSubscribe(
        topic=read_from, subscription="task", sub_type="Exclusive", consumer_id=1, request_id=3, initial_position=1
    )
    broker.ask(inputs)
    broker.ask(pb.CommandProducer(topic=write_to, producer_id=1, request_id=4, producer_name=f"task-{begun.txnid_least_bits}"))
    broker.notify(pb.CommandFlow(consumer_id=1, message_permits=1))
    message = broker.hear("MESSAGE")
    assert message.payload is not None, "a message has a payload"
    broker.ask(pb.CommandAddPartitionToTxn(request_id=5, partitions=[write_to], **txn))
    broker.ask(pb.CommandAddSubscriptionToTxn(request_id=6, subscription=[pb.Subscription(topic=read_from, subscription="task")], **txn))
    output = Payload(pb.MessageMetadata(producer_name="task", sequence_id=0, publish_time=0), b"done: " + message.payload.data)
    broker.ask(pb.CommandSend(producer_id=1, sequence_id=0, **txn), output)
    broker.ask(pb.CommandAck(consumer_id=1, ack_type="Cumulative", message_id=[message.body.message_id], request_id=7, **txn))
    print("processed", message.payload.data.decode(), flush=True)
    sys.stdin.readline()
    ExampleConnection(port).ask(pb.CommandEndTxn(request_id=8, txn_action="COMMIT", **txn))  # like a client that was cut off in between
    print("committed", flush=True)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), *sys.argv[2:5])
    except ConnectionError as error:
        sys.exit(f"fenced: {error}")
