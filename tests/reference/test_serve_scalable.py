"""`fencepost serve pulsar` with metadata-driven transactions, on a store in memory: the profiles with them, and crashes at a place."""

from pathlib import Path

import pytest
from commands import fencepost
from pulsar_clients import healthy
from scalable_clients import OneSegment, scalable_session
from served import Command, serve_command

from fencepost.contract.outcomes import Unknown
from fencepost.reference.metadata_transactions import MetadataKind
from fencepost.reference.serving.served_pulsar import KILLED


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Command:  # type: ignore[misc]
    with serve_command(tmp_path_factory.mktemp("served"), "--metadata", "memory", system="pulsar") as command:
        yield command
        assert "Traceback" not in command.log.read_text()


def test_both_kinds_of_transactions_are_served(served: Command) -> None:
    """A topic of segments has metadata-driven ones, every other has those of PIP-31."""
    healthy(served)
    with scalable_session(served) as ours:
        segment = OneSegment(ours)
        transaction = segment.begin()
        segment.write("v", transaction)
        segment.commit(transaction)
        assert segment.read() == "v"


def test_a_release_without_them_has_none(tmp_path: Path) -> None:
    """A store for them, or a place in their code, is refused with the profiles that have them."""
    for option in (("--metadata", "memory"), ("--crash-at", "after-event")):
        refused = fencepost("serve", "pulsar", "--profile", "pulsar-4.0", *option, expect=2, cwd=tmp_path)
        assert f"{option[0]} is about metadata-driven transactions, which profile pulsar-4.0 has not; " in refused.err
        assert "those that have them: pulsar-5.0, seed" in refused.err


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("pulsar", "--metadata", "oxia:127.0.0.1"), "--metadata oxia:127.0.0.1: expected memory, oxia (which starts one in a container)"),
        (("pulsar", "--metadata", "oxia://127.0.0.1"), "or oxia://HOST:PORT"),
        (("kafka", "--metadata", "memory"), "--metadata is for pulsar; "),
        (("kafka", "--crash-at", "after-event"), "--crash-at is for pulsar; "),
    ],
)
def test_what_cannot_be_served_is_reported(tmp_path: Path, arguments: tuple[str, ...], reported: str) -> None:
    """Exit code 2, with the correct form."""
    refused = fencepost("serve", *arguments, "--port", 0, expect=2, cwd=tmp_path)

    assert reported in refused.err
    assert "Traceback" not in refused.err


def test_a_place_that_there_is_none_of_is_reported_with_all_that_there_are(tmp_path: Path) -> None:
    """And with what is true at each of them."""
    refused = fencepost("serve", "pulsar", "--crash-at", "after-header-sac", expect=2, cwd=tmp_path)

    assert "--crash-at after-header-sac: there is no such place; did you mean after-header-cas?" in refused.err
    assert all(f"  {name}: {what}" in refused.err for name, what in MetadataKind.crash_points.items())


def test_it_dies_where_it_is_notified_to(tmp_path: Path) -> None:
    """As if killed: a waiting client gets no answer, and its exit code is that of SIGKILL."""
    crashing = ("--crash-at", "after-header-create")

    with serve_command(tmp_path, *crashing, system="pulsar", dies_with=KILLED) as served, scalable_session(served) as ours:
        assert isinstance(ours.client("c").new_transaction(scalable=True, retry=False), Unknown)
