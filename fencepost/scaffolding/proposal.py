"""`fencepost new proposal`: the folders of a proposal, with a register that has no row yet."""

import json
import re
from pathlib import Path

from fencepost.adapters import registry
from fencepost.contract import proposals
from fencepost.contract.errors import UnknownName, WrongUsage

from . import checkout as checkouts

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TYPES = {"kafka": "kafka", "pulsar": "pulsar", "pulsar-scalable": "pulsar"}
"""The vocabulary whose sentences and values a proposal about a protocol shares."""

_SPEC = """\
title: {title}
source: {source}
protocols: [{protocols}]
vocabularies: [{vocabulary}]
"""
_REGISTER = """\
# The register of requirements for {title}, one row per requirement.
#
# level      MUST, SHOULD or MAY.
# source     text: the proposal says so; section is its part.
#            decided: the text is silent or contradicts itself, or would break one of its promises; `question` has the decision.
#            implementation: only what an implementation does says so (parity); section says where.
# statement  the actor, the condition and the observable result in one sentence; also the title of its Gherkin Rule.
# check      where to look when a scenario fails.
# question   what the text leaves open: the choice made, and why.
# excluded   why no scenario can test the requirement.
#
# The ids are stable. `fencepost new requirement` adds a row.
"""
_VOCABULARY = '''\
"""The sentences that only {title} speaks: the types of their values, and the vocabulary itself."""

from fencepost.steps.{vocabulary}.vocabulary import TYPES
from fencepost.steps.sentence import Vocabulary

{constant} = Vocabulary("{name}", TYPES)
'''
_README_ROW = "| {title} ([register](docs/{name}.md)) | 0 | all |\n"
_LAST_ROW = re.compile(r"(?:^\|.*\(\[register\]\(docs/\w+\.md\)\).*\n)+", re.MULTILINE)


def make(folder: Path, name: str, title: str, source: str, protocols: list[str]) -> list[str]:
    """Write the proposal into the checkout; answers the paths. Raises WrongUsage for a name that is taken or cannot be one."""
    checkout = checkouts.find(folder)
    if not _NAME.fullmatch(name):
        raise WrongUsage(f"{name}: the name of a proposal is that of a folder; expected small letters and digits, such as kip939")
    if name in proposals.bundled().by_spec or (checkout / "features" / name).exists():
        raise WrongUsage(f"features/{name} exists already: choose another name, or add to it with `fencepost new requirement`")
    for protocol in protocols:
        if protocol not in _TYPES:
            raise UnknownName("protocol", protocol, registry.protocols())
    words = {
        "name": name,
        "title": json.dumps(title, ensure_ascii=False),
        "source": json.dumps(source, ensure_ascii=False),
        "protocols": ", ".join(protocols),
        "vocabulary": _TYPES[protocols[0]],
    }
    plain = words | {"title": title, "constant": name.upper()}
    new = {
        f"features/{name}/__init__.py": f'"""{title}."""\n',
        f"features/{name}/spec.yaml": _SPEC.format(**words),
        f"features/{name}/requirements.yaml": _REGISTER.format(**plain) + "[]\n",
        f"steps/{name}/__init__.py": f'"""The sentences that only {title} speaks."""\n',
        f"steps/{name}/vocabulary.py": _VOCABULARY.format(**plain),
        f"reference/defects/{name}/__init__.py": f'"""Defects of {title}, a module for each feature of `features/{name}`."""\n',
    }
    return checkouts.write(checkout, new, {"README.md": _in_readme(checkouts.text_of(checkout, "README.md"), plain)})


def _in_readme(readme: str, words: dict[str, str]) -> str:
    """The README with a row for the proposal. Raises WrongUsage where its table of proposals is not found."""
    table = _LAST_ROW.search(readme)
    if table is None:
        raise WrongUsage("README.md has no table of proposals, whose rows have ([register](docs/NAME.md)): restore it")
    return readme[: table.end()] + _README_ROW.format(**words) + readme[table.end() :]
