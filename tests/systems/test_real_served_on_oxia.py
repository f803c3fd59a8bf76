"""`fencepost serve pulsar` on a real Oxia: servers that share it go on with each other's transactions, and say so where it is gone."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands import fencepost
from docker_here import containers_of
from pulsar_clients import healthy
from scalable_clients import OneSegment, scalable_session
from served import Command, serve_command

from fencepost.adapters.common import owners
from fencepost.adapters.common.address import free_port
from fencepost.adapters.common.oxia_container import OXIA_IMAGE, OxiaContainer, oxia
from fencepost.adapters.common.time import WallTime
from fencepost.adapters.pulsar.pulsar_values import TxnAction
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.reference.serving.served_pulsar import KILLED

pytestmark = pytest.mark.docker(OXIA_IMAGE)

IN_TIME_S = 10.0
START_S = 20.0
"""Longer than a separate process takes to its first request on a busy machine."""
COMES_BACK_WITHIN_S = 60.0


@pytest.fixture(scope="module")
def server() -> Iterator[OxiaContainer]:
    """One Oxia for all tests; it is removed after them."""
    before = containers_of(owners.this_process())
    with oxia(print) as container:
        yield container
    assert containers_of(owners.this_process()) == before


@contextmanager
def served_on(container: OxiaContainer, folder: Path, *arguments: str, dies_with: int | None = None) -> Iterator[Command]:
    """A server whose transactions are there."""
    folder.mkdir()
    metadata = ("--metadata", f"oxia://{container.address}", *arguments)
    with serve_command(folder, *metadata, system="pulsar", dies_with=dies_with) as command:
        yield command


def test_what_a_server_decided_before_it_died_another_one_shows(server: OxiaContainer, tmp_path: Path) -> None:
    """It is killed between the compare-and-set and the event: the other's segment shows the message, and its coordinator says the same."""
    with (
        served_on(server, tmp_path / "other") as living,
        served_on(server, tmp_path / "first", "--crash-at", "after-header-cas", dies_with=KILLED) as dying,
        scalable_session(living) as there,
        scalable_session(dying) as here,
    ):
        segment, client = OneSegment(there), here.client("a")
        transaction = client.new_transaction(scalable=True)
        assert isinstance(transaction, Done)
        segment.write("v", transaction.value)

        outcome = client.end(transaction.value, TxnAction.COMMIT, retry=False)

        assert isinstance(outcome, Unknown)
        assert segment.read() == "v"
        assert isinstance(segment.probe.end(transaction.value, TxnAction.COMMIT), Done)
        other_way = segment.probe.end(transaction.value, TxnAction.ABORT)
        assert isinstance(other_way, Refused)
        assert other_way.error == "InvalidTxnStatus"


def test_what_one_server_ends_is_notified_to_the_segments_of_the_other(server: OxiaContainer, tmp_path: Path) -> None:
    """Both run, and no request is needed: the events of the one reach the other. An open transaction blocks readers there."""
    with (
        served_on(server, tmp_path / "one") as one,
        served_on(server, tmp_path / "two") as two,
        scalable_session(one) as here,
        scalable_session(two) as there,
    ):
        segment, client = OneSegment(there), OneSegment(here)
        kept, dropped = client.begin(), client.begin()
        segment.write("kept", kept)
        segment.write("dropped", dropped)
        client.commit(kept)
        assert segment.read() == "kept"
        assert isinstance(client.probe.end(dropped, TxnAction.ABORT), Done)
        last = segment.begin()
        segment.write("last", last)
        segment.commit(last)

        assert segment.read() == "last"
        assert kept != dropped != last


def test_a_paused_oxia_is_reported_as_unavailable_and_the_rest_is_served(tmp_path: Path) -> None:
    """A client that asks for a transaction there is answered in time, with the address; PIP-31's continue; so do the others when it is
    back.
    """
    with oxia(print) as container, served_on(container, tmp_path / "served") as served, scalable_session(served) as ours:
        segment = OneSegment(ours)
        transaction = segment.begin()
        segment.write("v", transaction)
        container.get_wrapped_container().pause()

        for _ in range(2):
            reported = in_time(lambda: segment.probe.new_transaction(scalable=True, retry=False))
            assert isinstance(reported, Refused)
            assert reported.error == "ServiceNotReady"
            assert f"metadata store: the Oxia at {container.address} did not do it: no answer within" in reported.message
        healthy(served)

        container.get_wrapped_container().unpause()
        for _ in WallTime(COMES_BACK_WITHIN_S).attempts():
            if isinstance(segment.probe.end(transaction, TxnAction.COMMIT, retry=False), Done):
                break
        assert segment.read() == "v"
    assert "Traceback" not in served.log.read_text()


def in_time(call: Callable[[], Outcome[object]]) -> Outcome[object]:
    """The call does not take long."""
    began = time.monotonic()
    outcome = call()
    assert time.monotonic() - began < IN_TIME_S
    return outcome


@pytest.mark.parametrize("command", [("serve", "pulsar", "--port", "0", "--admin-port", "0"), ("run", "--spec", "pip471", "--no-html")])
def test_an_oxia_that_is_not_there_is_reported_in_time(tmp_path: Path, command: tuple[str, ...]) -> None:
    """With its address, and exit code 2, as of any other system that cannot be reached."""
    address = f"127.0.0.1:{free_port()}"
    began = time.monotonic()

    refused = fencepost(*command, "--metadata", f"oxia://{address}", expect=2, cwd=tmp_path)

    assert time.monotonic() - began < IN_TIME_S + START_S
    assert f"the metadata store: the Oxia at {address} did not do it: " in refused.err + refused.out
    assert re.search(r"Is an Oxia running there\? --metadata oxia starts one", refused.err + refused.out)
    assert "Traceback" not in refused.err
