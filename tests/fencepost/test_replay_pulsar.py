"""A red of Pulsar as a script: where the broker is broken it shows the same, and where it is not it does not."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import red_scripts
from served_pulsar import ServedPulsar, pulsar_here

from fencepost.contract.errors import WrongUsage
from fencepost.reference.defects import DEFECTS
from fencepost.reference.pulsar import PulsarParts
from fencepost.reference.serving.server import follow_the_wall_clock

REDS = {
    "last-message-is-open": ("PIP31-94", 1),
    "conflict-is-swallowed": ("PIP31-67", 2),
    "pulsar-unknown-begun-by-adding": ("PIP31-15", 1),
    "entry-is-one-message": ("PIP31-66", 1),
    "abort-gives-all-back": ("PIP31-58", 1),
    "repeated-is-stored": ("PIP31-48", 1),
    "pulsar-last-partition-is-missing": ("PIP31-145", 1),
}
"""Defects of PIP-31, each with a scenario that finds it: by a refusal, by an admin call, by messages too many and by messages too few."""


@contextlib.contextmanager
def served(parts: PulsarParts | None = None) -> Iterator[ServedPulsar]:
    """A reference on its ports, in real time."""
    with pulsar_here(parts=parts) as server:
        clock = server.do(lambda broker: asyncio.get_running_loop().create_task(follow_the_wall_clock(broker.advance)))
        yield server
        server.do(lambda _: clock.cancel())


@pytest.fixture(scope="module")
def healthy() -> Iterator[ServedPulsar]:
    with served() as server:
        yield server


def ran(script: Path, port: int, admin_port: int) -> tuple[int, str]:
    """The script's exit code and last line."""
    return red_scripts.ran(script, f"127.0.0.1:{port}", "--admin", f"127.0.0.1:{admin_port}", "--patience", "5")


@pytest.mark.parametrize("defect", REDS)
def test_the_script_shows_the_red_where_it_is_and_nothing_where_it_is_not(defect: str, healthy: ServedPulsar, tmp_path: Path) -> None:
    """Exit code 1 on the reference with the defect, 0 on the reference without."""
    script = tmp_path / "red.py"
    script.write_text(red_scripts.red_of(defect, *REDS[defect], tmp_path))

    parts = DEFECTS[defect].parts
    assert isinstance(parts, PulsarParts)
    with served(parts) as broken:
        code, line = ran(script, broken.port, broken.admin_port)

    assert (code, line[:22]) == (1, "shown, as in the red: ")
    assert ran(script, healthy.port, healthy.admin_port)[0] == 0


def test_without_an_answer_nothing_is_decided(tmp_path: Path) -> None:
    """Exit code 2 with one line."""
    script = tmp_path / "red.py"
    script.write_text(red_scripts.red_of("conflict-is-swallowed", "PIP31-67", 2, tmp_path))

    assert ran(script, 1, 1) == (2, "undecided: [Errno 111] Connection refused")


def test_a_crash_is_no_request(tmp_path: Path) -> None:
    """A scenario with a crash is refused with what it needs."""
    with pytest.raises(WrongUsage, match=r"needs crash.*which requests alone cannot cause"):
        red_scripts.red_of("pulsar-subscriptions-in-memory-only", "PIP31-20", 4, tmp_path)
