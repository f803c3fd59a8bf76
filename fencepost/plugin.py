"""The pytest plugin: `pytest -p fencepost.plugin --pyargs fencepost.features`, and what `fencepost run` runs.

Two halves, so that they can be in different processes under `-n`: `Running` puts scenarios to a system and judges each;
`Reporting` collects the judgements, writes the results folder and sums up.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fencepost.adapters import registry
from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Evidence
from fencepost.contract.items import EVIDENCE, PROTOCOL
from fencepost.contract.ports import Session
from fencepost.steps import vocabularies

from . import histories, options
from .contract import register
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
        registry.check_proposals()
        vocabularies.check()
        chosen = chosen.about_system(rows)
        chosen.selection.check(rows)
        if chosen.check and not in_worker:
            histories.ready(chosen)
        if chosen.results and not in_worker:
            claim(chosen.results)
            config.option.xmlpath = config.option.xmlpath or str(chosen.results / "junit.xml")
        if not in_worker:
            config.pluginmanager.register(Reporting(chosen, rows), "fencepost-reporting")
        if not hands_out:
            config.pluginmanager.register(Running(config, chosen, rows), "fencepost-running")
            if folder := _allure_results(config, chosen):
                from fencepost.report.allure_steps import AllureSteps

                config.pluginmanager.register(AllureSteps(rows, folder), "fencepost-allure")
    except (WrongUsage, DataFileError) as error:
        raise pytest.UsageError(str(error)) from error


def _allure_results(config: pytest.Config, options: Options) -> Path | None:
    """Where Allure results go: into the results folder, or where allure-pytest was told to write."""
    told = getattr(config.option, "allure_report_dir", None)
    return Path(told) if told else options.results and options.results / "allure-results"


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
