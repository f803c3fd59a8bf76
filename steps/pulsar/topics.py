"""The topics of a scenario: their names in the system, their producers, and what readers see."""

from dataclasses import dataclass, field

from fencepost.adapters.pulsar.values import MessageId, Producer, TxnId, persistent
from fencepost.contract.outcomes import Outcome
from fencepost.steps.outcomes import achieved, observed

from .transactions import Transactions

_SENTINEL = "sentinel-"
_LET_GO_S = 5.0
"""How long is waited for the answer to an end that is held up no longer. Whether it is complete is asked afterwards."""


def is_sentinel(value: str) -> bool:
    """Whether a message was sent only to show that nothing else is on its way."""
    return value.startswith(_SENTINEL)


@dataclass
class Topics:
    """The topics of one scenario."""

    transactions: Transactions
    by_name: dict[str, str] = field(default_factory=dict)
    _producers: dict[str, Producer] = field(default_factory=dict)
    _looks: int = 0

    def __getitem__(self, name: str) -> str:
        return self.by_name[name]

    def create(self, name: str, namespace: str = "public/default") -> None:
        """A new topic that only this scenario uses."""
        self.by_name[name] = persistent(self.transactions.session.unique(name), namespace)
        achieved(self.transactions.client.create_topic(self[name]), f"making the topic {name}")

    def producer(self, name: str) -> Producer:
        """The producer of a topic."""
        if name not in self._producers:
            self._producers[name] = achieved(self.transactions.client.producer(self[name]), f"opening a producer of {name}")
        return self._producers[name]

    def send(self, name: str, value: str, transaction: TxnId | None = None) -> Outcome[MessageId]:
        """Send a message, in a transaction or in none."""
        return self.transactions.client.send(self.producer(name), value, transaction=transaction)

    def sentinel(self, name: str) -> str:
        """Send a message that is like no other, outside of transactions."""
        self._looks += 1
        sentinel = f"{_SENTINEL}{self._looks}"
        observed(self.send(name, sentinel), f"sending a sentinel to {name}")
        return sentinel

    def seen(self, name: str) -> list[str]:
        """What a new subscription from the first message on is given, without sentinels."""
        self._await_part(name)
        self._looks += 1
        client = self.transactions.client
        consumer = achieved(client.subscribe(self[name], f"reader-{self._looks}"), f"subscribing to {name}")
        sentinel = self.sentinel(name)
        received = observed(client.receive_visible(consumer, sentinel), f"reading {name}")
        return [message.value for message in received if not is_sentinel(message.value)]

    def let_go(self, transaction: str) -> Outcome[None]:
        """Delete the topic that holds the end of a transaction up, and wait for the answers to those who have asked for the end."""
        held = self.transactions[transaction]
        assert held.unavailable is not None, f"the end of {transaction} is held up before it is let go"
        deleted = self.transactions.client.delete_topic(self[held.unavailable])
        held.unavailable = None
        for ender, pending in held.pending_ends:
            ender.ended(pending, within_s=_LET_GO_S)
        return deleted

    def _await_part(self, name: str) -> None:
        """Wait until every end that was asked for has reached this topic, also one that is incomplete."""
        transactions = self.transactions
        transactions.await_ends()
        decided = [one.id for one in transactions.by_name.values() if one.is_over and one.unavailable is not None]
        for _ in transactions.session.time.attempts() if decided else ():
            buffers = [transactions.client.transaction_in_buffer(txn, self[name]) for txn in decided]
            if all(observed(buffer, f"looking at the buffer of {name}").start is None for buffer in buffers):
                break
