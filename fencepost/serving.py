"""`fencepost serve`: the reference on loopback sockets, in real time, until it is told to end."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from fencepost.adapters import registry
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.reference.serving.offer import Offer
from fencepost.reference.serving.server import HOST, Server, allow_many_files, follow_the_wall_clock, listen


def serve(protocol: str, ports: Mapping[str, int | None], profile: str, settings: Sequence[str]) -> int:
    """Serve the reference of a protocol until Ctrl-C or a polite kill. `ports` has the options that name ports, None where not given."""
    engine = registry.engine(protocol)
    if profile not in engine.profiles():
        raise UnknownName("profile", profile, engine.profiles())
    for option, port in ports.items():
        if port is not None and option not in engine.served.ports:
            others = [one.protocol for one in registry.engines().values() if option in one.served.ports]
            raise WrongUsage(f"--{option} is for {' and '.join(others)}; {engine.served.usage}")
    if settings and not engine.served.takes_settings:
        others = [one.protocol for one in registry.engines().values() if one.served.takes_settings]
        raise WrongUsage(f"--set is for {' and '.join(others)}; {engine.served.usage}")
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    allow_many_files()
    with ExitStack() as open_sockets:
        listeners = {
            option: open_sockets.enter_context(_listen(option, default if (given := ports.get(option)) is None else given))
            for option, default in engine.served.ports.items()
        }
        asyncio.run(_serve(engine.served.offer(listeners, profile, settings)))
    return 0


def _listen(option: str, port: int) -> socket.socket:
    try:
        return listen(port)
    except OSError as error:
        raise WrongUsage(
            f"--{option} {port}: {HOST}:{port} cannot be had: {os.strerror(error.errno or 0)}; choose another port, or 0 for a free one"
        ) from error


async def _serve(offer: Offer) -> None:
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
