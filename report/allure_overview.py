"""What the report's first page says of a run: which system was judged, what that offers, and the verdicts; from the files of the results
folder.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fencepost.contract import editions
from fencepost.contract.verdict import Verdict

from .allure_results import AllureWriter, unnoted

_NOT_ASKED = (Verdict.NOT_RUN, Verdict.EXCLUDED)


def verdicts(results: Path) -> dict[str, str]:
    """How many of the selected requirements were asked, and have each verdict; verdicts that none has are left out, but not `met`."""
    reported = _read(results / "compliance.json")
    totals: dict[str, int] = reported["totals"]
    asked = sum(count for verdict, count in totals.items() if verdict not in (*_NOT_ASKED, Verdict.NOT_OFFERED))
    counted = [row for row in reported["requirements"] if not row["provisional"]]
    selected = sum(row["selected"] and row["verdict"] != Verdict.EXCLUDED for row in counted)
    found = {"edition": editions.listed(reported["editions"]), "asked": f"{asked} of {selected}"}
    for verdict in Verdict:
        if verdict not in _NOT_ASKED and (totals[verdict] or verdict is Verdict.MET):
            found[verdict.words] = str(totals[verdict])
    if provisional := [
        f"{count} {Verdict(verdict).words}" for verdict, count in reported["provisional"].items() if count and verdict not in _NOT_ASKED
    ]:
        found["provisional"] = ", ".join(provisional)
    return found | ({} if reported["complete"] else {"complete": "no: the run ended before its end"})


def in_short(results: Path) -> str:
    """The verdicts in a line: `149 of 195 met, 1 known deviation, 45 not offered`."""
    totals = _read(results / "compliance.json")["totals"]
    reported = [
        f"{totals[verdict]} {verdict.words}" for verdict in Verdict if totals[verdict] and verdict not in (*_NOT_ASKED, Verdict.MET)
    ]
    return ", ".join([f"{totals[Verdict.MET]} of {sum(totals.values()) - sum(totals[verdict] for verdict in _NOT_ASKED)} met", *reported])


def is_whole(results: Path) -> bool:
    """Whether every scenario that ran was asked, and none is excused."""
    totals = _read(results / "compliance.json")["totals"]
    return not (totals[Verdict.NOT_OFFERED] or totals[Verdict.KNOWN_DEVIATION])


def write(results: Path, note: Callable[[str], None] = unnoted) -> None:
    """Write `environment.properties` among the Allure results, which every version of Allure shows."""
    AllureWriter(results / "allure-results", note).environment(facts(results))


def facts(results: Path) -> dict[str, str]:
    """The system and what it offers, the kit, and the machine without its name."""
    reported, run = _read(results / "environment.json"), _read(results / "compliance.json")
    system: dict[str, Any] = reported["system"]
    found = {name: _flat(value) for name, value in system.items() if name not in ("capabilities", "notes") and value}
    return found | {
        "offers": ", ".join(system["capabilities"]) or "nothing beyond its protocol",
        **({"notes": "; ".join(system["notes"])} if system["notes"] else {}),
        "fencepost": reported["fencepost"],
        "edition": editions.listed(run["editions"]),
        "python": reported["python"],
        "platform": f"{reported['platform']}, {reported['processors']} processors",
    }


def _flat(value: Any) -> str:
    """A value of the environment in one line."""
    match value:
        case dict():
            return ", ".join(f"{name} {_flat(inner)}" for name, inner in value.items() if inner)
        case list():
            return ", ".join(map(_flat, value))
        case _:
            return str(value)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
