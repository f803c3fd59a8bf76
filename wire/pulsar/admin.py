"""A call of the admin interface and its answer, for any transport: HTTP, or a function in the same process."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class AdminRequest:
    """One call: `path` begins with /admin/, `body` is sent as JSON unless it is None."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: object = None

    def __str__(self) -> str:
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return f"{self.method} {self.path}" + (f"?{query}" if query else "")


@dataclass(frozen=True)
class AdminAnswer:
    """The status and the bytes of the answer; not yet read as JSON."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
