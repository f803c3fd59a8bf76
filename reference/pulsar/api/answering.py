"""How coordinators answer: every answer has the number of its request, a refusal also a code and a text."""

from collections.abc import Mapping
from typing import Any

from fencepost.reference.pulsar.server_errors import CommandRefused

from .peer import Peer, code


def done(peer: Peer, response: Any, command: Any, fields: Mapping[str, int]) -> Any:
    """The answer to an executed request."""
    return response(request_id=peer.node.answers.request_named(command.request_id, is_refusal=False), **fields)


def refusal(peer: Peer, response: Any, command: Any, refused: CommandRefused, fields: Mapping[str, int]) -> Any:
    """The answer to a refused request."""
    return response(
        request_id=peer.node.answers.request_named(command.request_id, is_refusal=True),
        error=code(refused.error),
        message=refused.message,
        **fields,
    )
