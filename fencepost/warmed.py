"""Processes that run the suite, forked from one that is ready: to import and read all would take longer than most runs."""

import multiprocessing
from multiprocessing.context import ForkServerContext

from .suite import PLUGINS


def forking() -> ForkServerContext:
    """How to start them. The process that they are forked from has imported everything, and run a few scenarios."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fencepost.adapters.engines", *PLUGINS, "fencepost.collected", "fencepost.prove"])
    return context
