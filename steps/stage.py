"""The state of one scenario while it is played: its session, its evidence, and what the factories of its vocabularies return.

A factory is a function that a vocabulary declares with `Vocabulary.state`; its name is the name of a parameter of steps and of other
factories, and what it returns lives as long as the scenario. A factory that yields has an end: the code after its `yield` runs when the
scenario is over, in the reverse order of creation, and the session is closed after all of them.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

from fencepost.contract.evidence import Evidence
from fencepost.contract.ports import Session

EVIDENCE, SESSION, COMPARISONS = "evidence", "session", "comparisons"
"""The state of every stage, whatever its vocabularies declare."""

Factory = Callable[..., Any]


class Compared(NamedTuple):
    """What a line compares with its state before the When: of which kind it is, such as a log, and its name in the scenario."""

    kind: str
    name: str


@dataclass
class Comparisons:
    """What the lines ahead compare with its state before the When. None where they are not known: then any of it may be compared."""

    ahead: frozenset[Compared] | None = None

    def has(self, kind: str, names: Iterable[str]) -> bool:
        """Whether a line ahead compares what has one of these names."""
        return self.ahead is None or any(Compared(kind, name) in self.ahead for name in names)


class Stage:
    """One scenario's state. Nothing of it is created before a step uses it. `close` may raise what an end of a factory raises."""

    def __init__(self, factories: Mapping[str, Factory], open_session: Callable[[], Session], evidence: Evidence | None = None) -> None:
        self.evidence = evidence or Evidence()
        self.comparisons = Comparisons()
        self.session: Session | None = None
        self._factories, self._open = factories, open_session
        self._made: dict[str, Any] = {EVIDENCE: self.evidence, COMPARISONS: self.comparisons}
        self._ends = ExitStack()

    def act(self, function: Callable[..., None], values: Mapping[str, Any]) -> None:
        """Call the function of a sentence with its values, and with the state that its other parameters name."""
        function(**{name: self.value(name) for name in parameters(function) if name not in values}, **values)

    def value(self, name: str) -> Any:
        """The state with that name. Raises LookupError where no vocabulary of the scenario declares it."""
        if name not in self._made:
            self._made[name] = self._session() if name == SESSION else self._from_factory(name)
        return self._made[name]

    def close(self) -> None:
        """End what was created, in the reverse order."""
        self._ends.close()

    def _session(self) -> Session:
        self.session = self._open()
        self._ends.callback(self.session.close)
        return self.session

    def _from_factory(self, name: str) -> Any:
        factory = self._factories.get(name)
        if factory is None:
            raise LookupError(f"no vocabulary of this scenario declares {name!r}; expected one of {', '.join(sorted(self._factories))}")
        made = factory(**{parameter: self.value(parameter) for parameter in parameters(factory)})
        if not inspect.isgeneratorfunction(factory):
            return made
        value = next(made)
        self._ends.callback(_finish, made)
        return value


@functools.cache
def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters."""
    return tuple(inspect.signature(function).parameters)


def _finish(made: Iterator[Any]) -> None:
    next(made, None)
