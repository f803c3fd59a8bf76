"""`fencepost run --metadata`: the same verdicts on a real Oxia, which is left as it was, and which may go away and return."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import compliance, fencepost
from docker_here import containers_of
from succeeded import value_of

from fencepost.adapters.common import owners
from fencepost.adapters.common.oxia_container import OXIA_IMAGE, OxiaContainer, oxia
from fencepost.adapters.common.time import WallTime
from fencepost.adapters.metadata_stores import backend
from fencepost.adapters.pulsar.scalable_session import ScalableSession
from fencepost.adapters.reference_scalable import ScalableReferenceSystem
from fencepost.contract.evidence import NoAnswer
from fencepost.reference.metadata.oxia import OxiaStore
from fencepost.reference.metadata.store import under

pytestmark = pytest.mark.docker(OXIA_IMAGE)

IN_TIME_S = 10.0
COMES_BACK_WITHIN_S = 60.0


@pytest.fixture
def server() -> Iterator[OxiaContainer]:
    """An Oxia that no other test uses."""
    before = containers_of(owners.this_process())
    with oxia(print) as container:
        yield container
    assert containers_of(owners.this_process()) == before


def verdicts(folder: Path, *arguments: str) -> dict[str, str]:
    """What a run says of each requirement."""
    fencepost("run", "--no-html", "--results", folder, *arguments, expect=0)
    return {row["id"]: row["verdict"] for row in compliance(folder)["requirements"]}


def test_the_verdicts_on_an_oxia_are_those_in_memory(server: OxiaContainer, tmp_path: Path) -> None:
    """A few requirements of each kind, among them what is found in indexes, the store without any, layouts, and leaders whose sessions
    expire; nothing is left there.
    """
    transactions = "PIP471-01,PIP471-10,PIP471-13,PIP471-33,PIP471-38,PIP471-41,PIP471-66"
    some = ("--only", f"{transactions},PIP460-14,PIP460-17,PIP460-28,PIP460-41,PIP460-46,PIP460-52")

    on_oxia = verdicts(tmp_path / "oxia", *some, "--metadata", f"oxia://{server.address}")

    assert on_oxia == verdicts(tmp_path / "memory", *some)
    assert list(on_oxia.values()).count("met") == 13
    store = OxiaStore(str(server.address))
    assert store.keys(*under("")) == []
    store.close()


@pytest.mark.thorough
def test_all_verdicts_on_an_oxia_are_those_in_memory(tmp_path: Path) -> None:
    """In a container that the run starts and removes."""
    before, both = containers_of(owners.this_process()), ("--spec", "pip460", "--spec", "pip471")

    on_oxia = verdicts(tmp_path / "oxia", *both, "--metadata", "oxia")

    assert on_oxia == verdicts(tmp_path / "memory", *both)
    assert set(on_oxia.values()) == {"met", "not_run", "excluded"}
    assert containers_of(owners.this_process()) == before


@pytest.mark.parametrize("stop", ["pause", "kill"])
def test_a_scenario_whose_oxia_goes_away_is_inconclusive_and_the_next_one_runs(server: OxiaContainer, stop: str) -> None:
    """In time, with the address, in the middle of it and at its beginning: the reference is not reported as wrong."""
    system = ScalableReferenceSystem().on(backend(f"oxia://{server.address}"))
    system.open()
    client = system.session("before").client("a")
    value_of(client.new_transaction())
    container = server.get_wrapped_container()
    (container.pause if stop == "pause" else server.kill)()

    for ask in (client.new_transaction, lambda: system.session("meanwhile")):
        began = time.monotonic()
        with pytest.raises(NoAnswer, match=f"the Oxia at {server.address} did not do it: "):
            ask()
        assert time.monotonic() - began < IN_TIME_S

    (container.unpause if stop == "pause" else server.start_again)()
    after = next(session for _ in WallTime(COMES_BACK_WITHIN_S).attempts() if (session := begun(system)))
    value_of(after.client("a").new_transaction())
    after.close()
    system.close()


def begun(system: ScalableReferenceSystem) -> ScalableSession | None:
    """A session; None while there can be none."""
    try:
        return system.session("after")
    except NoAnswer:
        return None
