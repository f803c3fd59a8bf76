"""One disturbance in one play: what it does when the session opens, before a step, and after the last step."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.ports import Exchange, Session

_WRITERS = ("transactional_id", "v3_and_below_transactional_id")
"""The fields that name the transactional id of a writer."""
_GROUPS = {"TxnOffsetCommit": "group_id", "AddOffsetsToTxn": "group_id"}
"""The requests that make a group's place part of a transaction, with the field that names the group."""


@dataclass(frozen=True)
class Undisturbed:
    """What is known of the play without the disturbance: its exchanges, and the suffix that its session appended to names."""

    exchanges: tuple[Exchange, ...] = ()
    suffix: str = ""

    @classmethod
    def of(cls, session: Session | None) -> "Undisturbed":
        """What is known of the play of this session; nothing where no step has opened one."""
        return cls(tuple(session.exchanges()), session.unique("")) if session else cls()

    @property
    def writers(self) -> list[str]:
        """The transactional ids that were initialised, by the scenario's names; each once."""
        said = (one.request.get(field) for one in self._requests("InitProducerId") for field in _WRITERS)
        return self._own(said)

    @property
    def has_old_clients(self) -> bool:
        """Whether a client has added partitions itself, as one without KIP-890's second part does."""
        return any(one.request.get("v3_and_below_transactional_id") for one in self._requests("AddPartitionsToTxn"))

    @property
    def groups(self) -> list[str]:
        """The groups whose input was acknowledged in transactions, by the scenario's names."""
        return self._own(one.request.get(field) for name, field in _GROUPS.items() for one in self._requests(name))

    @property
    def created(self) -> list[str]:
        """The topics that a Kafka client has asked to create, by the scenario's names; each once."""
        return self._own(topic["name"] for one in self._requests("CreateTopics") for topic in one.request["topics"])

    @cached_property
    def never_committed(self) -> frozenset[str | None]:
        """The values of records that Kafka clients wrote in transactions of which no client has asked a commit after it had sent them."""
        open_values, others, never = dict[str, set[str | None]](), set[str | None](), set[str | None]()
        for one in sorted(self.exchanges, key=lambda one: one.began):
            api, asked = one.name.partition(" ")[0], one.request
            transactional_id = asked.get("transactional_id")
            if api == "WriteTxnMarkers":
                return frozenset()
            if api == "Produce":
                values = set(_values_in(asked))
                others |= values if transactional_id is None else set()
                open_values.setdefault(transactional_id or "", set()).update(values)
            elif api == "EndTxn" and asked.get("committed"):
                others |= open_values.pop(transactional_id or "", set())
            elif api in ("EndTxn", "InitProducerId") and (one.answer or {}).get("error_code") == "NONE":
                never |= open_values.pop(transactional_id or "", set())
        return frozenset(never.union(*open_values.values()) - others)

    @property
    def subscriptions(self) -> list[str]:
        """The subscriptions that a Pulsar client has asked for, without the session's suffix."""
        said = (str(one.request.get("subscription", "")).removesuffix(self.suffix) for one in self._requests("SUBSCRIBE"))
        return list(dict.fromkeys(name for name in said if name))

    @property
    def topics(self) -> list[str]:
        """The topics, or segments of topics, of the scenario that a Pulsar client has produced to or subscribed to; each once."""
        said = (str(one.request["topic"]) for name in ("PRODUCER", "SUBSCRIBE") for one in self._requests(name))
        return list(dict.fromkeys(topic for topic in said if self.suffix in topic))

    def _requests(self, name: str) -> Iterator[Exchange]:
        return (one for one in self.exchanges if one.name.partition(" ")[0] == name)

    def _own(self, names: Iterable[Any]) -> list[str]:
        own = (name for name in names if isinstance(name, str) and name.endswith(self.suffix) and name != self.suffix)
        return list(dict.fromkeys(name.removesuffix(self.suffix) for name in own))


def _values_in(produce: Mapping[str, Any]) -> Iterator[str | None]:
    for topic in produce["topic_data"]:
        for part in topic["partition_data"]:
            if isinstance(part["records"], list):
                for batch in part["records"]:
                    yield from batch.get("values", ())


class CannotDisturb(NotOffered):
    """The system cannot be disturbed like this. A scenario that was met without the disturbance raises no other NotOffered."""


@contextlib.contextmanager
def own_calls() -> Iterator[None]:
    """A block in which the disturbance makes calls: what the system does not offer for them is not missing in the scenario."""
    try:
        yield
    except CannotDisturb:
        raise
    except NotOffered as error:
        raise CannotDisturb(f"the disturbance could not be brought about: {error}") from error


def said(ask: Callable[[], Outcome[Any]]) -> Any:
    """The value of a call of the last look, or a word for what came instead: also for what the system does not offer, and for an answer
    that its protocol does not allow. Any other error says nothing about the system, and is raised.
    """
    try:
        outcome = ask()
    except (NotOffered, Malformed) as error:
        return type(error).__name__
    if isinstance(outcome, Done):
        return outcome.value
    return outcome.error if isinstance(outcome, Refused) else "no answer"


class Performer:
    """A disturbance of this session; the base class does nothing. `session` is that of its protocol, just opened, and has no clients
    yet.
    """

    idle = "it found nothing to act on"
    """Why it did nothing, if it did nothing and the system refused nothing."""
    narrows_offer = False
    """Whether clients use less than the system offers, so that a scenario which asks for the rest cannot be played."""

    def __init__(self, session: Any, undisturbed: Undisturbed) -> None:
        self.session = session
        self.undisturbed = undisturbed
        self.acts = Counter[tuple[str, str]]()
        """How often it has done what, such as `("moved", "leader")`. A play in which it did nothing says nothing about it."""
        self.is_active = True
        """Whether it disturbs the current requests. A play switches it off and on to find the step that makes the difference."""

    def begin(self) -> None:
        """The session is open, and no request was made. Raises NotOffered if it cannot be disturbed like this, and Violation as `end`."""

    def did(self, verb: str, noun: str, count: int = 1) -> None:
        """Note what it has just done to so many of these."""
        self.acts[verb, noun] += count

    def before_step(self) -> None:
        """Called between two steps."""

    def look_back(self) -> None:
        """Called after the scenario, however it ended: note what it did, as far as that was not known before."""

    def end(self) -> None:
        """Called after the last step. Raises Violation if a transaction of the disturbance itself has the wrong outcome."""
