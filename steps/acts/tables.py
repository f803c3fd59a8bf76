"""Which proposals have acts."""

from typing import Any

from fencepost.contract.errors import WrongUsage

from . import core, kip890, pip31, pip460, pip471, transaction_key
from .act import Table

_ALL = (core, kip890, pip31, pip460, pip471, transaction_key)
TABLES: dict[str, Table[Any]] = {part.TABLE.spec: part.TABLE for part in _ALL}
"""By the names of the proposals."""


def table_of(spec: str) -> Table[Any]:
    """The acts of a proposal. Raises WrongUsage where none are known."""
    if spec not in TABLES:
        raise WrongUsage(f"--spec {spec}: no acts are known of it; expected {', '.join(TABLES)}")
    return TABLES[spec]
