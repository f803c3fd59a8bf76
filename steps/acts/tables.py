"""Which proposals have acts."""

from typing import Any

from . import core
from .act import Table

TABLES: dict[str, Table[Any]] = {table.spec: table for table in (core.TABLE,)}
"""By the names of the proposals."""
