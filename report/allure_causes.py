"""What is known of a red result only when the run is over: the likely cause that explains it, or the requirement that blocks it.

Results are written while the run goes on, so this is added to the copies of which the page is made. The page's tab of categories then
shows each cause first, with the requirements and scenarios that it explains, and after them what no cause explains.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from fencepost.contract.verdict import ScenarioResult, Verdict

from .allure_results import full_name, message

LABEL = "cause"


@dataclass(frozen=True)
class Grouped:
    """The causes in their order; by the full names of results, the cause of each, and the message of each that is blocked."""

    titles: tuple[str, ...] = ()
    cause_of: Mapping[str, str] = field(default_factory=dict)
    blocked: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, scenarios: Iterable[ScenarioResult], causes: Mapping[str, Mapping[str, Collection[str]]]) -> "Grouped":
        """From the scenarios of a run; `causes` has for each title the requirements that it explains, with names of scenarios."""
        titles = {(row, name): title for title, rows in causes.items() for row, names in rows.items() for name in names}
        red = [one for one in scenarios if one.verdict.is_red]
        explained = {full_name(one): titles[one.requirement, one.name] for one in red if (one.requirement, one.name) in titles}
        return cls(tuple(causes), explained, {full_name(one): message(one) for one in red if one.verdict is Verdict.BLOCKED})

    def completed(self, result: str) -> str:
        """A result, as JSON, with what is known of it now."""
        data = json.loads(result)
        name = data.get("fullName")
        if name not in self.cause_of and name not in self.blocked:
            return result
        if name in self.cause_of:
            data["labels"].append({"name": LABEL, "value": self.cause_of[name]})
        if name in self.blocked:
            _, last, rest = data["statusDetails"]["message"].partition("\nlast request")
            data["statusDetails"]["message"] = f"{self.blocked[name]}{last}{rest}"
        return json.dumps(data, ensure_ascii=False)
