"""`fencepost serve`: the reference on a loopback socket, in real time, until it is told to end."""

import asyncio
import logging
import os
import signal
import socket
import time
from collections.abc import Iterable

from fencepost.adapters.ports import UnknownName, WrongUsage
from fencepost.reference.kafka import Address, Profile, ReferenceKafka, Settings
from fencepost.reference.serving.server import HOST, Server, allow_many_files, follow_the_wall_clock, listen

SYSTEMS = ("kafka",)


def serve(system: str, port: int, profile: str, properties: Iterable[str]) -> int:
    """Serve until Ctrl-C or a polite kill."""
    if system not in SYSTEMS:
        raise UnknownName("system to serve", system, SYSTEMS)
    if profile not in Profile.names():
        raise UnknownName("profile", profile, Profile.names())
    settings = _settings(properties)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    allow_many_files()
    try:
        listener = listen(port)
    except OSError as error:
        raise WrongUsage(
            f"--port {port}: {HOST}:{port} cannot be had: {os.strerror(error.errno or 0)}; choose another port, or 0 for a free one"
        ) from error
    with listener:
        asyncio.run(_serve(listener, profile, settings))
    return 0


def _settings(properties: Iterable[str]) -> Settings:
    given = dict(text.partition("=")[::2] for text in properties)
    for name in given:
        if name not in Settings.names():
            raise UnknownName("setting", name, Settings.names())
    try:
        return Settings.of(given)
    except ValueError as error:
        raise WrongUsage(f"--set {' --set '.join(properties)}: expected NAME=VALUE with a number: {error}") from error


async def _serve(listener: socket.socket, profile: str, settings: Settings) -> None:
    ended = asyncio.Event()
    for ending in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(ending, ended.set)
    port = listener.getsockname()[1]
    broker = ReferenceKafka(Profile.load(profile), settings=settings, address=Address(HOST, port), now_ms=round(time.time() * 1000))
    work = [
        asyncio.create_task(Server(broker).serve(listener)),
        asyncio.create_task(follow_the_wall_clock(broker.advance)),
        asyncio.create_task(ended.wait()),
    ]
    print(
        f"The reference, profile {profile}, serves Kafka's protocol on {HOST}:{port}; "
        f"try: fencepost run kafka --bootstrap {HOST}:{port} (Ctrl-C ends it)",
        flush=True,
    )
    await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    for task in work:
        task.cancel()
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
