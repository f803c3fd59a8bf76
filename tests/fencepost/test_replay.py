"""A red as a script: where the broker is broken it shows the same, where it is not it does not, and what cannot be a script is refused."""

import asyncio
import contextlib
import gzip
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import red_scripts
from commands import fencepost
from served import served_here

from fencepost.adapters.replay import runtime
from fencepost.contract.errors import WrongUsage
from fencepost.reference.defects import DEFECTS
from fencepost.reference.kafka import KafkaParts
from fencepost.reference.serving.server import follow_the_wall_clock
from fencepost.replay import replaying

TEN = {
    "no-epoch-bump": ("KIP890-060", 2),
    "announced-is-refused": ("KIP890-097", 1),
    "answered-epoch-is-useless": ("KIP890-063", 1),
    "old-instance-ends": ("KIP890-024", 2),
    "unstable-for-every-group": ("KIP890-052", 1),
    "aborted-before-the-range-not-listed": ("KIP890-139", 2),
    "marker-of-any-coordinator": ("KIP890-130", 1),
    "only-the-first-is-added": ("KIP890-211", 1),
    "older-generation-commits-outside": ("KIP890-356", 2),
    "any-sequence-taken": ("KIP890-113", 1),
}
"""Defects of KIP-890 in ten places of the broker, each with a scenario that finds it."""


@contextlib.contextmanager
def served(parts: KafkaParts = KafkaParts()) -> Iterator[int]:  # noqa: B008 - immutable
    """A reference on a port, in real time."""
    with served_here(parts=parts) as server:
        clock = server.do(lambda broker: asyncio.get_running_loop().create_task(follow_the_wall_clock(broker.advance)))
        yield server.port
        server.do(lambda _: clock.cancel())


@pytest.fixture(scope="module")
def healthy() -> Iterator[int]:
    with served() as port:
        yield port


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with reds."""
    folder = tmp_path_factory.mktemp("run")
    fencepost("run", "--defect", "no-epoch-bump", "--only", "KIP890-060,KIP890-063", "--no-html", "--results", folder, expect=1)
    return folder


def ran(script: Path, port: int) -> tuple[int, str]:
    """The script's exit code and last line on the broker at that port."""
    return red_scripts.ran(script, f"127.0.0.1:{port}", "--patience", "1")


@pytest.mark.parametrize("defect", TEN)
def test_the_script_shows_the_red_where_it_is_and_nothing_where_it_is_not(defect: str, healthy: int, tmp_path: Path) -> None:
    """Exit code 1 on the reference with the defect, 0 on the reference without, and one line says what was seen."""
    script = tmp_path / "red.py"
    script.write_text(red_scripts.red_of(defect, *TEN[defect], tmp_path))

    parts = DEFECTS[defect].parts
    assert isinstance(parts, KafkaParts)
    with served(parts) as port:
        broken = ran(script, port)

    assert (broken[0], broken[1][:22]) == (1, "shown, as in the red: ")
    assert ran(script, healthy)[0] == 0


def test_without_an_answer_nothing_is_decided(tmp_path: Path) -> None:
    """Exit code 2 with one line."""
    script = tmp_path / "red.py"
    script.write_text(red_scripts.red_of("any-sequence-taken", "KIP890-113", 1, tmp_path))

    code, line = ran(script, 1)

    assert (code, line) == (2, "undecided: [Errno 111] Connection refused")


def test_the_command_writes_a_script_frames_and_a_picture(results: Path, healthy: int, tmp_path: Path) -> None:
    """Of one red of a results folder; a field of the frames is a line."""
    script = tmp_path / "red.py"
    fencepost("replay", results, "KIP890-060", "--scenario", 1, "--out", script, expect=0)
    frames = fencepost("replay", results, "kip890-060", "--scenario", 1, "--format", "frames", expect=0).out
    picture = fencepost("replay", results, "KIP890-060", "--scenario", 1, "--format", "picture", expect=0).out

    assert ran(script, healthy)[0] == 0
    assert re.search(r"^00 00 +# producer_epoch: 0$", frames, re.MULTILINE)
    assert "# expected success" not in frames
    assert "expected success with (producer id 1000, epoch 1)" in frames
    assert picture.startswith("<svg")


def test_what_cannot_be_chosen_or_read_is_refused(results: Path, tmp_path: Path) -> None:
    """Several reds, a file that is cut off, one that was changed, and a run that kept none."""
    several = fencepost("replay", results, "KIP890-060", expect=2).err
    assert "has 3 reds: [1] A commit of one record; [2]" in several
    assert "choose one with --scenario" in several

    broken = shutil.copytree(results, tmp_path / "broken")
    (kept,) = (broken / "exchanges").glob("KIP890-060-1-*")
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(WrongUsage, match="is cut off or damaged"):
        replaying.show(broken, "KIP890-060", 1, "script", None)
    kept.write_bytes(gzip.compress(gzip.decompress(whole).replace(b'"request": "', b'"request": "00', 1)))
    with pytest.raises(WrongUsage, match="line 2: not an exchange as fencepost writes it"):
        replaying.show(broken, "KIP890-060", 1, "script", None)
    shutil.rmtree(broken / "exchanges")
    with pytest.raises(WrongUsage, match="run it again"):
        replaying.show(broken, "KIP890-060", 1, "script", None)


def test_a_fault_is_no_request(tmp_path: Path) -> None:
    """A scenario with a crash is refused with what it needs."""
    defect = next(name for name, one in DEFECTS.items() if "KIP890-160" in one.breaks)
    with pytest.raises(WrongUsage, match=r"needs crash.*which requests alone cannot cause"):
        red_scripts.red_of(defect, "KIP890-160", 1, tmp_path)


def test_a_checksum_is_that_of_kafka() -> None:
    """CRC-32C, as RFC 3720 has it for 32 zeros."""
    assert runtime.crc32c(bytes(32)) == 0x8A9136AA
