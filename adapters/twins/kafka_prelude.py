"""Every transactional id has had earlier transactions: what one of them leaves must not be seen in the next.

They are in a separate log that no scenario reads.
"""

from fencepost.adapters.kafka.client_kind import ClientKind
from fencepost.adapters.kafka.kafka_core import KafkaLog
from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done
from fencepost.contract.ports import PassesTime
from fencepost.contract.transactional_log import Writer

from .performer import Performer
from .prelude import EXPIRED_MS, EXPIRES_MS, TIMEOUT_MS, await_end, done, expect

LOG = "before"


class Prelude(Performer):
    """Each transactional id has had a committed and an aborted transaction, in each of which each group has taken input, then one that
    another instance took over, and, where no time is lost by it, one that expired. What is left of them is as they ended.

    They are those of old clients where the scenario has one: of all ids alike, so that all have used as many epochs.
    """

    idle = "the scenario has no transactional id"

    session: KafkaSession

    def begin(self) -> None:
        writers, groups = self.undisturbed.writers, self.undisturbed.groups
        self._expected = list[str]()
        if not (self.is_active and writers):
            return
        log = self.session.transactional_log()
        done(log.create(LOG), f"creating {LOG}")
        inputs = [f"input {number}" for number in range(len(writers) * max(len(groups), 1))]
        for value in inputs:
            done(log.write(LOG, value), f"writing to {LOG}")
        self._expected += inputs
        log = self._of_the_scenario(log)
        for number, name in enumerate(writers, 1):
            writer = done(log.writer(name, TIMEOUT_MS), f"initialising {name}")
            for commit in (True, False):
                value = f"{'committed' if commit else 'aborted'} by {name}"
                done(writer.write(LOG, value), f"writing as {name}")
                self._expected += [value] * commit
                self._take(writer, name)
                done(writer.end(commit), f"ending the transaction of {name}")
                self._await_end(writer, name)
                for group in groups:
                    expect(inputs[:number], log.place(group, LOG), f"place of {group} in {LOG}")
                self.did("made", "earlier transaction")
            self._leave_open(writer, name)
            taker = done(log.writer(name, TIMEOUT_MS), f"taking {name} over")
            self._await_end(taker, name)
            self._expect_refusal(writer, "was taken over")
            if isinstance(self.session.time, PassesTime):
                late = done(log.writer(name, EXPIRES_MS), f"initialising {name} once more")
                self._leave_open(late, name)
                self.session.time.let_pass(EXPIRED_MS)
                self._await_end(late, name)
                self._expect_refusal(late, "expired")

    def end(self) -> None:
        if self._expected:
            expect(self._expected, self.session.transactional_log().committed(LOG), f"what readers of {LOG} see")

    def _of_the_scenario(self, log: KafkaLog) -> KafkaLog:
        """The log as the scenario's kind of clients uses it."""
        kind = ClientKind.OLD if self.undisturbed.has_old_clients else log.kind
        return KafkaLog(self.session.client, self.session.unique, self.session.faults, kind)

    @staticmethod
    def _expect_refusal(writer: Writer, how: str) -> None:
        """Raises Violation if the instance can write on, or commit. No group is looked at here, so that what is pending still is."""
        if isinstance(writer.write(LOG, f"by an instance that {how}"), Done):
            raise Violation("a refusal", "success", what=f"answer to a write before the scenario of an instance that {how}")
        if isinstance(writer.end(True), Done):
            raise Violation("a refusal", "success", what=f"answer to the commit of a transaction before the scenario that {how}")

    def _leave_open(self, writer: Writer, name: str) -> None:
        done(writer.write(LOG, f"left open by {name}"), f"writing as {name}")
        self._take(writer, name)

    def _take(self, writer: Writer, name: str) -> None:
        for group in self.undisturbed.groups:
            done(writer.take(group, LOG, 1), f"taking input as {name} in {group}")

    def _await_end(self, writer: Writer, name: str) -> None:
        await_end(writer, self.session, f"that of {name}", "before the scenario")
