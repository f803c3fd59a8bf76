"""Processes that play scenarios, forked from one that is ready: to import and read all would take longer than most plays."""

import multiprocessing
from multiprocessing.context import ForkServerContext


def forking() -> ForkServerContext:
    """How to start them. The process that they are forked from has imported everything, and played a few scenarios."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fencepost.adapters.engines", "fencepost.proof.forkserver_preload", "fencepost.proof.defect_proof"])
    return context
