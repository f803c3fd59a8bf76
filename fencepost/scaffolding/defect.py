"""`fencepost new defect`: a broken variant of the reference that overrides one decision, and changes nothing yet."""

import re
from pathlib import Path

from fencepost.contract import proposals, register
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.gherkin import scenarios_of
from fencepost.reference.defects import CONFORMING, DEFECTS, overriding

from . import checkout as checkouts

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

_MODULE = '''\
"""Defects in {about}."""

{imports}
'''
_DEFECT = '''

@defect({{"{identifier}": seen({seen})}}, origin="{origin}"{of})
class {class_name}({base}):
    """{story}"""

    {signature}
        # Decide it wrongly here. As it is, the variant breaks nothing.
        {call}
'''


def make(folder: Path, name: str, identifier: str, overrides: str, seen: str, story: str, origin: str, protocol: str | None) -> list[str]:
    """Write the defect into the checkout; answers the paths. Raises WrongUsage for what is taken, and UnknownName."""
    checkout = checkouts.find(folder)
    if not _NAME.fullmatch(name):
        raise WrongUsage(f"{name}: expected small letters and digits with hyphens, such as no-epoch-bump")
    if name in DEFECTS or name in CONFORMING:
        raise WrongUsage(f"a defect is called {name} already: {(DEFECTS | CONFORMING)[name].story} Choose another name")
    row = register.bundled()[identifier]
    spec = register.bundled().spec_of(row.id)
    placed = scenarios_of(row.id)
    if not placed:
        raise WrongUsage(f"{identifier} has no scenario, so no defect of it can be seen; write one first")
    try:
        re.compile(seen)
    except re.error as error:
        raise WrongUsage(f"--seen {seen}: not a regular expression: {error}") from error
    if not seen:
        raise WrongUsage("--seen is empty: expected what the violation must show, such as '^success'")
    spoken = proposals.bundled().protocols_of(spec)
    if protocol is not None and protocol not in spoken:
        raise UnknownName("protocol", protocol, spoken)
    chosen = protocol or spoken[0]
    found = overriding.decision(chosen, overrides)
    room = f"reference/defects/{spec}" + (f"/{chosen.replace('-', '_')}" if spec == "core" else "")
    theme = Path(placed[0][0].path).stem
    path = f"{room}/{theme}.py"
    words = {
        "class_name": "".join(map(str.capitalize, name.split("-"))),
        "identifier": row.id,
        "seen": f'r"{seen}"' if '"' not in seen and not seen.endswith("\\") else repr(seen),
        "story": _escaped(story),
        "origin": _escaped(origin),
        "base": found.base,
        "signature": found.signature,
        "call": found.call,
        "of": f", of={found.of}" if found.of else "",
    }
    imports = [*found.imports, "from fencepost.reference.defects.decorator import defect, seen"]
    before = checkouts.text_of(checkout, path) or _MODULE.format(about=theme.replace("_", " "), imports="\n")
    text = overriding.with_imports(before, imports).rstrip("\n") + "\n" + _DEFECT.format(**words)
    return checkouts.write(checkout, {}, {path: text})


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
