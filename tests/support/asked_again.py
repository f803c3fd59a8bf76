"""A run on a real broker whose red requirements are tested again.

The tests fill a machine of two cores, on which a broker's own store may run into its timeouts. A release that breaks a promise does it
again when it is asked alone; what does it now and then is known, as a deviation with its counts.
"""

import warnings
from collections.abc import Iterable
from pathlib import Path

from commands import compliance, fencepost

from fencepost.contract.verdict import Verdict

TIMES = 2
"""How often everything red is asked again, each time of a fresh container."""


class RedOnce(UserWarning):
    """A requirement was red in a run with everything else, and then not."""


def judge_container(system: str, image: str, options: Iterable[object], results: Path) -> frozenset[str]:
    """The requirements that were red once and not again; a warning names them. The results are those of the first run.

    A row that a known deviation blocked is asked again as well, although it fails no run that is not strict.
    Fails where one is red again, and where a run is red for something else than a requirement.
    """
    command = ("run", system, "--container", image, *options)
    first = fencepost(*command, "--results", results, expect=(0, 1), timeout=1800)
    red = _red(results)
    assert red or first.code == 0, f"{' '.join(map(str, command))}: exit code 1, but nothing is red\n{first}"
    if not red:
        return frozenset()
    without = [option for option in options if not str(option).startswith("--only")]
    for time in range(TIMES):
        folder = results / f"again-{time + 1}"
        again = ("run", system, "--container", image, *without, f"--only={','.join(sorted(red))}", "--no-html")
        asked = fencepost(*again, "--results", folder, expect=(0, 1), timeout=900)
        still = _red(folder)
        assert not still, f"{' '.join(map(str, again))}: red again: {', '.join(sorted(still))}\n{asked}"
        assert asked.code == 0 or _deviates_as_known(folder), f"{' '.join(map(str, again))}: exit code {asked.code}\n{asked}"
    with warnings.catch_warnings():
        warnings.simplefilter("always", RedOnce)  # reported at the end of the tests, and no failure
        warnings.warn(f"{image}: red once, and not in {TIMES} more tries: {', '.join(sorted(red))}\n{first.out}", RedOnce, stacklevel=2)
    return red


def _deviates_as_known(results: Path) -> bool:
    """Whether all that was asked deviates as it is known to: a run in which nothing is met does not conform."""
    verdicts = {Verdict(row["verdict"]) for row in compliance(results)["requirements"]} - {Verdict.NOT_RUN, Verdict.EXCLUDED}
    return verdicts == {Verdict.KNOWN_DEVIATION}


def _red(results: Path) -> frozenset[str]:
    found = compliance(results)
    rows = {row["id"] for row in found["requirements"] if Verdict(row["verdict"]).is_red}
    anomalies = (found.get("histories") or {}).get("anomalies", ())
    return frozenset(rows | {anomaly["requirement"] for anomaly in anomalies if anomaly["red"]})
