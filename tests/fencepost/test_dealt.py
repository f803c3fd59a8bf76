"""Each worker gets the scenarios that were dealt to it; those left by a worker that died go to the next one that starts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commands import fencepost
from foreign_packages import SYSTEM, install

from fencepost.console.progress import Planned
from fencepost.run.parallel.scheduler import AsDealt

IDS = [f"t::{number}" for number in range(6)]
PLAN = {nodeid: Planned("f", "R", nodeid, worker=number % 2) for number, nodeid in enumerate(IDS)}

CARES = SYSTEM.replace(
    "class TinySystem",
    '''
import os
from pathlib import Path


class Caring(Tiny):
    """Has the scenarios of the core asked by the second worker, and tells what each was prepared for and asked."""

    def share_machine(self, workers):
        self.notify_of_workers = workers

    def deal(self, scenarios, workers):
        return [int(one.feature.startswith("core")) for one in scenarios]

    def prepare(self, needs=()):
        super().prepare(needs)
        if needs:
            (Path(os.environ["TOLD"]) / f"{os.getpid()}-prepared").write_text(f"{len(needs)} of {self.notify_of_workers}")

    def session(self, title, needs=frozenset()):
        with (Path(os.environ["TOLD"]) / f"{os.getpid()}-asked").open("a") as file:
            file.write("x")
        return super().session(title, needs)


class TinySystem''',
).replace('{"kafka": Tiny(', '{"kafka": Caring(')


@dataclass(eq=False)
class Node:
    """A worker, as far as a scheduler has to do with it."""

    gateway: Any
    sent: list[int] = field(default_factory=list)
    shutting_down: bool = False

    def send_runtest_some(self, indices: Sequence[int]) -> None:
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def node(number: int) -> Node:
    return Node(SimpleNamespace(id=f"gw{number}"))


def scheduled(*nodes: Node) -> AsDealt:
    config: Any = SimpleNamespace(
        getvalue=lambda name: ["popen"] * len(nodes) if name == "tx" else None,
        option=SimpleNamespace(loadscopereorder=True),
        hook=None,
    )
    scheduler = AsDealt(config, None, lambda: PLAN)
    for one in nodes:
        scheduler.add_node(one)  # type: ignore[arg-type]  # the part of it that matters
        scheduler.add_node_collection(one, IDS)  # type: ignore[arg-type]
    scheduler.schedule()
    return scheduler


def test_each_worker_gets_what_was_dealt_to_it() -> None:
    """In whatever order the workers come, and in the order of the run."""
    second, first = node(1), node(0)
    scheduled(second, first)

    assert (first.sent, second.sent) == ([0, 2, 4], [1, 3, 5])


def test_what_a_dead_worker_left_is_the_next_one_s() -> None:
    """But for the scenario that it died in, which is not asked again."""
    first, second, stand_in = node(0), node(1), node(2)
    scheduler = scheduled(first, second)
    scheduler.mark_test_complete(first, 0)  # type: ignore[arg-type]

    died_in = scheduler.remove_node(first)  # type: ignore[arg-type]
    scheduler.add_node(stand_in)  # type: ignore[arg-type]
    scheduler.add_node_collection(stand_in, IDS)  # type: ignore[arg-type]
    scheduler.schedule()

    assert died_in == IDS[2]
    assert stand_in.sent == [4]


def test_a_worker_that_died_with_its_last_scenario_leaves_nothing() -> None:
    """So the run ends."""
    first, second = node(0), node(1)
    scheduler = scheduled(first, second)
    for index in (0, 2):
        scheduler.mark_test_complete(first, index)  # type: ignore[arg-type]

    assert scheduler.remove_node(first) == IDS[4]  # type: ignore[arg-type]
    assert not scheduler.workqueue


def test_a_system_that_cares_is_asked_as_it_wishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker prepares only for its own scenarios, and is asked these."""
    packages, reported = tmp_path / "packages", tmp_path / "reported"
    packages.mkdir()
    reported.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.setenv("TOLD", str(reported))
    install(packages, module=CARES)

    few = ("--only", "CORE-02,KIP890-060,KIP890-061")
    fencepost("run", "tiny", "--set-system", "address=x:1", *few, "-n", "2", "--no-html", "--results", tmp_path / "r", expect=0)

    asked = {len(path.read_text(encoding="utf-8")) for path in reported.glob("*-asked")}
    prepared = {path.read_text(encoding="utf-8") for path in reported.glob("*-prepared")}
    found = json.loads((tmp_path / "r" / "compliance.json").read_text(encoding="utf-8"))["requirements"]
    counts = [sum(len(one["scenarios"]) for one in found if one["id"].startswith(spec)) for spec in ("CORE", "KIP")]
    # Each opened system is asked once more, for whether it has all of its port.
    assert asked == {count + 1 for count in counts}
    assert prepared == {f"{count} of 2" for count in counts}
