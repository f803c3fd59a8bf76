"""Changes a function in a running process: its code is replaced, so every holder of the function calls the changed one.

Names that other modules imported, bound methods, properties and what decorators wrap stay valid. This works for functions that have not
run yet, since nothing is run again.
"""

import gc
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

from . import reference_sources
from .mutation_sites import MutationSite


class NotApplied(Exception):
    """The place is in no known function: a bug in the kit."""


class Functions:
    """The functions of the reference in this process, as they are when this object is made."""

    def __init__(self) -> None:
        top = str(reference_sources.root().parent)
        self._by_line: dict[tuple[str, int], list[FunctionType]] = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(top):
                file = Path(one.__code__.co_filename).relative_to(top).as_posix()
                self._by_line.setdefault((file, one.__code__.co_firstlineno), []).append(one)

    def change(self, place: MutationSite, source: bytes) -> None:
        """Make the change in every function that has it. Raises NotApplied."""
        changed = compile(place.applied(source), str(reference_sources.root().parent / place.key.file), "exec")
        codes = [code for code in _codes(changed) if code.co_firstlineno == place.outermost and not code.co_name.startswith("<")]
        functions = [
            (one, code)
            for one in self._by_line.get((place.key.file, place.outermost), ())
            for code in codes
            if one.__code__.co_qualname == code.co_qualname
        ]
        if not functions:
            raise NotApplied(str(place))
        for one, code in functions:
            one.__code__ = code


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
