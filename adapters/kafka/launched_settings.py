"""What a launcher can offer of the broker configurations of `fixtures/brokers.yaml`, and how it passes their settings to a broker."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fencepost.adapters.common.launcher import CANNOT, Launcher, LauncherFile, Passing

from .kafka_settings import KafkaConfiguration, KafkaSettings, kafka_settings

_SET = ("known-limits", "short-expiry", "compaction", "verification-off", "authorizer")
"""The capabilities that a broker has by its settings; others depend on what the launcher can do to it, or on the broker itself."""
_DISPENSABLE = frozenset(
    {
        "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        "log.cleaner.min.cleanable.ratio",
        "log.roll.ms",
    }
)
"""Settings without which a broker still offers what its configuration does. Without the first one a scenario takes longer; without one of
the others, twins with compaction do not compact the broker's own logs.
"""
_CONTROLLER = "CONTROLLER://"


@dataclass(frozen=True)
class Launched:
    """The configurations that a launcher can start, with what each offers there, and why other capabilities are not offered."""

    settings: KafkaSettings
    missing: Mapping[str, str] = field(default_factory=dict)
    """The reasons, by capability."""


def launched(file: LauncherFile) -> Launched:
    """The configurations that this launcher can start."""
    all_settings, launcher = kafka_settings(), file.launcher
    kept: dict[str, KafkaConfiguration] = {}
    missing: dict[str, str] = {}
    for name, configuration in all_settings.configurations.items():
        reasons = {offer: why for offer in configuration.offers if (why := _why_not(all_settings, name, offer, file))}
        missing |= reasons
        offers = [offer for offer in configuration.offers if offer not in reasons]
        is_default = name == all_settings.default_configuration
        # A configuration that offers nothing in addition would be the default broker once more.
        if is_default or any(offer not in kept[all_settings.default_configuration].offers for offer in offers):
            more = _more_nodes(all_settings, configuration, launcher)
            kept[name] = configuration.model_copy(update={"offers": offers, "more_nodes": more})
    offered = {offer for configuration in kept.values() for offer in configuration.offers}
    return Launched(
        all_settings.model_copy(update={"configurations": kept}),
        {name: why for name, why in missing.items() if name not in offered},
    )


def _why_not(settings: KafkaSettings, configuration: str, capability: str, file: LauncherFile) -> str | None:
    """Why a broker with that configuration does not offer the capability; None if it does."""
    launcher = file.launcher
    if capability in ("crash", "reload", "clean-stop") and not launcher.keeps_data:
        return f"{file.reported} says that the broker keeps no data (data: none)"
    if capability in ("crash", "reload") and launcher.kill == CANNOT:
        return f"{file.reported} says that the broker cannot be killed"
    if capability == "clean-stop" and launcher.stop == CANNOT:
        return f"{file.reported} says that the broker cannot be stopped"
    if capability == "two-nodes":
        needed = settings.configuration(configuration).nodes
        if launcher.nodes_at_most < needed:
            return f"{file.reported} starts {launcher.nodes_at_most} node, and {needed} are needed (most-nodes)"
        if not launcher.can_pause:
            return f"{file.reported} says that a node cannot be paused"
    if capability in _SET:
        return _why_not_set(settings, configuration, file)
    return None


def _why_not_set(settings: KafkaSettings, configuration: str, file: LauncherFile) -> str | None:
    passing = file.launcher.settings
    wanted = settings.properties(configuration)
    needed = [name for name, value in wanted.items() if name not in _DISPENSABLE and passing.has.get(name) != value]
    if needed and passing.how == CANNOT:
        return f"{file.reported} says that the broker accepts no settings, and this needs {needed[0]}"
    if lacking := [name for name in needed if passing.name_of(name) is None]:
        return f"{file.reported} has no name for the setting {lacking[0]} (settings, names)"
    if settings.users(configuration) and passing.how == "arguments":
        return f"{file.reported} passes settings as arguments, and passwords would be visible in the process list"
    return None


def _more_nodes(settings: KafkaSettings, configuration: KafkaConfiguration, launcher: Launcher) -> list[dict[str, str]]:
    """The settings of the nodes after the first: those of the configuration, and further ones if the launcher's brokers have more nodes."""
    count = max(launcher.nodes, min(configuration.nodes, launcher.nodes_at_most))
    all_of_first = settings.base | configuration.settings
    listeners = all_of_first["KAFKA_LISTENERS"].split(",")
    further = {
        "KAFKA_PROCESS_ROLES": "broker",
        "KAFKA_LISTENERS": ",".join(one for one in listeners if not one.startswith(_CONTROLLER)),
    }
    own = configuration.more_nodes
    return [(own[node - 2] if node - 2 < len(own) else further) | {"KAFKA_NODE_ID": str(node)} for node in range(2, count + 1)]


def passed_on(passing: Passing, properties: Mapping[str, str]) -> dict[str, str]:
    """The settings that the broker understands, by the broker's names."""
    return {own: value for name, value in properties.items() if (own := passing.name_of(name)) is not None}


def words_of(passing: Passing, settings: Mapping[str, str]) -> list[str]:
    """The settings as command-line words; a `word` with a blank, such as `--set NAME=VALUE`, gives two."""
    return [part for name, value in settings.items() for part in (_word(part, name, value) for part in passing.word.split())]


def variables_of(passing: Passing, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings as variables of the environment."""
    return {_word(passing.word, name, ""): value for name, value in settings.items()}


def file_of(settings: Mapping[str, str]) -> str:
    """The settings as a file of properties."""
    lines = (f"{name}={value}" for name, value in settings.items())
    return "".join(line.replace("\\", "\\\\").replace("\n", "\\n") + "\n" for line in lines)


def _word(text: str, name: str, value: str) -> str:
    capitals = re.sub(r"[^A-Z0-9]", "_", name.upper())
    return text.replace("{name}", name).replace("{NAME}", capitals).replace("{value}", value)
