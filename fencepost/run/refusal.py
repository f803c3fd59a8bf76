"""Ends a run that cannot be made from inside pytest, and reports the reason once."""

from typing import Protocol

import pytest

WATCHING = "fencepost-watching"
"""The name of the plugin that shows a run instead of pytest."""


class Hears(Protocol):
    """The plugin that shows a run, and reports why there was none."""

    refused: Exception | None


def refuse(config: pytest.Config, error: Exception) -> pytest.UsageError:
    """The exception to raise: it ends the run, and is reported by pytest or by the plugin that shows the run instead."""
    watching: Hears | None = config.pluginmanager.get_plugin(WATCHING)
    if watching is None:
        return pytest.UsageError(f"fencepost: {error}")
    watching.refused = error
    return pytest.UsageError()  # pytest prints each of its arguments
