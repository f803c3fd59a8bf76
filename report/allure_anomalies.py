"""An anomaly in the history of a green scenario, as a failed result of its own beside the scenario."""

import time
from uuid import NAMESPACE_URL, uuid4, uuid5

from allure_commons import plugin_manager
from allure_commons.model2 import Label, Status, StatusDetails, TestResult
from allure_commons.types import LabelType

from fencepost.contract.anomalies import ReportedAnomaly
from fencepost.contract.register import Register

from .allure_steps import place_of


def tell(reported: ReportedAnomaly, register: Register) -> None:
    """Hand the anomaly to Allure; nobody hears it where the run writes no Allure results."""
    epic, feature = place_of(register, reported.scenario.requirement)
    labels = {
        LabelType.EPIC: epic,
        LabelType.FEATURE: feature,
        LabelType.SEVERITY: "critical",
        LabelType.TAG: reported.finding.anomaly,
    }
    same = str(uuid5(NAMESPACE_URL, reported.title))
    now = int(time.time() * 1000)
    result = TestResult(
        uuid=str(uuid4()),
        historyId=same,
        testCaseId=same,
        fullName=reported.title,
        name=f"{reported.scenario.name}: {reported.finding.anomaly} in its history",
        status=Status.FAILED,
        statusDetails=StatusDetails(message=reported.finding.witness),
        description=f"{reported.counts}; every witness is drawn in check/index.html, beside compliance.json.",
        labels=[Label(name=name, value=value) for name, value in labels.items()],
        start=now,
        stop=now,
    )
    plugin_manager.hook.report_result(result=result)
