"""How many of the bundled defects exploration finds: `python benchmarks/explored_defects.py [PROTOCOL ...] [--examples N] [--seed S]`.

For each defect of the reference that breaks a requirement of the core: after how many random sequences it was found, in which seconds of
CPU, under which requirement, and the acts that are left when it was made small; then the share by protocol.
"""

import argparse
import json
import time

from fencepost.contract import register
from fencepost.contract.registration import Asked
from fencepost.explore import search
from fencepost.explore.reducing import reduced
from fencepost.explore.trial import Trials
from fencepost.judged_systems import JudgedSystems
from fencepost.options import Options
from fencepost.reference.defects import DEFECTS
from fencepost.steps.acts.core import TABLE


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("protocols", nargs="*", default=["kafka", "pulsar", "pulsar-scalable"])
    asked.add_argument("--examples", type=int, default=2_000)
    asked.add_argument("--length", type=int, default=10)
    asked.add_argument("--seed", type=int, default=1)
    options = asked.parse_args()
    told = {protocol: _found(protocol, options.examples, options.length, options.seed) for protocol in options.protocols}
    print(json.dumps(told, indent=1))


def _found(protocol: str, examples: int, length: int, seed: int) -> dict[str, float]:
    rows, found, began = register.bundled(), 0, time.process_time()
    names = [
        name for name, defect in DEFECTS.items() if defect.protocol == protocol and any(row.startswith("CORE-") for row in defect.breaks)
    ]
    for name in names:
        systems = JudgedSystems(Options(asked=Asked({"defect": name})), rows)
        systems.open({protocol: [frozenset()]})
        trials = Trials(TABLE.offered(systems.handshakes[protocol].capabilities), systems.by_protocol[protocol].session)
        start = time.process_time()
        progress = search.drawn(trials, examples, length, seed, lambda _: True)
        seconds = time.process_time() - start
        if progress.finding:
            found += 1
            small = reduced(progress.finding, lambda acts, trials=trials: trials.play(acts).finding)  # type: ignore[misc]  # of this turn
            said = f"{small.requirement} {small.how} in {len(small.acts)}: {'; '.join(small.acts)}"
        else:
            said = f"NOT FOUND, breaks {', '.join(DEFECTS[name].breaks)}"
        print(f"{name}: {progress.count} sequences, {seconds:.1f} s: {said}", flush=True)
        systems.close()
    return {"defects": len(names), "found": found, "seconds": round(time.process_time() - began, 1)}


if __name__ == "__main__":
    main()
