"""What coordinators and participants send each other is repeated, lost or late, as between the nodes of a cluster."""

from fencepost.contract.ports import PassesTime

from .performer import Performer

_LATE_MS = 150
_UNTIL_ALL_HAVE_ARRIVED_MS = 1_000
"""Longer than a message is late, and than its sender waits before it sends it again; shorter than the timeouts of transactions."""


class _Messages(Performer):
    idle = "coordinators and participants sent each other nothing"

    def begin(self) -> None:
        self.session.faults.repeat_messages(lambda content: self.times(content) if self.is_active else 1)

    def look_back(self) -> None:
        self.session.faults.repeat_messages(lambda _: 1)
        self.session.faults.delay_messages(0)
        assert isinstance(self.session.time, PassesTime), "a system that offers node-messages has a virtual clock"
        self.session.time.let_pass(_UNTIL_ALL_HAVE_ARRIVED_MS)

    def times(self, content: object) -> int:
        """How many times a message with that content arrives; no times is a lost connection, which its sender notices."""
        raise NotImplementedError


class MessagesTwice(_Messages):
    """Each message arrives twice."""

    def times(self, content: object) -> int:  # noqa: ARG002 - whatever it is
        self.did("repeated", "message")
        return 2


class MessagesLost(_Messages):
    """Each message is lost with its connection, and arrives when it is sent again."""

    def begin(self) -> None:
        self._lost = set[object]()
        super().begin()

    def times(self, content: object) -> int:
        if content in self._lost:
            return 1
        self._lost.add(content)
        self.did("lost", "message")
        return 0


class MessagesLate(_Messages):
    """Each message arrives later than it was sent."""

    def begin(self) -> None:
        self.session.faults.delay_messages(_LATE_MS)
        super().begin()

    def times(self, content: object) -> int:  # noqa: ARG002 - whatever it is
        self.did("delayed", "message")
        return 1
