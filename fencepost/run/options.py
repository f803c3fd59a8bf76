"""The options of a run, as pytest options; the command line builds the same."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from fencepost.adapters import registry
from fencepost.contract import editions, proposals, smoke
from fencepost.contract.brokers import set_most_at_once
from fencepost.contract.editions import Counting
from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import System
from fencepost.contract.register import Register
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.themes import THEMES
from fencepost.contract.verdict import Gate

from .identity import DeclaredSystem
from .selection import Selection

TEXT = "seed"
"""The profile of the reference that follows the proposals' text."""


@dataclass(frozen=True)
class RunOptions:
    """One run: the system, how to reach it, what to ask, and where the results go."""

    system: str = registry.REFERENCE
    asked: SpecifiedSystem = field(default_factory=SpecifiedSystem)
    selection: Selection = field(default_factory=Selection)
    results: Path | None = None
    html: bool = True
    check: bool = False
    gate: Gate = field(default_factory=Gate)
    named: DeclaredSystem = field(default_factory=DeclaredSystem)
    smoke: bool = False
    shuffle: int | None = None
    concurrency: int | None = None
    summary: Path | None = None
    previous: Path | None = None
    expectations: tuple[str, ...] = ()
    write_baseline: Path | None = None
    edition: str | None = None
    """The edition by which the run is judged; None for the newest."""

    @classmethod
    def of(cls, config: pytest.Config) -> "RunOptions":
        value = config.getoption
        own = {name: value(f"--{name}") for name in registry.bundled_options()}
        return cls(
            registry.named(value("--system")),
            SpecifiedSystem(given(own, value("--set-system")), value("--profile"), value("--patience"), frozenset(value("--spec"))),
            Selection.said(value("--spec"), value("--only"), value("--level"), value("--skip"), value("--theme")),
            Path(os.path.realpath(value("--results"))) if value("--results") else None,
            not value("--no-html"),
            value("--check"),
            Gate.of(value("--fail-on"), value("--strict-verdicts"), value("--max-not-offered"), value("--parity")),
            DeclaredSystem.of(value("--name"), value("--system-version"), value("--label"), value("--known-as")),
            smoke=value("--smoke"),
            shuffle=value("--shuffle"),
            concurrency=_concurrency(value("--concurrency")),
            summary=_path("--summary", value("--summary")),
            previous=_path("--previous", value("--previous")),
            expectations=tuple(value("--expectations")),
            write_baseline=_path("--write-baseline", value("--write-baseline")),
            edition=value("--edition"),
        )

    @property
    def defect(self) -> str | None:
        """The name of the variant of the reference that is judged; None for the unchanged reference and for every other system."""
        return self.asked.options.get("defect") if self.system == registry.REFERENCE else None

    @property
    def profile(self) -> str | None:
        """The profile of the reference; None for every other system."""
        return (self.asked.profile or TEXT) if self.system == registry.REFERENCE else None

    @property
    def counting(self) -> Counting:
        """What counts in the selected edition. Raises UnknownName."""
        return editions.bundled().counting(self.edition)

    def protocols(self) -> tuple[str, ...]:
        """The protocols that the system speaks. Raises UnknownName."""
        return registry.protocols_of(self.system, self.asked)

    def about_system(self, register: Register) -> "RunOptions":
        """These options with only the proposals that bind the system. Raises WrongUsage for a named one that does not."""
        spoken = self.protocols()
        if self.named.known_as:
            self.named.known_as.check(self.system, spoken)
        known = proposals.bundled()
        binding = tuple(spec for spec in register.by_spec if set(spoken) & set(known.protocols_of(spec)))
        for spec in self.selection.specs:
            if spec in register.by_spec and spec not in binding:
                raise WrongUsage(
                    f"--spec {spec} is about {' and '.join(known.protocols_of(spec))}, and {self.system} speaks {' and '.join(spoken)}; "
                    f"for it there are {', '.join(binding)}"
                )
        chosen = smoke.requirements_for(spoken) if self.smoke else ()
        return replace(self, selection=replace(self.selection, specs=self.selection.specs or binding, smoke=chosen))

    def build_systems(self) -> Mapping[str, System]:
        """The system of the options, not yet started: one for each protocol that it speaks. Raises UnknownName or WrongUsage."""
        systems = registry.build(self.system, self.asked)
        if self.concurrency is not None:
            for system in systems.values():
                set_most_at_once(system, self.concurrency)
        return systems


def _path(option: str, value: str | None) -> Path | None:
    """The path that an option names. Raises WrongUsage for an empty one, such as from an environment variable that is not set."""
    if value == "":
        raise WrongUsage(f"{option} is empty: expected a path; is the environment variable set?")
    return Path(value).resolve() if value else None


def _concurrency(most: int | None) -> int | None:
    """Raises WrongUsage if that many scenarios cannot run concurrently."""
    if most is not None and most < 1:
        raise WrongUsage(f"--concurrency {most}: expected how many scenarios are busy at once, from 1 on")
    return most


def given(own: Mapping[str, str | None], more: Iterable[str], option: str = "--set-system") -> dict[str, str]:
    """The settings of the system: from Fencepost's own options, None if one was not given, and from the `NAME=VALUE` of an option.

    Raises WrongUsage.
    """
    said = {name: value for name, value in own.items() if value is not None}
    for text in more:
        name, is_set, value = text.partition("=")
        if not (name and is_set):
            raise WrongUsage(f"{option} {text}: expected NAME=VALUE")
        if name in said:
            raise WrongUsage(f"{option} {text}: {name} is given twice, first as {said[name]}")
        said[name] = value
    return said


def add(parser: pytest.Parser) -> None:
    """Make the options known to pytest."""
    group = parser.getgroup("fencepost", "Fencepost, the conformance suite for streaming transactions")
    systems = f"{', '.join(registry.BUNDLED)}, or one that an installed package registers"
    group.addoption(
        "--system", default=registry.REFERENCE, metavar="NAME", help=f"what is judged: {systems} (default: {registry.REFERENCE})"
    )
    for name, reported in registry.bundled_options().items():
        group.addoption(f"--{name}", metavar="VALUE", help=reported)
    group.addoption(
        "--set-system", action="append", default=[], metavar="NAME=VALUE", help="any other option of the system; may be repeated"
    )
    group.addoption("--profile", metavar="NAME", help="the release profile (default: that of the system's version)")
    group.addoption(
        "--patience",
        type=float,
        default=SpecifiedSystem.patience_s,
        metavar="S",
        help="seconds to wait for an expected result; also for each answer, at most 30 for one answer (default: 20)",
    )
    group.addoption("--name", metavar="NAME", help="what the system is called in every file and report (default: the name of --system)")
    group.addoption("--system-version", metavar="VERSION", help="the system's version there (default: what the system reports)")
    group.addoption(
        "--label",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a label in every file and report, such as commit=1a2b3c; may be repeated",
    )
    group.addoption("--known-as", metavar="SYSTEM:VERSION", help="the release that it is a build of, whose bundled deviations then hold")
    group.addoption("--spec", action="append", default=[], metavar="PROPOSAL", help="only this proposal; may be repeated")
    ids = "may be repeated, may be a list such as A,B, and a pattern such as KIP890-06*"
    group.addoption("--only", action="append", default=[], metavar="ID", help=f"only this requirement; {ids}")
    group.addoption("--skip", action="append", default=[], metavar="ID", help=f"not this requirement; {ids}")
    group.addoption("--level", action="append", default=[], metavar="LEVEL", help="only MUST, SHOULD or MAY; may be repeated")
    themes = ", ".join(THEMES)
    group.addoption(
        "--theme", action="append", default=[], metavar="THEME", help=f"only what carries this tag: {themes}; a list, or repeated"
    )
    group.addoption(
        "--expectations",
        action="append",
        default=[],
        metavar="FILE",
        help="your own known deviations, in addition to the bundled ones; none leaves these out; may be repeated",
    )
    group.addoption("--write-baseline", metavar="FILE", help="make a file of known deviations from what is violated in this run")
    group.addoption(
        "--fail-on",
        action="append",
        default=[],
        metavar="VERDICT",
        help="which verdicts make the run fail besides violated (default: inconclusive)",
    )
    group.addoption(
        "--strict-verdicts", action="store_true", help="requirements that are not offered, inconclusive or blocked make the run fail too"
    )
    group.addoption("--max-not-offered", type=int, metavar="N", help="the run fails if more requirements than that are not offered")
    group.addoption(
        "--parity", action="store_true", default=None, help="parity rows make the run fail too (default: for builds of that implementation)"
    )
    group.addoption("--no-parity", dest="parity", action="store_false", help="parity rows never make the run fail")
    group.addoption(
        "--edition",
        metavar="NAME",
        help="which requirements count: those of an edition such as 2026.12 (default: the newest), or next for all",
    )
    group.addoption(
        "--concurrency", type=int, metavar="N", help="how many scenarios are busy at once (default: 8 on a broker, 1 on the reference)"
    )
    group.addoption("--shuffle", type=int, metavar="SEED", help="run the scenarios in a random order with this seed")
    group.addoption("--smoke", action="store_true", help="only the thirty requirements that show most in the least time")
    group.addoption("--no-html", action="store_true", help="leave out the Allure HTML report")
    group.addoption("--check", action="store_true", help="search the histories of the run for every known anomaly after it")
    group.addoption("--results", metavar="DIR", help="write compliance.json, junit.xml, allure-results and environment.json there")
    group.addoption("--summary", metavar="FILE.md", help="append a summary of the run to this file, as Markdown")
    group.addoption(
        "--previous",
        metavar="RESULTS",
        help="the results of an earlier run: the summary shows what changed since then",
    )
