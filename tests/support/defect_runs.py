"""The suite on broken references, by its plays, each in a forked process that has imported everything."""

from collections.abc import Iterable

WORKERS = 2


def judged_of_all(defects: Iterable[str], only: tuple[str, ...] = ()) -> dict[str, dict[str, str]]:
    """What everything that binds such a broker, or only what is named, says of the reference with each of these defects: requirement to
    verdict."""
    from fencepost.proof import forkserver

    with forkserver.pool(WORKERS) as pool:
        tasks = [(defect, only) for defect in defects]
        return {defect: verdicts for (defect, _), verdicts in pool.as_they_end(_judged, tasks, lambda task: task[0])}


def _judged(task: tuple[str, tuple[str, ...]]) -> dict[str, str]:
    from fencepost.contract.registration import SpecifiedSystem
    from fencepost.contract.verdict import ScenarioResult, judge
    from fencepost.run.options import RunOptions
    from fencepost.run.plays import Plays
    from fencepost.run.selection import Selection

    defect, only = task
    found: dict[str, list[ScenarioResult]] = {}
    with Plays(RunOptions(asked=SpecifiedSystem({"defect": defect}), selection=Selection(only=only))) as plays:
        for play in plays:
            found.setdefault(play.requirement, []).append(plays.judge(play).result)
    return {requirement: judge(requirement, results).verdict.value for requirement, results in found.items()}
