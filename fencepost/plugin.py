"""The pytest plugin: `pytest -p fencepost.plugin --pyargs fencepost.features`, and what `fencepost run` runs.

Two halves, so that they can be in different processes under `-n`: `Running` puts scenarios to a system and judges each;
`Reporting` collects the judgements, writes the results folder and sums up.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from fencepost.adapters import registry
from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Evidence
from fencepost.contract.items import EVIDENCE, PROTOCOL
from fencepost.contract.ports import Session
from fencepost.steps import vocabularies

from . import histories, markers, options, own_expectations
from .baseline import Baseline
from .contract import register
from .known_deviations import KnownDeviations
from .narrowed import Narrowed
from .options import Options
from .reporting import Reporting
from .results import claim
from .running import Running


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add(parser)


@pytest.hookimpl(tryfirst=True)  # before the plugins that write junit.xml and Allure results look for their options
def pytest_configure(config: pytest.Config) -> None:
    in_worker = hasattr(config, "workerinput")
    hands_out = bool(getattr(config.option, "dist", "no") != "no" and getattr(config.option, "tx", None)) and not in_worker
    try:
        chosen, rows = Options.of(config), register.bundled()
        markers.register_all(config, rows)
        registry.check_proposals()
        vocabularies.check()
        chosen = chosen.about_system(rows)
        chosen.selection.check(rows)
        if chosen.check and not in_worker:
            histories.ready(chosen)
        own = own_expectations.read(chosen.expectations, rows)
        baseline = Baseline.at(chosen.write_baseline, rows) if chosen.write_baseline and not in_worker else None
        if chosen.results and not in_worker:
            claim(chosen.results)
            config.option.xmlpath = config.option.xmlpath or str(chosen.results / "junit.xml")
            config.option.allure_report_dir = config.option.allure_report_dir or str(chosen.results / "allure-results")
        if not in_worker:
            reporting = Reporting(chosen, rows)
            reporting.results.narrowed = Narrowed.of(config, chosen)
            config.pluginmanager.register(reporting, "fencepost-reporting")
            config.pluginmanager.register(KnownDeviations(own, baseline, reporting.results), "fencepost-known-deviations")
        if not hands_out:
            config.pluginmanager.register(Running(config, chosen, rows), "fencepost-running")
            if config.option.allure_report_dir:
                from fencepost.report.allure_steps import AllureSteps
                from fencepost.report.allure_tidy import tidy

                config.pluginmanager.register(AllureSteps(rows), "fencepost-allure")
                config.pluginmanager.register(tidy(), "fencepost-allure-tidy")
    except (WrongUsage, DataFileError) as error:
        raise pytest.UsageError(str(error)) from error


@pytest.fixture
def fencepost_evidence(request: pytest.FixtureRequest) -> Evidence:
    """What the Then steps of this scenario have judged."""
    evidence: Evidence = request.node.stash[EVIDENCE]
    return evidence


@pytest.fixture
def fencepost_protocol(request: pytest.FixtureRequest) -> str:
    """The protocol under which this scenario is asked; a parameter where there are several."""
    protocol: str = request.node.stash[PROTOCOL]
    return protocol


@pytest.fixture
def fencepost_session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """This scenario's own view of the system under test."""
    running: Any = request.config.pluginmanager.get_plugin("fencepost-running")
    session = running.open_session(request.node)
    yield session
    session.close()
    running.keep_history(request.node, session)
