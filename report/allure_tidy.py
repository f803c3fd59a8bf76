"""What does not belong into a report that is passed on: the name of the machine, and pytest's own fixtures.

Allure makes up its files' names as it writes them. They are given here instead, so that they can be noted as ours before.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from allure_commons import hookimpl, plugin_manager

_PRIVATE = ("host", "thread")


class AllureTidy:
    """Sees each result before it is written. `note` is told the name of every file before."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    @hookimpl(tryfirst=True)
    def report_result(self, result: Any) -> None:
        """A report does not say on which machine it was made."""
        result.labels = [label for label in result.labels if label.name not in _PRIVATE]
        self._name(result)

    @hookimpl(tryfirst=True)
    def report_container(self, container: Any) -> None:
        """Set-up and tear-down are the kit's business; the Given are in the steps."""
        container.befores, container.afters = [], []
        self._name(container)

    @hookimpl(tryfirst=True)
    def report_globals(self, globals_item: Any) -> None:
        self._name(globals_item)

    @hookimpl(tryfirst=True)
    def report_attached_data(self, file_name: str) -> None:
        self._note(file_name)

    @hookimpl(tryfirst=True)
    def report_attached_file(self, file_name: str) -> None:
        self._note(file_name)

    def _name(self, item: Any) -> None:
        item.file_pattern = item.file_pattern.format(prefix=uuid4())
        self._note(item.file_pattern)

    def pytest_unconfigure(self) -> None:
        """Allure's hooks are the process's, not the run's: take them back."""
        plugin_manager.unregister(self)


def tidy(note: Callable[[str], None]) -> AllureTidy:
    """Begin to keep results tidy; register what is returned with pytest, so that it ends with the run."""
    found = AllureTidy(note)
    plugin_manager.register(found)
    return found
