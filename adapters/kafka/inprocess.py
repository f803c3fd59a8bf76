"""The same transport without bytes: the request entity is handed to a broker that lives in this process."""

from typing import Protocol

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.ports import Done, Unknown
from fencepost.wire.kafka.entities import api_of, title


class Broker(Protocol):
    """A function from request to response entity; None where a broker would have closed the connection."""

    def handle(self, request: RequestPayload) -> ResponsePayload | None:
        """Answer one request."""
        ...


class InProcessTransport:
    """A way to a broker that answers at once or never."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    def call(self, request: RequestPayload, deadline_s: float) -> Done[ResponsePayload] | Unknown:  # noqa: ARG002 - nothing takes time here
        """Hand the request over."""
        answer = self._broker.handle(request)
        if answer is None:
            asked = f"{title(api_of(request))} v{request.__version__}"
            return Unknown(f"the broker closed the connection instead of answering {asked}", lost=True)
        return Done(answer)

    def close(self) -> None:
        """There is nothing to give back."""
