"""Twins on Pulsar: silent on what conforms, and each disturbance is seen noticing something."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from twin_plays import first_noticed, twins_of

from fencepost.reference.defects.replay import variants
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.parts import Parts
from fencepost.reference.pulsar.producers import Producer, Producers
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, TxnId
from fencepost.twins.twin import TwinVerdict

REQUIREMENT = "PIP31-01"


class _NamesStayTaken(Producers):
    def detach(self, producer: Producer) -> None:
        pass


class _ForgetsWhatIsAddedAgain(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        if set(names) <= set(known.partitions):
            self._install(replace(known, partitions=tuple(one for one in known.partitions if one not in names)))
        else:
            super().add_partitions(txn, names)


class _HidesAllAfterAnAbort(SidecarBuffer):
    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return iter(()) if self.aborted else super().after(place)


class _AbortsWhileAnotherIsOpen(LogCoordinator):
    def decide(self, transaction: Transaction, action: Action, reply: Reply | None) -> None:
        is_alone = all(one.status.is_decided or one.txn == transaction.txn for one in self.transactions())
        super().decide(transaction, action if is_alone else Action.ABORT, reply)


def _losing(name: str) -> Parts:
    """The parts of a broker that loses this field when it reads it again."""
    parts = next(one.parts for one in variants("pulsar") if one.name == name)
    assert isinstance(parts, Parts)
    return parts


NOTICED = {
    "unload": (_losing("replay-pulsar-waiting-individual"), "PIP31-1*"),
    "reconnect": (Parts(producers=_NamesStayTaken), "PIP31-03"),
    "twice": (Parts(coordinator=_ForgetsWhatIsAddedAgain), REQUIREMENT),
    "answer-lost": (Parts(coordinator=_ForgetsWhatIsAddedAgain), REQUIREMENT),
    "prelude": (Parts(sidecar_buffer=_HidesAllAfterAnAbort), REQUIREMENT),
    "crowd": (Parts(coordinator=_AbortsWhileAnotherIsOpen), REQUIREMENT),
}


@pytest.mark.parametrize("disturbance", NOTICED)
def test_a_disturbance_shows_what_no_scenario_does(monkeypatch: pytest.MonkeyPatch, disturbance: str) -> None:
    """Each of these brokers is wrong in a way that this disturbance is for."""
    parts, requirement = NOTICED[disturbance]

    noticed = first_noticed(monkeypatch, parts, requirement, disturbance)

    assert noticed is not None
    assert noticed[1]


@pytest.mark.parametrize("some", ["PIP31-01", "PIP31-23", "CORE-01", "PIP460-21", "PIP471-08", "TXKEY-15"])
def test_the_reference_is_silent(some: str) -> None:
    """A sample of the disturbances of Pulsar: nothing differs but what an exception says."""
    results = list(twins_of(some, ["unload", "reconnect", "twice", "answer-lost", "new-connection", "prelude", "crowd"], most=2, seed=7))

    assert [(one.play.name, one.disturbance, one.where, one.difference) for one in results if one.verdict is TwinVerdict.DIFFERS] == []
    assert {one.verdict for one in results} >= {TwinVerdict.ALIKE}
    assert TwinVerdict.NOT_OFFERED not in {one.verdict for one in results}
