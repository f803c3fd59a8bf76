"""How the calls of the admin interface are found by their methods and paths."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from fencepost.wire.pulsar.admin import AdminRequest

from .api.peer import Peer
from .node import PulsarNode

Act: TypeAlias = Callable[[PulsarNode, Sequence[Peer], Mapping[str, str], AdminRequest], object]
"""Executes a call: on which node, with which clients, with the parts of its path. None is answered with 204."""

_PART = "[^/]+"
_NUMBER = "[0-9]{1,20}"
_FORMS = {
    "topic": f"{_PART}/{_PART}/{_PART}",
    "namespace": f"{_PART}/{_PART}",
    "most": _NUMBER,
    "least": _NUMBER,
    "number": _NUMBER,
    "key": ".+",
    "numbers": f"{_NUMBER}(?:/{_NUMBER})*",
}


class Route(NamedTuple):
    """A call that is known here."""

    method: str
    path: re.Pattern[str]
    act: Act


def route(method: str, path: str, act: Act) -> Route:
    """`{name}` in a path is one part of it, `{topic}` is three: tenant, namespace and name. Numbers are of digits."""
    pattern = re.sub(r"{(\w+)}", lambda name: f"(?P<{name[1]}>{_FORMS.get(name[1], _PART)})", path)
    return Route(method, re.compile(pattern), act)
