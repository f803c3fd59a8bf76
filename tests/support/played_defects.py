"""Defects of the reference, each asked its own requirements, for what their histories show: played in forked processes without a pytest
session, as `fencepost prove` plays them, and judged there.
"""

import json
from collections.abc import Mapping

WORKERS = 2
AT_A_TIME = 16
"""How many of them a process plays: starting one takes as long as playing some."""


def anomalies_of_all(due: Mapping[str, set[str]]) -> dict[str, tuple[bool, set[str]]]:
    """Play these defects, each until something was violated and its histories have shown the anomalies that are due. The answer has for
    each whether anything was violated, and the anomalies that were shown.
    """
    from fencepost.proof import forkserver

    with forkserver.pool(WORKERS, AT_A_TIME) as pool:
        return {defect: shown for (defect, _), shown in pool.as_they_end(_play, [*due.items()], lambda task: task[0])}


def _play(task: tuple[str, set[str]]) -> tuple[bool, set[str]]:
    from fencepost.contract.registration import SpecifiedSystem
    from fencepost.contract.verdict import Verdict
    from fencepost.pipeline.laws.judge import judge
    from fencepost.reference.defects import DEFECTS
    from fencepost.run.options import RunOptions
    from fencepost.run.plays import Plays
    from fencepost.run.selection import Selection

    defect, due = task
    is_red, anomalies = False, set[str]()
    with Plays(RunOptions(asked=SpecifiedSystem({"defect": defect}), selection=Selection(only=tuple(DEFECTS[defect].breaks)))) as plays:
        for play in plays:
            shown = plays.judge(play)
            is_red |= shown.result.verdict is Verdict.VIOLATED
            anomalies |= judge(json.loads(json.dumps(event)) for event in shown.history).keys()
            if is_red and due <= anomalies:
                break
    return is_red, anomalies
