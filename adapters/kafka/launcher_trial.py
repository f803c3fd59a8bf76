"""A trial of each line of a launcher file: start, stop, start again with the same data, kill, pause, resume, further nodes, settings.

A line that does not work here would make scenarios inconclusive, or worse: a broker that was not killed has not crashed.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fencepost.adapters.common.container_broker import Starting
from fencepost.adapters.common.launcher import CANNOT, LauncherFile
from fencepost.contract.errors import Malformed, NotOffered, SystemUnreachable
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done
from fencepost.contract.trials import TriedLine

from .handshake import ask
from .launched_broker import LaunchedKafka
from .launched_settings import Launched
from .reach import connect

_TROUBLE = (SetUpFailed, SystemUnreachable, NotOffered, Malformed)
_ASKED_WITHIN_S = 2.0
_TOPIC_OF = {"stop": "fencepost-doctor-stop", "kill": "fencepost-doctor-kill"}
_PAUSED = 1


def tried(file: LauncherFile, had: Launched, patience_s: float, folder: Path) -> Iterator[TriedLine]:
    """The result of each line; no process is left running. If the broker does not start, the other lines are not tried."""
    launcher, default = file.launcher, had.settings.default_configuration

    def broker(configuration: str) -> LaunchedKafka:
        return LaunchedKafka(file, had.settings, configuration, patience_s, folder / f"doctor-{configuration}", 0, Starting())

    first = broker(default)
    try:
        begun = _try("start", lambda: _served(first))
        yield begun
        if not begun.works:
            return
        for line in ("stop", "kill"):
            if getattr(launcher, line) == CANNOT:
                yield TriedLine(line, True, "cannot, as the file says")
            elif launcher.keeps_data:
                yield _try(line, lambda line=line: _down_and_back(first, line))  # type: ignore[misc]  # mypy does not infer the default
            else:
                yield TriedLine(line, True, "not tried: the file says that the broker keeps no data, so no scenario needs it")
        if launcher.can_pause:
            yield _try("pause, resume", lambda: _paused(first))
        else:
            yield TriedLine("pause, resume", True, "cannot, as the file says")
    finally:
        first.close()
    for name in had.settings.configurations:
        if name != default:
            other = broker(name)
            try:
                yield _try(f"settings of {name}", lambda other=other: _served(other))  # type: ignore[misc]
            finally:
                other.close()


def _try(line: str, act: Callable[[], str]) -> TriedLine:
    try:
        return TriedLine(line, True, act())
    except _TROUBLE as error:
        return TriedLine(line, False, str(error))


def _served(broker: LaunchedKafka) -> str:
    began = time.monotonic()
    broker.start()
    offer = broker.offer
    nodes = broker.containers.count
    return f"{nodes} node{'s' if nodes > 1 else ''}, serves after {time.monotonic() - began:.1f} s with {len(offer.apis)} APIs"


def _down_and_back(broker: LaunchedKafka, line: str) -> str:
    """Stop or kill the broker, and start it again: what was written before must be there."""
    topic = _TOPIC_OF[line]
    _expect(broker, lambda probe: probe.create_topic(topic, 1), "a topic cannot be made")
    began = time.monotonic()
    if line == "stop":
        broker.stop()
    else:
        broker.crash()
    down = time.monotonic()
    broker.restart()
    up = time.monotonic()
    _expect(broker, lambda probe: probe.topic(topic), "a topic that was made before is not there: is {data} its folder for data?")
    return f"down after {down - began:.1f} s, serves again {up - down:.1f} s after its start, with its data"


def _paused(broker: LaunchedKafka) -> str:
    """Pause node 1: it must not answer until it is resumed."""
    broker.pause(_PAUSED)
    try:
        transport = connect("doctor", broker.address)
        try:
            answered = isinstance(ask(transport, _ASKED_WITHIN_S), Done)
        finally:
            transport.close()
    finally:
        broker.resume(_PAUSED)
    if answered:
        raise SetUpFailed("node 1 answers while it is paused")
    return "answers no client while it is paused, and continues"


def _expect(broker: LaunchedKafka, act: Callable[..., object], trouble: str) -> None:
    session = broker.session(frozenset())
    try:
        outcome = act(session.client("doctor"))
    finally:
        session.close()
    if not isinstance(outcome, Done):
        raise SetUpFailed(f"{trouble}; {outcome}")
