"""The errors of the protocol, and how a part of the broker refuses a request. `ServerError` in the protocol's description."""

from enum import IntEnum


class ServerError(IntEnum):
    """The errors that this broker answers."""

    UNKNOWN = 0
    CONSUMER_BUSY = 5
    SERVICE_NOT_READY = 6
    TOPIC_NOT_FOUND = 11
    SUBSCRIPTION_NOT_FOUND = 12
    CONSUMER_NOT_FOUND = 13
    TOPIC_TERMINATED = 15
    PRODUCER_BUSY = 16
    INVALID_TOPIC_NAME = 17
    TRANSACTION_COORDINATOR_NOT_FOUND = 20
    INVALID_TXN_STATUS = 21
    NOT_ALLOWED = 22
    TRANSACTION_CONFLICT = 23
    TRANSACTION_NOT_FOUND = 24


class CommandRefused(Exception):
    """The request is not fulfilled, and nothing has changed."""

    def __init__(self, error: ServerError, message: str = "") -> None:
        super().__init__(f"{error.name}: {message}" if message else error.name)
        self.error, self.message = error, message
