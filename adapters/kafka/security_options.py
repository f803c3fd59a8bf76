"""The options for reaching a Kafka broker that fencepost did not start."""

import os
from collections.abc import Mapping
from pathlib import Path

from fencepost.adapters.common.access_token import TOKEN, Token
from fencepost.adapters.common.tls import TLS_OPTIONS, Tls
from fencepost.contract.errors import WrongUsage

from .client_properties import read
from .kafka_login import BEARER, KafkaLogin
from .security import KafkaSecurity

PROPERTIES = "client-properties"
SECURITY_OPTIONS = (PROPERTIES, *TLS_OPTIONS, TOKEN)


def security_of(options: Mapping[str, str]) -> tuple[KafkaSecurity, str | None]:
    """The settings in the options, and the bootstrap addresses of a properties file. Raises WrongUsage."""
    token = Token.of(options[TOKEN]) if TOKEN in options else None
    if PROPERTIES in options:
        if own := [name for name in TLS_OPTIONS if name in options]:
            raise WrongUsage(f"--{own[0]} and --{PROPERTIES} exclude each other: the file says all of TLS")
        return read(Path(options[PROPERTIES]), token, os.environ)
    tls = Tls.of(*(options.get(name) for name in TLS_OPTIONS), takes_properties=True)
    return KafkaSecurity(tls, None if token is None else KafkaLogin(TOKEN, token, BEARER)), None
