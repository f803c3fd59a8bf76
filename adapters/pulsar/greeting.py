"""The calls of a new client: it connects, and looks for a topic."""

from fencepost.contract.outcomes import Done, Outcome
from fencepost.wire.pulsar import messages_pb2 as pb

from .call_outcomes import read_answer
from .connection import ClientConnection
from .pulsar_calls import PulsarCalls


class GreetingCalls(PulsarCalls):
    """A client's first calls. Each is sent once."""

    def connect(self) -> Outcome[None]:
        """CONNECT to the service address."""
        return _nothing_of(self._client.connection())

    def ping(self) -> Outcome[None]:
        """PING, on the connection to the service address."""
        return self._client.ping()

    def find(self, topic: str) -> Outcome[None]:
        """LOOKUP of a topic, and CONNECT to its broker."""
        return _nothing_of(self._client.owner(topic))

    def is_served_by(self, topic: str, service_url: str) -> Outcome[bool]:
        """LOOKUP of a topic at the broker with that service URL: whether it answers that it serves the topic itself."""
        return self._client.is_served_by(topic, service_url)

    def connect_apart(self) -> Outcome[ClientConnection]:
        """One more connection to the service address, which only the caller uses."""
        return self._client.new_connection()

    def ask_about_unknown_consumer(self) -> Outcome[None]:
        """FLOW and REDELIVER_UNACKNOWLEDGED_MESSAGES, which are not answered, and GET_LAST_MESSAGE_ID, of a missing consumer, as a client
        sends them while the broker's notification that it closed the consumer is in flight. On one connection, each once.
        """
        located = self._client.connection()
        if not isinstance(located, Done):
            return located
        connection, consumer = located.value, self._client.next_number()
        connection.notify(pb.CommandFlow(consumer_id=consumer, message_permits=1))
        connection.notify(pb.CommandRedeliverUnacknowledgedMessages(consumer_id=consumer))
        call = connection.ask(pb.CommandGetLastMessageId(consumer_id=consumer, request_id=self._client.next_request()))
        return read_answer(connection.answer(call, self._client.deadline_s), lambda _: None)


def _nothing_of(found: Outcome[ClientConnection]) -> Outcome[None]:
    return Done(None) if isinstance(found, Done) else found
