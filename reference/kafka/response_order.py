"""How an answer is put: the order in its lists, the words of its messages. The protocol leaves that to the broker."""

from kio.static.protocol import ResponsePayload


class ResponseOrder:
    """The last hand on every answer."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        """Decision: the order of an answer's lists and the words of its messages: as it was made."""
        return answer
