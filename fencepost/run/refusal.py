"""How a run that cannot be made is ended from inside pytest, and told once."""

from typing import Protocol

import pytest

WATCHING = "fencepost-watching"
"""The name of the plugin that shows a run instead of pytest."""


class Hears(Protocol):
    """Whoever shows a run, and tells then why there was none."""

    refused: Exception | None


def refuse(config: pytest.Config, error: Exception) -> pytest.UsageError:
    """What to raise: it ends the run, and is told by pytest or by whoever shows the run instead of it."""
    watching: Hears | None = config.pluginmanager.get_plugin(WATCHING)
    if watching is None:
        return pytest.UsageError(f"fencepost: {error}")
    watching.refused = error
    return pytest.UsageError()  # pytest prints each of its arguments
