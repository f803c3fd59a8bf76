"""The Kafka reference as it is served: its protocol on one port."""

import socket
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.reference.kafka import AdvertisedListener, Profile, ReferenceKafka, Settings

from .kafka import KafkaConnection
from .offer import BrokerRequest, ServedReference, now_ms
from .server import HOST

ports = {"port": 9092}
takes = frozenset({"set"})


def check(profile: str, options: Mapping[str, Any]) -> None:  # noqa: ARG001 settings are the same in all profiles
    """Its settings have names and values that Kafka knows."""
    _settings(options.get("set") or ())


def offer(listeners: Mapping[str, socket.socket], wanted: BrokerRequest) -> ServedReference:
    """A broker whose settings are given by Kafka's names for them."""
    listener = listeners["port"]
    port = listener.getsockname()[1]
    settings = _settings(wanted.settings)
    broker = ReferenceKafka(Profile.load(wanted.profile), settings=settings, address=AdvertisedListener(HOST, port), now_ms=now_ms())
    return ServedReference(
        [(listener, lambda memory, reader, writer: KafkaConnection(broker, memory, reader, writer))],
        broker.advance,
        f"The reference, profile {wanted.profile}, serves Kafka's protocol on {HOST}:{port}; "
        f"try: fencepost run kafka --bootstrap {HOST}:{port}",
    )


def _settings(properties: Sequence[str]) -> Settings:
    given = dict(text.partition("=")[::2] for text in properties)
    if bare := next((text for text in properties if "=" not in text), None):
        raise WrongUsage(f"--set {bare}: expected NAME=VALUE with a number, such as transactional.id.expiration.ms=60000")
    for name in given:
        if name not in Settings.names():
            raise UnknownName("setting", name, Settings.names())
    try:
        return Settings.of(given)
    except ValueError as error:
        raise WrongUsage(f"--set {' --set '.join(properties)}: expected NAME=VALUE with a number: {error}") from error
