"""How a probe makes a request: it finds the connection, reads the answer, and retries if a client would.

* A definite refusal from the call's retry set is retried while the session is patient; then the last refusal is the outcome.
* A write without an answer is `Unknown`, and so is one whose answer leaves open whether it was done.
* A read without an answer is retried, since it cannot have changed anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from google.protobuf.message import Message

from fencepost.adapters.common.patience import patiently
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time

from .call_outcomes import read_answer
from .client import PulsarClient
from .connection import NOTHING_MORE, About, ClientConnection
from .pulsar_error_outcomes import LOOKING, UNDECIDED

T = TypeVar("T")


class PulsarCalls:
    """What all groups of calls share."""

    def __init__(self, client: PulsarClient, time: Time) -> None:
        self._client = client
        self._time = time

    def close(self) -> None:
        """Close every connection, as a client that ends does. A later call opens new ones."""
        self._client.close()

    def _within(self, within_s: float | None) -> float:
        """How long to wait for an answer: as long as the caller sets, else the client's usual time."""
        return self._client.deadline_s if within_s is None else within_s

    def _patiently(self, attempt: Callable[[], Outcome[T]], is_for_later: Callable[[Outcome[T]], bool], *, retry: bool) -> Outcome[T]:
        return patiently(self._time, attempt, lambda outcome: retry and is_for_later(outcome))

    def _write(
        self,
        locate: Callable[[], Outcome[ClientConnection]],
        command: Callable[[int], Message],
        read: Callable[[Any], T],
        again: frozenset[int],
        *,
        retry: bool = True,
        about: About = NOTHING_MORE,
    ) -> Outcome[T]:
        """Request a change. `command` gets the request id; `read` takes the value from an answer that is no refusal."""

        def attempt() -> Outcome[T]:
            outcome = self._once(locate, command, read, about)
            if isinstance(outcome, Refused) and outcome.code in UNDECIDED - again:
                return Unknown(f"answered {outcome}, which leaves open whether it was done")
            return outcome

        return self._patiently(attempt, lambda outcome: isinstance(outcome, Refused) and outcome.code in again, retry=retry)

    def _read(
        self,
        locate: Callable[[], Outcome[ClientConnection]],
        command: Callable[[int], Message],
        read: Callable[[Any], T],
        again: frozenset[int],
        *,
        retry: bool = True,
        about: About = NOTHING_MORE,
    ) -> Outcome[T]:
        """Make a request that changes nothing."""

        def is_for_later(outcome: Outcome[T]) -> bool:
            return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code in again)

        return self._patiently(lambda: self._once(locate, command, read, about), is_for_later, retry=retry)

    def _once(
        self,
        locate: Callable[[], Outcome[ClientConnection]],
        command: Callable[[int], Message],
        read: Callable[[Any], T],
        about: About,
    ) -> Outcome[T]:
        match self._located(locate):
            case Done(connection):
                call = connection.ask(command(self._client.next_request()), about=about)
                return read_answer(connection.answer(call, self._client.deadline_s), read)
            case trouble:
                return trouble

    def _located(self, locate: Callable[[], Outcome[ClientConnection]]) -> Outcome[ClientConnection]:
        """The connection to send to. Looking for it is always retried, whatever the caller wants for the request itself."""

        def is_for_later(outcome: Outcome[ClientConnection]) -> bool:
            return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code in LOOKING)

        return self._patiently(locate, is_for_later, retry=True)
