"""Other transactions on the same broker, in the same states: one transaction's outcome must not depend on how many others there are.

The crowd's ids begin as the scenario's do, and it has its own partitions, groups and transactions. After the scenario, the disturbance
checks the crowd's outcome: if the broker forgot the crowd, it would disturb nothing.
"""

from collections.abc import Sequence
from typing import Any

from fencepost.adapters.kafka.client_kind import ClientKind
from fencepost.adapters.kafka.kafka_core import KafkaLog, KafkaWriter
from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_values import CommittedOffset, IsolationLevel, ProducerIdentity, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Outcome, Refused

from .performer import Performer
from .prelude import TIMEOUT_MS, await_end, done, expect
from .replay import crash

PARTITIONS = 40
"""The number of partitions of the open transaction: more than a coordinator sends or loads at a time."""
_DECIDED, _ENDED, _GONE = "crowd-decided", "crowd-ended", "crowd-gone"
_FIRST = "the crowd's first"
_LATE_GROUP = "crowd-late"
_ENDED_TOGETHER = 4
"""How many transactions the crowd ends right before the crash."""


class _Crowded(Performer):
    """What both crowds have in common: writers whose ids begin as the scenario's do."""

    session: KafkaSession

    def begin(self) -> None:
        self._prefix = f"{(self.undisturbed.writers or ['crowd'])[0]}-crowd"
        self._log: KafkaLog = self.session.transactional_log()

    def _writer(self, state: str) -> KafkaWriter:
        return done(self._log.writer(f"{self._prefix}-{state}", TIMEOUT_MS), f"initialising in the crowd ({state})")

    def _await(self, writer: KafkaWriter) -> None:
        await_end(writer, self.session, writer.transactional_id, "of the crowd")

    def _expect(self, values: Sequence[str], log: str, writer: KafkaWriter | None = None) -> None:
        """A broker may show late what is complete, so a reader looks for as long as its patience lasts.

        What is missing is reported with the ends of the log, and with the state of the last transaction of its `writer`.
        """
        for _ in self.session.time.attempts():
            if (seen := self._log.committed(log)) == Done(list(values)):
                return
        state = f"{seen}{self._ends(log)}{_state(writer)}"
        raise Violation(str(list(values)), state, what=f"what readers of {log} see", requirement="KIP890-140")

    def _ends(self, log: str) -> str:
        view = self.session.client("crowd").read(self._log.partition(log), IsolationLevel.READ_COMMITTED)
        if not isinstance(view, Done):
            return ""
        return f"; last stable offset {view.value.last_stable_offset}, high watermark {view.value.high_watermark}"

    @staticmethod
    def _hold(outcome: Outcome[None], what: str) -> None:
        if isinstance(outcome, Refused):
            raise Violation("success", str(outcome), what=what, error=outcome.error, code=outcome.code)


class Crowd(_Crowded):
    """One open transaction in forty partitions, and decided ones of both kinds of clients, concurrently with the scenario."""

    def begin(self) -> None:
        self._is_there = self.is_active
        if not self._is_there:
            return
        super().begin()
        self._probe: KafkaProbe = self.session.client("crowd")
        self._topic = self.session.unique("crowd")
        done(self._probe.create_topic(self._topic, PARTITIONS), f"creating {self._topic}")
        done(self._log.create(_DECIDED), f"creating {_DECIDED}")
        self._kinds = list(dict.fromkeys((self._log.kind, ClientKind.OLD)))
        for kind in self._kinds:
            self._decide(KafkaLog(self.session.client, self.session.unique, self.session.faults, kind))
        self._commit_in_a_deleted_topic()
        self._writer("idle")
        self._open = self._writer("open")
        self._write_everywhere()
        self._group = f"{(self.undisturbed.groups or ['crowd'])[0]}-crowd"
        done(self._open.take(self._group, _DECIDED, 1), "taking input in the crowd")
        self.did("opened", "crowd transaction")

    def end(self) -> None:
        if not self._is_there:
            return
        self._expect_place([])
        self._expect_in_each([], "nothing of the crowd while it is undecided")
        self._hold(self._open.end(True), "answer to EndTxn of the crowd")
        self._await(self._open)
        self._expect([_value(True, kind) for kind in self._kinds], _DECIDED)
        self._expect_place([_value(True, self._kinds[0])])
        self._expect_in_each(["of the crowd"], "the record of the crowd")

    def _decide(self, log: KafkaLog) -> None:
        """Commit and abort as this kind of client. One more write of each comes late, and once more the offsets of the aborted one."""
        for commit in (True, False):
            writer = done(log.writer(f"{self._prefix}-{_value(commit, log.kind)}", TIMEOUT_MS), "initialising in the crowd")
            producer = writer.producer
            done(writer.write(_DECIDED, _value(commit, log.kind)), "writing in the crowd")
            if not commit:
                done(writer.take(_LATE_GROUP, _DECIDED, 1), "taking input in the crowd")
            done(writer.end(commit), "ending in the crowd")
            self._await(writer)
            self._refuse(writer.write_late(_DECIDED, "late"), "write", "KIP890-095" if log.kind is ClientKind.OLD else "KIP890-100")
        entry, version = {log.partition(_DECIDED): CommittedOffset(1)}, log.version("txn_offset_commit")
        late = self._probe.commit_each_offset(writer.transactional_id, producer, log.group(_LATE_GROUP), entry, version=version)
        for result in late.value.values() if isinstance(late, Done) else ():
            self._refuse(result, "commit of offsets", "KIP890-048" if log.kind is ClientKind.OLD else "KIP890-051")

    @staticmethod
    def _refuse(late: Outcome[Any], what: str, requirement: str) -> None:
        if isinstance(late, Done):
            what = f"answer to a {what} of the crowd that comes when its transaction is over"
            raise Violation("a refusal", "success", what=what, requirement=requirement)

    def _expect_place(self, values: Sequence[str]) -> None:
        expect(values, self._log.place(self._group, _DECIDED), f"the values before the place of group {self._group}")

    def _expect_in_each(self, values: Sequence[str], what: str) -> None:
        views = done(self._probe.read_together(self._partitions, IsolationLevel.READ_COMMITTED), "reading the crowd")
        others = [str(where.partition) for where, view in views.items() if view.values() != list(values)]
        if others:
            seen, where = f"otherwise in {', '.join(others)}", f"the {PARTITIONS} partitions of the crowd"
            raise Violation(f"{what} in each", seen, what=where, requirement="KIP890-140")

    def _commit_in_a_deleted_topic(self) -> None:
        if not self._probe.offers("delete_topics", 1):
            return
        done(self._log.create(_GONE), f"creating {_GONE}")
        writer = self._writer("gone")
        done(writer.write(_GONE, "gone with its topic"), "writing in the crowd")
        done(self._probe.delete_topic(self.session.unique(_GONE)), f"deleting {_GONE}")
        self._hold(writer.end(True), "answer to EndTxn of the crowd, whose topic was deleted")
        self._await(writer)

    @property
    def _partitions(self) -> Sequence[TopicPartition]:
        return [TopicPartition(self._topic, number) for number in range(PARTITIONS)]

    def _write_everywhere(self) -> None:
        """Write one record to each of the forty partitions, with one request for each leader."""
        who, probe = self._open, self._probe
        if self._log.kind.is_old:
            done(probe.add_partitions(who.transactional_id, who.producer, self._partitions), "adding the crowd's partitions")
        nodes = done(probe.leader_nodes(self._topic), "looking for leaders")
        for node in dict.fromkeys(nodes.values()):
            self._write(who.producer, who.transactional_id, [one for one in self._partitions if nodes.get(one.partition) == node])

    def _write(self, producer: ProducerIdentity, transactional_id: str, where: Sequence[TopicPartition]) -> None:
        batch = self._probe.batch_of(["of the crowd"], producer=producer, sequence=0, transactional=True)
        version = self._log.version("produce")
        results = done(
            self._probe.produce_batches(dict.fromkeys(where, batch), transactional_id=transactional_id, version=version), "writing"
        )
        for one, result in results.items():
            done(result, f"writing to {one}")


class CrashInACrowd(_Crowded):
    """The crowd ends its transactions between two steps, and the system crashes before any of them is complete.

    Each transaction has written to one more partition, which has seen a higher coordinator epoch of its producer and so refuses the marker
    of this coordinator.
    """

    def begin(self) -> None:
        super().begin()
        probe: KafkaProbe = self.session.client("crowd")
        done(self._log.create(_ENDED), f"creating {_ENDED}")
        self._ending = [self._writer(f"ending-{number}") for number in range(_ENDED_TOGETHER)]
        first = self._ending[0]
        done(first.write(_ENDED, _FIRST), "writing in the crowd")
        done(first.end(True), "ending in the crowd")
        self._await(first)
        active = done(probe.describe_producers(self._log.partition(_ENDED)), "describing the producers of the crowd")
        newer = max(one.coordinator_epoch for one in active) + 1
        for number, writer in enumerate(self._ending):
            done(self._log.create(_refusing(number)), f"creating {_refusing(number)}")
            where = self._log.partition(_refusing(number))
            marker = probe.write_marker(where, writer.producer, commit=False, coordinator_epoch=newer)
            done(marker, f"sending {where} coordinator epoch {newer}")

    def before_step(self) -> None:
        for number, writer in enumerate(self._ending):  # begun here, since those that share a crash may wait for one another for long
            for log in (_ENDED, _refusing(number)):
                done(writer.write(log, _ending(number)), "writing in the crowd")
            self._hold(writer.end(_commits(number)), "answer to EndTxn of the crowd")
            self.did("ended", "crowd transaction")
        crash(self)

    def end(self) -> None:
        for writer in self._ending:
            self._await(writer)
        self._expect([_FIRST, *(_ending(number) for number in range(_ENDED_TOGETHER) if _commits(number))], _ENDED)
        for number, writer in enumerate(self._ending):
            self._expect([_ending(number)] if _commits(number) else [], _refusing(number), writer)


def _state(writer: KafkaWriter | None) -> str:
    described = writer and writer.probe.describe_transaction(writer.transactional_id)
    return f"; transaction: {described.value.state}" if isinstance(described, Done) else ""


def _ending(number: int) -> str:
    return f"crowd {number}"


def _refusing(number: int) -> str:
    return f"crowd-refusing-{number}"


def _commits(number: int) -> bool:
    return number % 2 == 0


def _value(commit: bool, kind: ClientKind) -> str:
    return f"{'committed' if commit else 'aborted'} by {kind.name.lower()}"
