"""The time of a soak run over all its sessions."""

from fencepost.contract.ports import Time


class Clock:
    """Goes on from session to session, of which on the reference each has a virtual clock of its own."""

    def __init__(self) -> None:
        self._time: Time | None = None
        self._offset_ms = 0.0

    def now_ms(self) -> float:
        """Milliseconds since the first session was made; 0 before that."""
        return 0.0 if self._time is None else self._time.now_ms() + self._offset_ms

    def move_to(self, time: Time) -> None:
        """Go on with the clock of another session."""
        now = self.now_ms()
        self._time, self._offset_ms = time, now - time.now_ms()
