"""What existed before the scenario, and what exists concurrently with it, on Pulsar.

On Pulsar no client has an identity in transactions, so an earlier transaction leaves its traces in topics, whose transaction buffers know
aborted transactions, and in the counters of coordinators.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from urllib.parse import unquote

from fencepost.adapters.pulsar.pulsar_core import PulsarFollower, PulsarLog, PulsarWriter
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.transport import AdminTransport, PendingAnswer
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import PassesTime
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .performer import Performer, own_calls
from .prelude import EXPIRED_MS, EXPIRES_MS, TIMEOUT_MS, await_end, done

_MADE = re.compile(r"/admin/v2/(?P<kind>persistent|scalable)/(?P<topic>[^/]+/[^/]+/[^/]+)")
_CLIENT = "the client of the prelude"
_OPEN_IN = 4
"""The number of topics in which the crowd's open transaction has written."""
_CROWD_TIMEOUT_MS = 60 * 86_400_000
"""Sixty days: longer than any scenario lets pass, so that the crowd's open transaction is still open at the end."""
_OF_DISTURBANCE = "of the disturbance"
_DECIDED = "crowd-decided"
_VALUES = {True: "committed in the crowd", False: "aborted in the crowd"}
_PLAIN = ("the second in the crowd", "the third in the crowd")
"""More messages, one of which a newer transaction takes and commits, and another takes and gives back."""


class TopicPrelude(Performer):
    """As soon as the scenario makes a topic, it gets an aborted transaction with a message in it, and a committed one without messages.

    A scalable topic gets them in each segment. A topic of the other kind of transactions than the session's is left alone: a message of a
    metadata-driven transaction in a classic topic may share the outcome of the classic transaction with the same number.
    """

    idle = "the scenario made no topic"

    session: PulsarSession

    def begin(self) -> None:
        self._is_at_it = False
        self.session.between_admin(lambda inner: _Noticing(inner, self))

    def made(self, name: str, *, scalable: bool) -> None:
        """The scenario has made a topic, TENANT/NAMESPACE/NAME."""
        if not self.is_active or self._is_at_it or scalable != (self.session.protocol == "pulsar-scalable"):
            return
        self._is_at_it = True
        try:
            with own_calls():
                for topic in self._segments(name) if scalable else (f"persistent://{name}",):
                    self._live(topic)
        finally:
            self._is_at_it = False

    def _segments(self, name: str) -> list[str]:
        found = done(self.session.client(_CLIENT).segments(f"topic://{name}"), f"looking for the segments of {name}")
        return [segment.topic for segment in found]

    def _live(self, topic: str) -> None:
        log: PulsarLog = self.session.transactional_log()
        log.use(topic, topic)
        writer = done(log.writer(_CLIENT, TIMEOUT_MS), "making a writer")
        for commit in (False, True):
            if commit:
                done(writer.begin(), "beginning a transaction")
                assert writer.open is not None
                done(writer.probe.add_topics(writer.open, [topic]), f"adding {topic}")
            else:
                done(writer.write(topic, "before the scenario"), f"writing to {topic}")
            done(writer.end(commit), "ending a transaction")
            await_end(writer, self.session, str(writer.ended), _OF_DISTURBANCE)
            self.did("made", "earlier transaction")
        for producer in writer.producers.values():
            done(writer.probe.close_producer(producer), f"closing the producer of {topic}")


class _Noticing:
    """Admin calls; it notifies the prelude of each call that makes a topic."""

    def __init__(self, inner: AdminTransport, prelude: TopicPrelude) -> None:
        self._inner = inner
        self._prelude = prelude

    def begin(self, request: AdminRequest, deadline_s: float) -> PendingAnswer:
        return self._inner.begin(request, deadline_s)

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
        answer = self._inner.call(request, deadline_s)
        found = _MADE.fullmatch(request.path) if request.method == "PUT" else None
        if found and isinstance(answer, Done) and answer.value.status < 300:
            self._prelude.made(unquote(found["topic"]), scalable=found["kind"] == "scalable")
        return answer

    def close(self) -> None:
        self._inner.close()


class PulsarCrowd(Performer):
    """Open and decided transactions in dedicated topics, an attached consumer, and subscriptions whose names begin as the scenario's do."""

    session: PulsarSession

    def begin(self) -> None:
        self._is_there = self.is_active
        if not self._is_there:
            return
        self._log: PulsarLog = self.session.transactional_log()
        self._topics = [f"crowd-{number}" for number in range(_OPEN_IN)]
        for name in (_DECIDED, *self._topics):
            done(self._log.create(name), f"creating {name}")
        self._follower: PulsarFollower = done(self._log.follow(_DECIDED), "attaching a consumer of the crowd")
        decided = list[tuple[PulsarWriter, str]]()
        for commit, value in _VALUES.items():
            writer = self._writer(f"crowd {value}")
            done(writer.write(_DECIDED, value), "writing in the crowd")
            done(writer.end(commit), "ending in the crowd")
            await_end(writer, self.session, str(writer.ended), _OF_DISTURBANCE)
            for plain in _PLAIN if commit else ():
                done(self._log.write(_DECIDED, plain), f"writing to {_DECIDED}")
            decided.append((writer, value))
        if isinstance(self.session.time, PassesTime):
            self._let_one_expire(self.session.time)
        self._open = self._writer("crowd open")
        for name in self._topics:
            done(self._open.write(name, "open in the crowd"), "writing in the crowd")
        self._taken = {
            name: [*done(self._open.take(f"{name}-crowd", _DECIDED, 1), f"taking input as {name}-crowd")]
            for name in self.undisturbed.subscriptions
        }
        """What the open transaction and the newer committed one have taken: a broker may redeliver in any order what expired."""
        if self.undisturbed.subscriptions:
            self._end_newer_ones()
        for writer, value in decided:
            writer.write_late(_DECIDED, f"late, {value}")  # refused, or of a transaction that readers do not see
        self.did("opened", "crowd transaction")

    def _end_newer_ones(self) -> None:
        """End two that have taken input next to the open one's: a commit, and an abort, after which it is there again."""
        for commit in (True, False):
            newer = self._writer(f"crowd newer {commit}")
            for name in self.undisturbed.subscriptions:
                if not isinstance(taken := newer.take(f"{name}-crowd", _DECIDED, 1), Done):
                    raise Violation("the next message", str(taken), what=f"input of {name}-crowd after what is pending")
                self._taken[name] += taken.value if commit else ()
            done(newer.end(commit), "ending in the crowd")
            await_end(newer, self.session, str(newer.ended), _OF_DISTURBANCE)

    def end(self) -> None:
        if not self._is_there:
            return
        self._await([], partial(self._log.committed, self._topics[0]), f"what readers of {self._topics[0]} see")
        if isinstance(answer := self._open.end(True), Refused):
            raise Violation("success", str(answer), what="answer to END_TXN of the crowd", error=answer.error, code=answer.code)
        await_end(self._open, self.session, str(self._open.ended), _OF_DISTURBANCE)
        for name in self._topics:
            self._await(["open in the crowd"], partial(self._log.committed, name), f"what readers of {name} see")
        self._await([_VALUES[True], *_PLAIN], self._received, "what the consumer of the crowd has received")
        for name, values in self._taken.items():
            taken = list(takewhile(values.__contains__, (_VALUES[True], *_PLAIN)))
            self._await(taken, partial(self._log.place, f"{name}-crowd", _DECIDED), f"the place of {name}-crowd")

    def _received(self) -> Outcome[Sequence[str]]:
        """What the consumer has received, each value once: it acknowledges nothing, so a broker may redeliver that any number of times."""
        seen = self._follower.seen()
        return Done(list(dict.fromkeys(seen.value))) if isinstance(seen, Done) else seen

    def _let_one_expire(self, time: PassesTime) -> None:
        """One that has taken the input that the open transaction takes next."""
        writer = self._writer("crowd expired", EXPIRES_MS)
        done(writer.write(_DECIDED, "expired in the crowd"), "writing in the crowd")
        for name in self.undisturbed.subscriptions:
            done(writer.take(f"{name}-crowd", _DECIDED, 1), f"taking input as {name}-crowd")
        time.let_pass(EXPIRED_MS)
        await_end(writer, self.session, str(writer.open), _OF_DISTURBANCE)

    def _writer(self, name: str, timeout_ms: int = _CROWD_TIMEOUT_MS) -> PulsarWriter:
        return done(self._log.writer(name, timeout_ms), "making a writer of the crowd")

    def _await(self, values: Sequence[str], look: Callable[[], Outcome[Sequence[str]]], what: str) -> None:
        for _ in self.session.time.attempts():
            seen = look()
            if isinstance(seen, Done) and list(seen.value) == list(values):
                return
        raise Violation(", ".join(map(repr, values)) or "nothing", str(seen), what=what)
