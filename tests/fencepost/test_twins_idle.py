"""A twin whose disturbance had no effect shows nothing: on a system that refuses each disturbance no twin counts as met."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import fencepost
from twin_plays import names_of, twins_of

from fencepost.adapters.common.system_faults import SessionFaults
from fencepost.adapters.kafka.kafka_core import KafkaLog
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_core import PulsarLog
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Refused
from fencepost.twins.twin import TwinVerdict

NO = Refused("CLUSTER_AUTHORIZATION_FAILED", 31)


def _no(*_: object, **__: object) -> Refused:
    return NO


def _not_offered(*_: object, **__: object) -> None:
    raise NotOffered("crash: not here")


def _not_in_a_crowd(made: Callable[..., Any]) -> Callable[..., Any]:
    """Refuses the topics of disturbances, and makes those of scenarios."""
    return lambda probe, topic, *rest, **more: NO if topic.startswith(("crowd", "compaction")) else made(probe, topic, *rest, **more)


CREATES_ITS_OWN = (KafkaProbe, "create_topic", _not_in_a_crowd(KafkaProbe.create_topic))
KAFKA: dict[str, tuple[type, str, Any]] = {
    "crash": (SessionFaults, "crash", _not_offered),
    "clean-stop": (SessionFaults, "stop", _not_offered),
    "compaction": CREATES_ITS_OWN,
    "leader-moved": (KafkaProbe, "move_partition", _no),
    "coordinator-moved": (KafkaProbe, "move_partition", _no),
    "refused-append": (SessionFaults, "append_is_to_be_refused", lambda *_: True),
    "lost-in-a-crash": (SessionFaults, "crash", _not_offered),
    "prelude": (KafkaLog, "writer", _no),
    "lived-in": (KafkaLog, "writer", _no),
    "crowd": CREATES_ITS_OWN,
    "crash-in-a-crowd": (KafkaLog, "writer", _no),
}
PULSAR: dict[str, tuple[type, str, Any]] = {
    "crash": (SessionFaults, "crash", _not_offered),
    "clean-stop": (SessionFaults, "stop", _not_offered),
    "unload": (PulsarProbe, "unload_topic", _no),
    "reconnect": (PulsarSession, "connections", 0),
    "prelude": (PulsarLog, "writer", lambda *_: Refused("NotAllowedError", 22)),
    "crowd": (PulsarLog, "create", _no),
}
CASES = [*(("KIP890-060", name, how) for name, how in KAFKA.items()), *(("PIP31-03", name, how) for name, how in PULSAR.items())]


@pytest.mark.parametrize(("requirement", "name", "how"), CASES, ids=lambda one: one if isinstance(one, str) else "")
def test_a_system_that_refuses_a_disturbance_has_no_twin_that_is_alike(
    monkeypatch: pytest.MonkeyPatch, requirement: str, name: str, how: tuple[type, str, Any]
) -> None:
    """The twin is not tried, or not offered, with the reason."""
    monkeypatch.setattr(*how)

    results = [one for one in twins_of(requirement, [name], most=3) if one.verdict is not TwinVerdict.NOT_REACHED]

    assert {one.verdict for one in results} <= {TwinVerdict.NOT_TRIED, TwinVerdict.NOT_OFFERED}
    assert results
    assert all(one.difference for one in results)
    assert not any(any(one.acts.values()) for one in results)


def test_the_disturbances_of_both_protocols_are_all_here() -> None:
    """Each is in a test above, or disturbs requests or messages."""
    on_requests = {"twice", "answer-lost", "late", "late-marker", "after-the-end", "new-connection", "split", "reordered"}
    on_requests |= {"overtaken", "one-batch", "older-looks", "by-id", "compressed", "messages-twice", "messages-lost", "messages-late"}

    assert set(names_of("kafka")) == on_requests | set(KAFKA)
    assert set(names_of("pulsar")) - on_requests == set(PULSAR)


def test_another_disturbance_is_drawn_for_one_that_did_nothing() -> None:
    """A limit counts the twins that were tried."""
    tried = Counter[str]()
    results = list(twins_of("KIP890-06*", ["crash", "refused-append", "reordered", "split"], most=2))
    for one in results:
        tried[one.play.run] += one.was_played

    assert any(one.verdict is TwinVerdict.NOT_TRIED for one in results)
    assert set(tried.values()) == {2}


def test_a_run_in_which_no_disturbance_did_anything_is_red(tmp_path: Path) -> None:
    """It says what was not tried, and why; a requirement is not alike for it."""
    about = ("run", "--twins", "one-batch,split", "--only", "KIP890-353", "--results", tmp_path / "r")

    out = fencepost(*about, expect=1).out

    assert "not tried" in out
    assert "one-batch: no client fetched" in out
    assert "alike" not in out
    assert "no disturbance did anything, so nothing is known" in out


def test_no_write_arrives_late_after_an_end_that_keeps_the_epoch() -> None:
    """A leader whose producer state has expired could not recognise it, so the disturbance leaves it out."""
    results = list(twins_of("KIP890-168", ["late"], most=1))

    assert {one.verdict for one in results} <= {TwinVerdict.ALIKE, TwinVerdict.NOT_TRIED}
    assert len(results) == 2
