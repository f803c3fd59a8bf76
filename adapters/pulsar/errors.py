"""Pulsar's error codes, as outcomes, and which of them a conforming raw client answers by asking again."""

from fencepost.contract.outcomes import Refused
from fencepost.wire.pulsar.messages_pb2 import ServerError as Error

NOT_READY: frozenset[int] = frozenset({Error.ServiceNotReady, Error.TooManyRequests})
"""The broker, or the topic's new owner, is not there yet."""

LOOKING: frozenset[int] = NOT_READY | {Error.MetadataError, Error.PersistenceError}
"""Asked again when a broker is looked for: after a crash the metadata comes back before the storage."""

TO_COORDINATOR: frozenset[int] = NOT_READY | {Error.TransactionCoordinatorNotFound}
"""Asked again of a coordinator that exists: it is being loaded."""

OPENING: frozenset[int] = LOOKING | {Error.ConsumerBusy, Error.ProducerBusy, Error.UnknownError}
"""Asked again when a producer or a consumer is made: storage comes back after a crash, the one before has not quite gone, and while the
policies of a namespace are read after its unload, Pulsar 5.0.0-M1 says UnknownError."""

UNDECIDED: frozenset[int] = frozenset({Error.UnknownError, Error.MetadataError, Error.PersistenceError})
"""To a write, these leave open whether it was done; to a read they are refusals like others."""


def refused(code: int, message: str | None = None) -> Refused:
    """The refusal that an answer's error code stands for."""
    return Refused(Error.Name(code), code, message or None)
