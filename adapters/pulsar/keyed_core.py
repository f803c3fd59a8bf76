"""Pulsar as a transactional log whose writers have transaction keys: the name of a writer is its key.

A writer loses its transaction to a new connection of its key, as a restarted instance does, and not to an administrator.
If the broker has closed its connection, a writer sends further requests over a new connection without the key, as a client does that does
not know yet that it was replaced. It connects with the key again when it begins another transaction.
"""

from collections.abc import Callable
from dataclasses import dataclass

from fencepost.adapters.common.shared_outcomes import without_value
from fencepost.contract.outcomes import Done, Outcome, Unknown

from .probe import PulsarProbe
from .pulsar_core import PulsarLog, PulsarWriter
from .pulsar_values import TransactionId


class KeyedLog(PulsarLog):
    """The same log; its writers have keys."""

    def writer(self, name: str, timeout_ms: int) -> "Outcome[PulsarWriter]":
        self._writers.append(KeyedWriter(self, self._client(name), timeout_ms, key=self._unique(name)))
        return Done(self._writers[-1])

    def successor(self, key: str) -> PulsarProbe:
        """A separate client."""
        self._enders += 1
        return self._client(f"successor-{self._enders}-{key}")


@dataclass
class KeyedWriter(PulsarWriter):
    """A client with a key, and its open transaction."""

    key: str = ""

    def end(self, commit: bool) -> Outcome[None]:
        return self._asked(lambda: PulsarWriter.end(self, commit))

    def end_again(self, commit: bool) -> Outcome[None]:
        return self._asked(lambda: PulsarWriter.end_again(self, commit))

    def lose_transaction(self) -> Outcome[None]:
        """A successor connects with the key; when that is answered, the transaction is over."""
        begun = self._transaction()
        if not isinstance(begun, Done):
            return begun
        assert isinstance(self.log, KeyedLog), "a writer with a key writes to a log of such writers"
        lost = self.log.successor(self.key).connect_with_key(self.key)
        if isinstance(lost, Done):
            self.over.add(begun.value)
        return without_value(lost)

    def _asked(self, ask: Callable[[], Outcome[None]]) -> Outcome[None]:
        """Make the request, and once more over a new connection if the one with the key is lost, as every client does without an answer."""
        self._let_go()
        outcome = ask()
        if isinstance(outcome, Unknown) and self.probe.key is not None and self.probe.was_sent_away():
            self._let_go()
            return ask()
        return outcome

    def _let_go(self) -> None:
        if self.probe.key is not None and self.probe.was_sent_away():
            self.probe.forget_key()

    def _transaction(self) -> Outcome[TransactionId]:
        self._let_go()
        if self.open is None and self.probe.key is None and not isinstance(granted := self.probe.connect_with_key(self.key), Done):
            return granted
        return super()._transaction()
