"""Pulsar's error codes as outcomes, and those that a conforming raw client retries."""

from typing import Any

from fencepost.contract.outcomes import Outcome, Refused
from fencepost.wire.pulsar.messages_pb2 import ServerError as Error

NOT_READY: frozenset[int] = frozenset({Error.ServiceNotReady, Error.TooManyRequests})
"""The broker, or the topic's new owner, is not ready yet."""

LOOKING: frozenset[int] = NOT_READY | {Error.MetadataError, Error.PersistenceError}
"""Retried while looking for a broker: after a crash the metadata is available before the storage."""

TO_COORDINATOR: frozenset[int] = NOT_READY | {Error.TransactionCoordinatorNotFound}
"""Retried at a coordinator that exists: it is being loaded."""

OPENING: frozenset[int] = LOOKING | {Error.ConsumerBusy, Error.ProducerBusy, Error.UnknownError}
"""Retried when a producer or a consumer is made: after a crash the storage is not available at once, the former producer or consumer may
not have gone yet, and while a broker reads the policies of a namespace after its unload, Pulsar 5.0.0-M1 answers UnknownError.
"""

UNDECIDED: frozenset[int] = frozenset({Error.UnknownError, Error.MetadataError, Error.PersistenceError})
"""Errors that leave open whether a write was done; for a read they are refusals like others."""


def was_not_recovered(outcome: Outcome[Any]) -> bool:
    """Whether the topic refused a message before its transaction buffer was recovered, and so wrote nothing: a client sends it again.

    Pulsar 5.0.0-M1 does so after a topic was unloaded twice. The error is PersistenceError, and only its text has the cause.
    """
    return (
        isinstance(outcome, Refused)
        and outcome.code == Error.PersistenceError
        and "ServiceUnitNotReadyException" in (outcome.message or "")
    )


def refused(code: int, message: str | None = None) -> Refused:
    """The refusal with an answer's error code."""
    return Refused(Error.Name(code), code, message or None)
