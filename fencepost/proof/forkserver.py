"""Processes that play scenarios, forked from one that is ready: to import and read all would take longer than most plays."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext
from multiprocessing.pool import Pool

from fencepost.run import interruption


def forking() -> ForkServerContext:
    """How to start them. The process that they are forked from has imported everything, and played a few scenarios."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fencepost.proof.forkserver_preload", "fencepost.proof.defect_proof"])
    return context


@contextmanager
def pool(workers: int, tasks: int = 1) -> Iterator[Pool]:
    """So many of them at a time, another one after so many tasks, until the end. None of them acts on a terminal's Ctrl-C, which reaches
    them too.
    """
    with interruption.unheard():
        made = forking().Pool(workers, maxtasksperchild=tasks)
    with made:
        yield made
