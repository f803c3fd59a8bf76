"""`fencepost serve`: the reference on loopback sockets, in real time, until a signal ends it."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from fencepost.adapters import registry
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.reference.serving.offer import BrokerRequest, Served, ServedReference
from fencepost.reference.serving.server import HOST, Server, allow_many_files, follow_the_wall_clock, listen


def serve(protocol: str, ports: Mapping[str, int | None], profile: str, options: Mapping[str, Any]) -> int:
    """Serve the reference of a protocol until Ctrl-C or SIGTERM.

    `ports` has the options that name ports, and `options` the others, None if not given.
    """
    engine = registry.engine(protocol)
    if profile not in engine.profiles():
        raise UnknownName("profile", profile, engine.profiles())
    for option, value in {**ports, **options}.items():
        if value is not None and option not in (own := {*engine.served.ports, *engine.served.takes}):
            others = [name for name, served in _served().items() if option in {*served.ports, *served.takes}]
            listed = ", ".join(f"--{each}" for each in sorted(own))
            raise WrongUsage(f"--{option} is for {' and '.join(others)}; in addition to --profile, {protocol} has {listed}")
    engine.served.check(profile, options)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    allow_many_files()
    with ExitStack() as opened:
        listeners = {
            option: opened.enter_context(_listen(option, default if (given := ports.get(option)) is None else given))
            for option, default in engine.served.ports.items()
        }
        named = options.get("metadata")
        connect = opened.enter_context(registry.metadata_store(named)) if named is not None else None
        has_keys = bool(options.get("transaction-keys"))
        wanted = BrokerRequest(profile, options.get("set") or (), connect, options.get("crash-at"), has_keys)
        asyncio.run(_serve(engine.served.offer(listeners, wanted)))
    return 0


def _served() -> Mapping[str, Served]:
    """What is served, each by the first protocol that it has."""
    engines = list(registry.engines().values())
    first = {id(one.served): one for one in reversed(engines)}
    return {one.protocol: one.served for one in engines if first[id(one.served)] is one}


def _listen(option: str, port: int) -> socket.socket:
    try:
        return listen(port)
    except OSError as error:
        raise WrongUsage(
            f"--{option} {port}: {HOST}:{port} cannot be opened: {os.strerror(error.errno or 0)}; choose another port, or 0 for a free one"
        ) from error


async def _serve(offer: ServedReference) -> None:
    ended = asyncio.Event()
    for ending in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(ending, ended.set)
    work = [
        *(asyncio.create_task(Server(meet).serve(listener)) for listener, meet in offer.doors),
        asyncio.create_task(follow_the_wall_clock(offer.advance)),
        asyncio.create_task(ended.wait()),
    ]
    print(f"{offer.greeting} (Ctrl-C ends it)", flush=True)
    await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    for task in work:
        task.cancel()
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
