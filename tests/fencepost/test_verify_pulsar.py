"""A run of Pulsar is judged again from what it recorded, as one of Kafka is."""

import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import fencepost
from served import serve_command

from fencepost.adapters.common.seals import SEAL, sealed
from fencepost.contract import history_files
from fencepost.contract.errors import WrongUsage
from fencepost.replay import replaying, verifying
from fencepost.replay.recorded_red import lines_of
from fencepost.results.compliance_document import read
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import decode, encode

RED = "PIP31-22-1-"
ASKED = "PIP31-22,PIP471-26,PIP460-07,CORE-33,TXKEY-05"
"""A red; what waits for collections and retention, whose writes to the store are in histories; and crashes at points of the reference."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the reference of Pulsar with a red and greens."""
    folder = tmp_path_factory.mktemp("run")
    fencepost("run", "--only", ASKED, "--no-html", "--results", folder, expect=0)
    return folder


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a red."""
    folder = tmp_path_factory.mktemp("broken")
    fencepost("run", "--defect", "pulsar-unknown-ends-well", "--only", "PIP31-22", "--no-html", "--results", folder, expect=1)
    return folder


@pytest.fixture
def results(broken: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    return shutil.copytree(broken, tmp_path / "results")


def edit(results: Path, change: Callable[[list[dict[str, Any]]], None], *, seals: bool = False) -> None:
    """Change the exchanges of the red by hand; with `seals` as one does who makes new digests too."""
    (path,) = (results / "exchanges").glob(f"{RED}*")
    lines, _ = lines_of(path)
    change(lines)
    if seals:
        lines = sealed([{name: value for name, value in line.items() if name != SEAL} for line in lines])
    path.write_bytes(history_files.packed(lines))


def refusing(lines: list[dict[str, Any]]) -> None:
    """The answer to END_TXN as a healthy broker gives it: a refusal."""
    for line in lines[1:]:
        if line["kind"] == "received" and (frame := decode(bytes.fromhex(line["frame"])[4:])).name == "END_TXN_RESPONSE":
            frame.body.error = pb.TransactionNotFound
            line["frame"] = encode(frame).hex()


def as_it_is(lines: list[dict[str, Any]]) -> None:
    """No change."""


def changed(results: Path) -> list[str]:
    """What verify says was changed."""
    return verifying.verify(results, read(results)).changed


def test_an_unchanged_run_has_its_verdicts_and_histories_again(recorded: Path) -> None:
    """For each protocol of the reference, with each time in the histories; what is no answer to a request is named."""
    found = verifying.verify(recorded, read(recorded))

    assert found.changed == []
    assert found.again + sum(map(len, found.left.values())) == len(list((recorded / "exchanges").iterdir()))
    assert found.again > 50


def test_a_red_has_its_verdict_again(broken: Path) -> None:
    """Exit code 0: nothing was changed, whatever the verdict."""
    assert "nothing was changed" in fencepost("verify", broken, expect=0).out


def test_an_altered_answer_is_named_with_its_scenario_and_exchange(results: Path) -> None:
    """Exit code 1; with new digests the play goes another way, or gives another verdict."""
    edit(results, refusing)
    said = fencepost("verify", results, expect=1).out
    edit(results, as_it_is, seals=True)

    assert "PIP31-22 [1]" in said
    assert "(END_TXN_RESPONSE received on connection " in said
    assert any("PIP31-22 [1]" in one for one in changed(results))


def test_a_recording_that_goes_another_way_is_named(results: Path) -> None:
    """An entry less; what is no entry is refused with its line."""
    edit(results, lambda lines: lines.pop(5), seals=True)
    assert "played again, it takes another course: " in changed(results)[0]

    edit(results, lambda lines: lines[1].update(kind="unheard"), seals=True)
    assert "line 2: not an exchange as fencepost writes it" in changed(results)[0]


def test_a_head_that_is_none_is_named(results: Path) -> None:
    """The error names what is missing."""
    edit(results, lambda lines: lines[0].pop("service"), seals=True)

    assert "line 1: not what a session began with ('service'); was it changed?" in changed(results)[0]


def test_what_a_broker_over_tcp_answered_is_judged_again(tmp_path: Path) -> None:
    """Requests and verdicts are the same on a recorded wall clock."""
    results = tmp_path / "results"
    with serve_command(tmp_path, system="pulsar") as served:
        place = ["--service-url", f"pulsar://127.0.0.1:{served.port}", "--admin-url", f"http://127.0.0.1:{served.admin_port}"]
        fencepost("run", "pulsar", *place, "--only", "PIP31-22,PIP31-29", "--no-html", "--results", results, expect=0)

    found = verifying.verify(results, read(results))

    assert found.changed == []
    assert found.again == len(list((results / "exchanges").iterdir()))


def test_a_red_is_shown_as_frames(broken: Path, tmp_path: Path) -> None:
    """A field is a line, and admin calls are text; a file that is no recording is refused."""
    frames = fencepost("replay", broken, "PIP31-22", "--scenario", 1, "--format", "frames", expect=0).out

    assert "connection 1: CONNECT\n" in frames
    assert re.search(r"^08 [0-9a-f]{2} +# type: END_TXN$", frames, re.MULTILINE)
    assert "# end_txn.txnid_least_bits: " in frames
    assert ". admin call 1: PUT /admin/v2/persistent/public/default/" in frames

    copy = shutil.copytree(broken, tmp_path / "copy")
    (path,) = (copy / "exchanges").glob(f"{RED}*")
    path.write_bytes(gzip.compress(json.dumps({"protocol": "pulsar"}).encode() + b"\n" + b'{"kind": "sent"}\n'))
    with pytest.raises(WrongUsage, match="line 2: not an exchange"):
        replaying.show(copy, "PIP31-22", 1, "frames", None)
