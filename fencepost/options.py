"""What a user asks of a run, as pytest options; the command line builds the same."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fencepost.contract import proposals
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.ports import Handshake, System
from fencepost.contract.register import Register, Requirement

SYSTEMS = ("reference", "kafka", "pulsar")
PATIENCE_S = 20.0


@dataclass(frozen=True)
class Selection:
    """Which requirements a run asks about; an empty part leaves nothing out."""

    specs: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    def check(self, register: Register) -> None:
        """Raises UnknownName for a proposal, an id or a level that there is none of, WrongUsage when nothing is left to judge."""
        register.rows(self.specs)
        for requirement in self.only:
            register[requirement]
        for level in self.levels:
            if level not in ("MUST", "SHOULD", "MAY"):
                raise UnknownName("level", level, ("MUST", "SHOULD", "MAY"))
        if not any(row.is_tested and self.holds(row, register.spec_of(row.id)) for row in register.rows()):
            left = [row for row in register.rows() if self.holds(row, register.spec_of(row.id))]
            why = f"of the {len(left)} selected requirements none is tested yet" if left else "no requirement has all that was asked for"
            raise WrongUsage(f"nothing is selected: {why}; see `fencepost list`")

    def holds(self, row: Requirement, spec: str) -> bool:
        return (
            (not self.specs or spec in self.specs)
            and (not self.only or row.id in self.only)
            and (not self.levels or row.level in self.levels)
        )


@dataclass(frozen=True)
class Options:
    """One run: the system, how to reach it, what to ask, and where the results go."""

    system: str = "reference"
    bootstrap: str | None = None
    service_url: str | None = None
    admin_url: str | None = None
    container: str | None = None
    profile: str | None = None
    defect: str | None = None
    patience: float = PATIENCE_S
    selection: Selection = Selection()
    results: Path | None = None
    html: bool = True
    check: bool = False

    @classmethod
    def of(cls, config: pytest.Config) -> "Options":
        value = config.getoption
        return cls(
            value("--system"),
            value("--bootstrap"),
            value("--service-url"),
            value("--admin-url"),
            value("--container"),
            value("--profile"),
            value("--defect"),
            value("--patience"),
            Selection(tuple(value("--spec")), tuple(value("--only")), tuple(value("--level"))),
            Path(value("--results")).resolve() if value("--results") else None,
            not value("--no-html"),
            value("--check"),
        )

    def protocols(self) -> tuple[str, ...]:
        """The protocols that the system speaks. Raises UnknownName."""
        if self.system != "reference":
            return (self.system,)
        from fencepost.adapters.reference import protocols

        return protocols(self.profile, self.defect)

    def about_system(self, register: Register) -> "Options":
        """These options with only such proposals selected as bind the system. Raises WrongUsage for one that was named and does not."""
        spoken = self.protocols()
        known = proposals.bundled()
        binding = tuple(spec for spec in register.by_spec if set(spoken) & set(known.protocols_of(spec)))
        for spec in self.selection.specs:
            if spec in register.by_spec and spec not in binding:
                raise WrongUsage(
                    f"--spec {spec} is about {' and '.join(known.protocols_of(spec))}, and {self.system} speaks {' and '.join(spoken)}; "
                    f"for it there are {', '.join(binding)}"
                )
        return replace(self, selection=replace(self.selection, specs=self.selection.specs or binding))

    def build_systems(self) -> Mapping[str, System]:
        """What is asked for, not yet started: a system for each protocol that it speaks. Raises UnknownName or WrongUsage."""
        match self.system:
            case "reference":
                self._refuse(
                    "the reference is in this process", container=self.container, **self._addresses("bootstrap", "service_url", "admin_url")
                )
                from fencepost.adapters.reference import references

                return references(self.profile, self.defect, self.patience)
            case "kafka":
                self._refuse("only the reference has defects", defect=self.defect)
                self._refuse("a Kafka broker is named with --bootstrap HOST:PORT", **self._addresses("service_url", "admin_url"))
                self._check_profile()
                return {"kafka": self._kafka()}
            case "pulsar":
                self._refuse("only the reference has defects", defect=self.defect)
                self._refuse("a Pulsar broker is named with --service-url pulsar://HOST:PORT", **self._addresses("bootstrap"))
                self._check_profile()
                return {"pulsar": self._pulsar()}
            case other:
                raise UnknownName("system", other, SYSTEMS)

    def _kafka(self) -> System:
        from fencepost.adapters.kafka.container_system import KafkaContainerSystem
        from fencepost.adapters.kafka.system import KafkaAt

        match (self.bootstrap, self.container):
            case (str(address), None):
                return KafkaAt(address, patience_s=self.patience)
            case (None, str(image)):
                return KafkaContainerSystem(image, patience_s=self.patience)
            case (None, None):
                raise WrongUsage("which Kafka? Say --bootstrap HOST:PORT for one that runs, or --container IMAGE for one to start")
            case _:
                raise WrongUsage(
                    "--bootstrap and --container exclude each other: the first judges a broker that runs, the second starts one"
                )

    def _pulsar(self) -> System:
        from fencepost.adapters.pulsar.container_system import PulsarContainerSystem
        from fencepost.adapters.pulsar.system import PulsarAt

        match (self.service_url, self.admin_url, self.container):
            case (str(service), str(admin), None):
                return PulsarAt(service, admin, patience_s=self.patience)
            case (None, None, str(image)):
                return PulsarContainerSystem(image, patience_s=self.patience)
            case (_, _, None):
                raise WrongUsage(
                    "which Pulsar? Say --service-url pulsar://HOST:PORT and --admin-url http://HOST:PORT for one that runs, "
                    "or --container IMAGE for one to start"
                )
            case _:
                raise WrongUsage(
                    "--service-url and --container exclude each other: the first judges a broker that runs, the second starts one"
                )

    def open(self, system: System) -> Handshake:
        """Wait until the system serves, and judge it by the profile that the user named, if one was."""
        handshake = system.open()
        if self.profile is None or system.name == "reference":
            return handshake
        release = self.profile.removeprefix(f"{system.name}-")
        note = f"judged by the profile {self.profile}, as --profile says, instead of {handshake.profile}"
        return replace(
            handshake, profile=self.profile, version_is_exact=False, judged_as=(system.name, release), notes=(note, *handshake.notes)
        )

    def _check_profile(self) -> None:
        from fencepost.adapters.kafka.settings import kafka_settings
        from fencepost.adapters.pulsar.settings import pulsar_settings

        profiles = {
            "kafka": [release.profile for release in kafka_settings().releases],
            "pulsar": [release.profile for release in pulsar_settings().releases],
        }
        known = ["seed", *profiles[self.system]]
        if self.profile is not None and self.profile not in known:
            raise UnknownName("profile", self.profile, known)

    def _addresses(self, *names: str) -> dict[str, str | None]:
        """The addresses that were given, by the names of their options."""
        return {name.replace("_", "-"): getattr(self, name) for name in names}

    @staticmethod
    def _refuse(why: str, **given: str | None) -> None:
        for name, value in given.items():
            if value is not None:
                raise WrongUsage(f"--{name} {value}: {why}")


def add(parser: pytest.Parser) -> None:
    """Make the options known to pytest."""
    group = parser.getgroup("fencepost", "Fencepost, the conformance suite for streaming transactions")
    group.addoption("--system", default="reference", metavar="NAME", help=f"what is judged: {', '.join(SYSTEMS)} (default: reference)")
    group.addoption("--bootstrap", metavar="HOST:PORT", help="judge the Kafka broker that listens there")
    group.addoption("--service-url", metavar="URL", help="judge the Pulsar broker there, such as pulsar://127.0.0.1:6650")
    group.addoption("--admin-url", metavar="URL", help="the admin interface of that broker, such as http://127.0.0.1:8080")
    group.addoption("--container", metavar="IMAGE", help="start this image and judge it, such as apache/kafka:4.3.1")
    group.addoption("--profile", metavar="NAME", help="the release profile; found out from the system when it is not given")
    group.addoption("--defect", metavar="NAME", help="judge the reference with a bundled defect, to see the suite find it")
    group.addoption("--patience", type=float, default=PATIENCE_S, metavar="S", help="how long to wait for what must come (default: 20)")
    group.addoption("--spec", action="append", default=[], metavar="PROPOSAL", help="only this proposal; may be repeated")
    group.addoption("--only", action="append", default=[], metavar="ID", help="only this requirement; may be repeated")
    group.addoption("--level", action="append", default=[], metavar="LEVEL", help="only MUST, SHOULD or MAY; may be repeated")
    group.addoption("--no-html", action="store_true", help="leave out the Allure HTML report")
    group.addoption("--check", action="store_true", help="judge the histories of the run after it, for every anomaly that is known")
    group.addoption("--results", metavar="DIR", help="write compliance.json, junit.xml, allure-results and environment.json there")
