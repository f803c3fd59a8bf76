"""`fencepost serve`: the reference on loopback sockets, in real time, until it is told to end."""

import asyncio
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.reference.kafka import Address, Profile, ReferenceKafka, Settings
from fencepost.reference.pulsar import PulsarProfile, ReferencePulsar
from fencepost.reference.serving.kafka import KafkaConnection
from fencepost.reference.serving.pulsar import Outgoing, PulsarConnection
from fencepost.reference.serving.pulsar_admin import AdminConnection
from fencepost.reference.serving.server import HOST, Meet, Server, allow_many_files, follow_the_wall_clock, listen

KAFKA, PULSAR = SYSTEMS = ("kafka", "pulsar")
_KAFKA_PORT, _PULSAR_PORT, _ADMIN_PORT = 9092, 6650, 8080


@dataclass(frozen=True)
class _Offer:
    """A reference that can be served: who answers at which socket, how its time passes, and what a user is told."""

    doors: Collection[tuple[socket.socket, Meet]]
    advance: Callable[[int], None]
    greeting: str


def serve(system: str, port: int | None, admin_port: int | None, profile: str, properties: Iterable[str]) -> int:
    """Serve until Ctrl-C or a polite kill."""
    if system not in SYSTEMS:
        raise UnknownName("system to serve", system, SYSTEMS)
    known = Profile.names() if system == KAFKA else PulsarProfile.names()
    if profile not in known:
        raise UnknownName("profile", profile, known)
    if system == KAFKA and admin_port is not None:
        raise WrongUsage("--admin-port is for pulsar; Kafka has no admin interface beside its protocol")
    if system == PULSAR and properties:
        raise WrongUsage("--set is for kafka; the Pulsar reference has no settings beside its profile")
    settings = _settings(properties)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    allow_many_files()
    with ExitStack() as open_sockets:
        binary = open_sockets.enter_context(_listen("--port", _or(port, _KAFKA_PORT if system == KAFKA else _PULSAR_PORT)))
        if system == KAFKA:
            offer = _kafka(binary, profile, settings)
        else:
            admin = open_sockets.enter_context(_listen("--admin-port", _or(admin_port, _ADMIN_PORT)))
            offer = _pulsar(binary, admin, profile)
        asyncio.run(_serve(offer))
    return 0


def _or(given: int | None, default: int) -> int:
    return default if given is None else given


def _listen(option: str, port: int) -> socket.socket:
    try:
        return listen(port)
    except OSError as error:
        raise WrongUsage(
            f"{option} {port}: {HOST}:{port} cannot be had: {os.strerror(error.errno or 0)}; choose another port, or 0 for a free one"
        ) from error


def _settings(properties: Iterable[str]) -> Settings:
    given = dict(text.partition("=")[::2] for text in properties)
    for name in given:
        if name not in Settings.names():
            raise UnknownName("setting", name, Settings.names())
    try:
        return Settings.of(given)
    except ValueError as error:
        raise WrongUsage(f"--set {' --set '.join(properties)}: expected NAME=VALUE with a number: {error}") from error


def _kafka(listener: socket.socket, profile: str, settings: Settings) -> _Offer:
    port = listener.getsockname()[1]
    broker = ReferenceKafka(Profile.load(profile), settings=settings, address=Address(HOST, port), now_ms=_now_ms())
    return _Offer(
        [(listener, lambda memory, reader, writer: KafkaConnection(broker, memory, reader, writer))],
        broker.advance,
        f"The reference, profile {profile}, serves Kafka's protocol on {HOST}:{port}; try: fencepost run kafka --bootstrap {HOST}:{port}",
    )


def _pulsar(binary: socket.socket, admin: socket.socket, profile: str) -> _Offer:
    service_url = f"pulsar://{HOST}:{binary.getsockname()[1]}"
    admin_url = f"http://{HOST}:{admin.getsockname()[1]}"
    broker = ReferencePulsar(PulsarProfile.load(profile), service_url=service_url, now_ms=_now_ms())
    outgoing = Outgoing()

    def advance(ms: int) -> None:
        try:
            broker.advance(ms)
        finally:
            outgoing.flush()

    return _Offer(
        [
            (binary, lambda memory, reader, writer: PulsarConnection(broker, outgoing, memory, reader, writer)),
            (admin, lambda memory, reader, writer: AdminConnection(broker, outgoing, memory, reader, writer)),
        ],
        advance,
        f"The reference, profile {profile}, serves Pulsar's protocol at {service_url} and its admin calls at {admin_url}; "
        f"try: fencepost run pulsar --service-url {service_url} --admin-url {admin_url}",
    )


def _now_ms() -> int:
    return round(time.time() * 1000)


async def _serve(offer: _Offer) -> None:
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
