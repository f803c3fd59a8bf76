"""What laws that span logs read of each log: slim columns, made where whole logs are (`History.once`), and joined where all of them are.

    run  log  unit  op  v  read     MaybeTorn: x and y are logs of one run, and may be held by two tasks
    r    x       0   0  a  yes
    r    y       0   1  b  no

Where a history is too large for one task, most of these rows say nothing: a row that *asks* is one by which a law may be broken, and only
what belongs to such a row is joined with it (`belong`). In the table that moves, words stand in place of their numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import Flags, Ints
from .segmented import among

if TYPE_CHECKING:
    from .history import History

_WORDS = ("run", "log", "v", "grp", "mkey", "process")
_FLAG = "Flags"


class Columns:
    """Columns of one length."""

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))

    def where(self, which: Flags | Ints) -> Self:
        """These rows of them."""
        return type(self)(**{name: column[which] for name, column in vars(self).items()})


class Facts(Columns):
    """Facts of one kind, a dataclass of columns."""

    by: ClassVar[Sequence[str]] = ("run",)
    """Rows that are alike in these are judged together."""
    key: ClassVar[Sequence[str]] = ()
    """Rows that are alike in these belong together; nothing where every row is needed."""
    of_kind: ClassVar[str] = "send"
    """The kind of records by which `key` is known, which they have too."""

    run: Ints

    @classmethod
    def of(cls, history: "History") -> Self:
        """All facts of a history."""
        raise NotImplementedError

    @property
    def asks(self) -> Flags:
        """Which rows may break the law, with others that belong to them."""
        return np.ones(len(self), np.bool_)

    @classmethod
    def may_belong(cls, records: pa.Table, asking: pa.Table) -> bool:
        """Whether facts of these records, which are as they are stored, may belong to those that ask."""
        if not cls.key:
            return False
        name = cls.key[-1]
        alike = pc.and_(pc.equal(records["kind"], cls.of_kind), pc.is_in(records[name], pc.unique(asking[name])))
        found: bool = pc.any(alike).as_py()
        return bool(found)

    def belong(self, asking: Self) -> Flags:
        """Which rows belong to one of those that ask, wherever they are."""
        return among([getattr(self, name) for name in self.key], [getattr(asking, name) for name in self.key])


def table(facts: Facts, history: "History") -> pa.Table:
    """These facts with words for numbers, as another task can read them."""
    return pa.table({name: _texts(name, column, history) for name, column in vars(facts).items()}, columns(type(facts)))


def columns(kind: type[Facts]) -> pa.Schema:
    """The columns of facts of a kind, as they move."""
    return pa.schema([(field.name, _type(field.name, str(field.type))) for field in fields(kind)])  # type: ignore[arg-type]


def _type(name: str, said: str) -> pa.DataType:
    if name in _WORDS:
        return pa.string()
    return pa.bool_() if said == _FLAG or "bool" in said else pa.int64()


def _texts(name: str, column: Ints | Flags, history: "History") -> pa.Array:
    if name not in _WORDS:
        return pa.array(column)
    words: Mapping[str, Sequence[str]] = {
        "run": history.ops.runs,
        "log": [log for _, log in history.logs.keys],
        "v": history.records.v.words,
        "grp": history.ops.grp.words,
        "mkey": history.records.mkey.words,
        "process": history.ops.process.words,
    }
    encoded = pa.DictionaryArray.from_arrays(pa.array(column, mask=column < 0), pa.array(words[name], pa.string()))
    return encoded.cast(pa.string())


def codes(column: pa.ChunkedArray, words: pa.Array) -> Ints:
    """The places of these texts among the words, or -1."""
    found: Ints = pc.fill_null(pc.index_in(column, words), -1).cast(pa.int64()).to_numpy()
    return found
