"""How many sequences of the core's acts `fencepost explore` plays on the reference in a second of CPU.

`make bench`. For each protocol, random sequences of ten acts as `--examples` draws them, and the first ones that `--depth 3` goes through.
What an exploration needs before its first sequence is not counted.
"""

import itertools
import time
from contextlib import closing

from fencepost.adapters import registry
from fencepost.contract.registration import SpecifiedSystem
from fencepost.explore import search, walk
from fencepost.explore.disturbed import DisturbedTable
from fencepost.explore.trial import Trials
from fencepost.run.plays import seldom_collected
from fencepost.steps.acts.core import TABLE

RANDOM, TO_A_DEPTH = 300, 3_000


def main() -> None:
    for protocol, system in registry.build(registry.REFERENCE, SpecifiedSystem()).items():
        with closing(system), seldom_collected():
            disturbed = DisturbedTable.of(TABLE, protocol, system.open().capabilities, None, [])
            drawn = Trials(disturbed.table, system.session, disturbed=disturbed)
            search.drawn(drawn, 20, 10, 1, _always)
            began = time.process_time()
            count = search.drawn(drawn, RANDOM, 10, 7, _always).count
            rate = count / (time.process_time() - began)
            walked = walk.walked(Trials(TABLE.offered(system.open().capabilities), system.session), 3)
            began = time.process_time()
            by_depth = sum(1 for _ in itertools.islice(walked, TO_A_DEPTH)) / (time.process_time() - began)
        print(f"{protocol}: {rate:.0f} random sequences of ten acts, and {by_depth:.0f} to a depth of three, in a second of CPU")


def _always(_: search.SearchProgress) -> bool:
    return True


if __name__ == "__main__":
    main()
