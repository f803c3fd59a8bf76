"""What does not belong into a report that is passed on: the name of the machine, and pytest's own fixtures."""

from typing import Any

from allure_commons import hookimpl, plugin_manager

_PRIVATE = ("host", "thread")


class AllureTidy:
    """Sees each result before it is written."""

    @hookimpl(tryfirst=True)
    def report_result(self, result: Any) -> None:
        """A report does not say on which machine it was made."""
        result.labels = [label for label in result.labels if label.name not in _PRIVATE]

    @hookimpl(tryfirst=True)
    def report_container(self, container: Any) -> None:
        """Set-up and tear-down are the kit's business; the Given are in the steps."""
        container.befores, container.afters = [], []

    def pytest_unconfigure(self) -> None:
        """Allure's hooks are the process's, not the run's: take them back."""
        plugin_manager.unregister(self)


def tidy() -> AllureTidy:
    """Begin to keep results tidy; register what is returned with pytest, so that it ends with the run."""
    found = AllureTidy()
    plugin_manager.register(found)
    return found
