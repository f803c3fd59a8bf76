"""The reference on a loopback socket, which answers what no broker would answer, in whole and well-formed frames.

`NONSENSE` changes all answers except those that say which broker it is and where it listens:

* `empty-lists`: every list is empty, so what was asked about is missing
* `doubled-lists`: every list has everything twice
* `one-error-for-all`: every error code is UNKNOWN_SERVER_ERROR, with other fields that look like success
* `no-numbers`: every number is -1
* `no-text`: every text is empty

And it can send true answers in a bad manner: hang up after each, or take its time.
"""

import dataclasses
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from kio.schema.errors import ErrorCode
from lying_broker import LyingBroker

from fencepost.wire.kafka.entities import api_of

Nonsense: TypeAlias = Callable[[str, Any], Any]

_LEFT_ALONE = frozenset({"api_versions", "metadata", "find_coordinator", "create_topics"})
_SLOW_S = 0.15


def _numbers(_: str, value: Any) -> Any:
    return type(value)(-1) if isinstance(value, int) and not isinstance(value, bool | ErrorCode) else value


NONSENSE: dict[str, Nonsense] = {
    "empty-lists": lambda _, value: () if isinstance(value, tuple) else value,
    "doubled-lists": lambda _, value: value + value if isinstance(value, tuple) else value,
    "one-error-for-all": lambda _, value: ErrorCode.unknown_server_error if isinstance(value, ErrorCode) else value,
    "no-numbers": _numbers,
    "no-text": lambda _, value: "" if isinstance(value, str) else value,
}


class NonsenseBroker(LyingBroker):
    """Listens while the `with` block lasts."""

    def __init__(self, nonsense: str | None = None, *, hangs_up: bool = False, is_slow: bool = False) -> None:
        super().__init__("api_versions", lambda frame: frame)
        self._nonsense = NONSENSE[nonsense] if nonsense else None
        self.hangs_up, self._is_slow = hangs_up, is_slow

    def answer(self, frame: bytes) -> bytes | None:
        if self._is_slow:
            time.sleep(_SLOW_S)
        return super().answer(frame)

    def _at_home(self, entity: Any) -> Any:
        true = super()._at_home(entity)
        return true if self._nonsense is None or api_of(true) in _LEFT_ALONE else self._spoilt(true)

    def _spoilt(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(self._spoilt(item) for item in value)
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return value
        assert self._nonsense is not None
        parts = {field.name: self._spoilt(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: self._nonsense(name, part) for name, part in parts.items()})
