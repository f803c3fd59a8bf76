"""How an answer is put: the order in its lists, the words of its messages. The protocol leaves that to the broker."""

from kio.static.protocol import ResponsePayload


class Manner:
    """The last hand on every answer."""

    def put(self, answer: ResponsePayload) -> ResponsePayload:
        """Decision: the order of an answer's lists and the words of its messages: as it was made."""
        return answer
