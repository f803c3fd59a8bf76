"""A request that was handed over, and whose answer is read later."""

from collections.abc import Callable

from kio.static.protocol import ResponsePayload


class SentRequest:
    """One request: it is answered once, when its turn comes or when the answer is read."""

    def __init__(self, answer: Callable[[], ResponsePayload | None]) -> None:
        self._answer = answer
        self._answers: list[ResponsePayload | None] = []

    @property
    def is_kept(self) -> bool:
        """Whether the node still keeps it, since it waits for another node."""
        return not self._answers

    def lose(self) -> None:
        """The node crashed: there is no answer."""
        self._answers = [None]

    def read(self) -> ResponsePayload | None:
        """The answer; None if the connection is closed instead."""
        if not self._answers:
            self._answers.append(self._answer())
        return self._answers[0]
