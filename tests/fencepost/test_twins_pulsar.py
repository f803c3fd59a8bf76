"""Twins on Pulsar: silent on what conforms, and each disturbance is seen noticing something."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from twin_plays import first_noticed, names_of, twins_of

from fencepost.reference.defects import DEFECTS
from fencepost.reference.defects.replay import variants
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.producers import Producers, TopicProducer
from fencepost.reference.pulsar.pulsar_parts import PulsarParts
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId, TxnStatus
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.twins.twin import TwinVerdict

REQUIREMENT = "PIP31-01"


class _NamesStayTaken(Producers):
    def detach(self, producer: TopicProducer) -> None:
        pass


class _ForgetsWhatIsAddedAgain(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        if set(names) <= set(known.partitions):
            self._install(replace(known, partitions=tuple(one for one in known.partitions if one not in names)))
        else:
            super().add_partitions(txn, names)


class _OpensAgainWhatIsLate(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        if known.status.is_decided:
            self._install(replace(known, status=TxnStatus.OPEN))
        super().add_partitions(txn, names)


class _TakesOneMessage(PendingAcks):
    """It takes the first request of a transaction with one message, and no later one."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        if len(wanted) > 1 or txn not in self.transactions():
            super().add_individual(txn, wanted)


class _StopsWhereAnEarlierOneFollows(PendingAcks):
    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        upwards = [place for number, place in enumerate(wanted) if list(wanted)[: number + 1] == sorted(list(wanted)[: number + 1])]
        super().add_individual(txn, {place: wanted[place] for place in upwards})


class _HidesAllAfterAnAbort(SidecarBuffer):
    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return iter(()) if self.aborted else super().after(place)


class _AbortsWhileAnotherIsOpen(LogCoordinator):
    def decide(self, transaction: PulsarTransaction, action: EndAction, reply: Reply | None) -> None:
        is_alone = all(one.status.is_decided or one.txn == transaction.txn for one in self.transactions())
        super().decide(transaction, action if is_alone else EndAction.ABORT, reply)


def _losing(name: str) -> PulsarParts:
    """The parts of a broker that loses this field when it reads it again."""
    parts = next(one.parts for one in variants("pulsar") if one.name == name)
    assert isinstance(parts, PulsarParts)
    return parts


NOTICED = {
    "crash": (_losing("replay-pulsar-pending-ack-individual"), "PIP31-58"),
    "clean-stop": (_losing("replay-pulsar-pending-ack-individual"), "PIP31-58"),
    "late": (PulsarParts(coordinator=_OpensAgainWhatIsLate), "PIP31-23"),
    "split": (PulsarParts(pending_acks=_TakesOneMessage), "PIP31-5*"),
    "reordered": (PulsarParts(pending_acks=_StopsWhereAnEarlierOneFollows), "PIP31-5*"),
    "unload": (_losing("replay-pulsar-pending-ack-individual"), "PIP31-1*"),
    "reconnect": (PulsarParts(producers=_NamesStayTaken), "PIP31-03"),
    "twice": (PulsarParts(coordinator=_ForgetsWhatIsAddedAgain), REQUIREMENT),
    "answer-lost": (PulsarParts(coordinator=_ForgetsWhatIsAddedAgain), REQUIREMENT),
    "prelude": (PulsarParts(sidecar_buffer=_HidesAllAfterAnAbort), REQUIREMENT),
    "crowd": (PulsarParts(coordinator=_AbortsWhileAnotherIsOpen), REQUIREMENT),
}


@pytest.mark.parametrize("disturbance", NOTICED)
def test_a_disturbance_shows_what_no_scenario_does(monkeypatch: pytest.MonkeyPatch, disturbance: str) -> None:
    """Each of these brokers is wrong in a way that this disturbance is for."""
    parts, requirement = NOTICED[disturbance]

    noticed = first_noticed(monkeypatch, parts, requirement, disturbance)

    assert noticed is not None
    assert noticed[1]


BUGS = {
    "newer-end-ends-older": "PIP31-58",
    "abort-gives-others-back": "PIP31-61",
    "pending-spends-permits": "PIP31-58",
}
"""Real bugs that the crowd shows with scenarios that were not written for them."""


@pytest.mark.parametrize("name", BUGS)
def test_a_real_bug_is_noticed_in_a_crowd(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The open transaction and newer ones have taken input from the same subscription."""
    parts = DEFECTS[name].parts
    assert isinstance(parts, PulsarParts)
    assert BUGS[name] not in DEFECTS[name].breaks

    assert first_noticed(monkeypatch, parts, BUGS[name], "crowd") is not None


@pytest.mark.parametrize("some", ["PIP31-01", "PIP31-23", "CORE-01", "PIP460-21", "PIP471-08", "TXKEY-15"])
def test_the_reference_is_silent(some: str) -> None:
    """A sample of the disturbances of Pulsar: nothing differs but what an exception says."""
    results = list(twins_of(some, names_of("pulsar"), most=2, seed=7))

    assert [(one.play.name, one.disturbance, one.where, one.difference) for one in results if one.verdict is TwinVerdict.DIFFERS] == []
    assert {one.verdict for one in results} >= {TwinVerdict.ALIKE}
    assert TwinVerdict.NOT_OFFERED not in {one.verdict for one in results}
