"""`fencepost new requirement`: a row of a register, its Rule, and a scenario that passes and is to be replaced."""

import json
import re
from pathlib import Path

import yaml

from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.themes import THEMES

from . import checkout as checkouts

_ID = re.compile(r"([A-Z][A-Z0-9]*)-\d{2,3}")
_FEATURE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_ANY_ID = re.compile(r"^- id: (\S+)", re.MULTILINE)
_LEVELS = ("MUST", "SHOULD", "MAY")

_ROW = """
- id: {id}
  level: {level}
  source: text
  section: {section}
  statement: {statement}
  check: {check}
"""
_RULE = """
  {tags}
  Rule: {statement}
    {why}

    # `fencepost new requirement` wrote these steps, which pass. Replace them with those of the requirement.
    Scenario: [1] {case}
{steps}
"""
_STEPS = {
    "kafka": (
        'Given a topic "examples" with 2 partitions',
        'And producer X with transactional id "example"',
        'And X has written "x1" to examples-0',
        "When X commits",
        "Then it is done",
    ),
    "pulsar": (
        'Given the topic "examples"',
        "And transaction X",
        'And X has written "x1" to examples',
        "When X commits",
        'Then readers of examples see "x1"',
    ),
}
"""Their names are none that a feature's Background gives to something else."""
_TEST = """\
from pytest_bdd import scenarios

from fencepost.features.step_definitions import define

define("{spec}")
scenarios(".")
"""


def make(folder: Path, identifier: str, feature: str, statement: str, section: str, level: str, why: str, themes: list[str]) -> list[str]:
    """Write the requirement into the checkout; answers the paths. Raises WrongUsage for what is taken, and UnknownName."""
    checkout = checkouts.find(folder)
    if not _ID.fullmatch(identifier):
        raise WrongUsage(f"{identifier}: expected the id of a requirement, such as KIP939-001")
    if not _FEATURE.fullmatch(feature):
        raise WrongUsage(f"--feature {feature}: expected the name of a feature file without its ending, such as ending")
    if level not in _LEVELS:
        raise UnknownName("level", level, _LEVELS)
    for theme in themes:
        if theme not in THEMES:
            raise UnknownName("theme", theme, THEMES)
    if not statement.strip() or "\n" in statement:
        raise WrongUsage("--statement: expected one sentence with the actor, the condition and the observable result")
    spec = _spec_of(checkout, identifier)
    register, path = f"features/{spec}/requirements.yaml", f"features/{spec}/{feature}.feature"
    rows, written = checkouts.text_of(checkout, register), checkouts.text_of(checkout, path)
    if identifier in (taken := _ANY_ID.findall(rows)):
        free = max(int(one.rpartition("-")[2]) for one in taken) + 1
        raise WrongUsage(
            f"{identifier} exists already, in {register}; ids are never reused, also those in gaps: take "
            f"{identifier.partition('-')[0]}-{free:03}"
        )
    row = _ROW.format(
        id=identifier,
        level=level,
        section=_quoted(section),
        statement=_quoted(statement),
        check=_quoted("Say here where to look when it fails."),
    )
    rule = _RULE.format(
        tags=" ".join(f"@{tag}" for tag in (identifier, level, *themes)),
        statement=statement,
        why=why,
        case=f"The case of {identifier}",
        steps="\n".join(f"      {step}" for step in _STEPS[_vocabulary(checkout, spec)]),
    )
    title = feature.replace("_", " ").capitalize()
    changed = {
        register: rows.removesuffix("[]\n").rstrip("\n") + "\n" + row,
        path: (written.rstrip("\n") + "\n" if written else f"Feature: {title}\n") + rule,
        "README.md": _counted(checkouts.text_of(checkout, "README.md"), spec),
    }
    test = f"features/{spec}/test_{spec}.py"
    new = {} if (checkout / test).is_file() else {test: _TEST.format(spec=spec)}
    return checkouts.write(checkout, new, changed)


def _spec_of(checkout: Path, identifier: str) -> str:
    """The proposal whose ids begin so: by the ids of its register, or by its name where it has none yet. Raises UnknownName."""
    prefix = identifier.partition("-")[0]
    prefixes: dict[str, str] = {}
    for register in sorted(checkout.glob("features/*/requirements.yaml")):
        spec = register.parent.name
        first = _ANY_ID.search(register.read_text(encoding="utf-8"))
        prefixes[first[1].partition("-")[0] if first else spec.replace("_", "").upper()] = spec
    if prefix not in prefixes:
        raise UnknownName("proposal", prefix, prefixes)
    return prefixes[prefix]


def _vocabulary(checkout: Path, spec: str) -> str:
    """The protocol's vocabulary that a proposal's features speak. Raises WrongUsage where it is neither Kafka's nor Pulsar's."""
    named = yaml.safe_load(checkouts.text_of(checkout, f"features/{spec}/spec.yaml"))["vocabularies"]
    found: str | None = next((name for name in named if name in _STEPS), None)
    if found is None:
        raise WrongUsage(
            f"features/{spec} speaks {', '.join(named)}; a scenario is written for {' and '.join(_STEPS)} only: write this one by hand"
        )
    return found


def _counted(readme: str, spec: str) -> str:
    """The README with one requirement more of that proposal, which is tested."""
    row = re.compile(rf"(\(\[register\]\(docs/{spec}\.md\)\) \| )(\d+)( \| )(\d+)?")

    def more(found: re.Match[str]) -> str:
        return f"{found[1]}{int(found[2]) + 1}{found[3]}{int(found[4]) + 1 if found[4] else ''}"

    return row.sub(more, readme)


def _quoted(text: str) -> str:
    """A text as YAML has it in one line: plain where that is the same text."""
    try:
        is_plain = yaml.safe_load(f"a: {text}") == {"a": text}
    except yaml.YAMLError:
        is_plain = False
    return text if is_plain else json.dumps(text, ensure_ascii=False)
