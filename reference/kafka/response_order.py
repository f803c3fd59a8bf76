"""The form of an answer: the order in its lists, the text of its messages. The protocol leaves that to the broker."""

from kio.static.protocol import ResponsePayload


class ResponseOrder:
    """The last step of every answer."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        """Decision: the order of an answer's lists and the words of its messages: as it was made."""
        return answer
