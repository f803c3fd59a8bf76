"""What our modules import of each other, read off their source: also inside functions, and what only type checkers import."""

import ast
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
ORDER = ("contract", "wire", "fixtures", "reference", "adapters", "steps", "features", "pipeline", "report", "fencepost")
"""The packages. Each may import what stands before it, unless a test binds it more closely."""


def modules() -> list[str]:
    """All our modules, as paths from the checkout."""
    return sorted(str(path.relative_to(CHECKOUT)) for package in ORDER for path in (CHECKOUT / package).rglob("*.py"))


def dotted(module: str) -> str:
    """The name by which a module is imported."""
    parts = Path(module).with_suffix("").parts
    parts = parts if parts[0] == "fencepost" else ("fencepost", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> set[str]:
    """What a module imports of ours, as dotted names; what it imports from a module is named after the module."""
    return imported_by(path.read_text(encoding="utf-8"), ".".join(("fencepost", *_package(path))))


def imported_by(source: str, package: str) -> set[str]:
    """What a source in that package imports of ours."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=module, level=0, names=names):
                found |= {f"{module}.{alias.name}" for alias in names}
            case ast.ImportFrom(module=module, level=level, names=names):
                parts = package.split(".")
                base = parts[: len(parts) - level + 1]
                found |= {".".join([*base, *([module] if module else []), alias.name]) for alias in names}
    return {name for name in found if name == "fencepost" or name.startswith("fencepost.")}


def _package(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(CHECKOUT).parts[:-1]
    return parts[1:] if parts[0] == "fencepost" else parts
