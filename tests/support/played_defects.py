"""Defects of the reference, each asked its own requirements, for what their histories tell: played in forked processes without a pytest
session, as `fencepost prove` plays them.
"""

from collections.abc import Iterable
from pathlib import Path

WORKERS = 2


def play_all(defects: Iterable[str], folder: Path) -> dict[str, bool]:
    """Play these; the histories of each are in `NAME/history` of the folder. The answer says of each whether anything was violated."""
    from fencepost.proof.forkserver import forking

    with forking().Pool(WORKERS, maxtasksperchild=1) as pool:
        return dict(pool.imap_unordered(_play, [(name, folder / name / "history") for name in defects]))


def _play(task: tuple[str, Path]) -> tuple[str, bool]:
    from fencepost.contract import history_files
    from fencepost.contract.registration import SpecifiedSystem
    from fencepost.contract.verdict import Verdict
    from fencepost.reference.defects import DEFECTS
    from fencepost.run.options import RunOptions
    from fencepost.run.plays import Plays
    from fencepost.run.selection import Selection

    defect, folder = task
    folder.mkdir(parents=True)
    is_red = False
    with Plays(RunOptions(asked=SpecifiedSystem({"defect": defect}), selection=Selection(only=tuple(DEFECTS[defect].breaks)))) as plays:
        for play in plays:
            shown = plays.judge(play)
            is_red |= shown.result.verdict is Verdict.VIOLATED
            if events := shown.history:
                (folder / history_files.name_of(play.run)).write_bytes(history_files.packed(events))
    return defect, is_red
