"""How an answer is put: the order in its lists, the words of its messages. The protocol leaves that to the broker."""

from kio.static.protocol import ResponsePayload


class Manner:
    """The last hand on every answer."""

    def put(self, answer: ResponsePayload) -> ResponsePayload:
        """The answer as it leaves the broker: as it was made."""
        return answer
