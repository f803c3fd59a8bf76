"""What `fencepost new` writes for an author to replace."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACEHOLDER = re.compile(r"Say here |`fencepost new requirement` wrote these steps|Decide it wrongly here")


def placeholders(root: Path) -> list[str]:
    """Where one is left, by file and line."""
    files = [*root.glob("features/**/*.feature"), *root.glob("features/*/requirements.yaml"), *root.glob("reference/defects/**/*.py")]
    lines = ((file, number, line) for file in files for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1))
    return [f"{file.relative_to(root)}:{number}: {line.strip()}" for file, number, line in lines if PLACEHOLDER.search(line)]


def test_no_placeholder_is_left() -> None:
    """Each was replaced by what it asks for."""
    assert placeholders(ROOT) == []


def test_a_placeholder_is_found(tmp_path: Path) -> None:
    """With file and line."""
    feature = tmp_path / "features/kip999/ending.feature"
    feature.parent.mkdir(parents=True)
    feature.write_text("Feature: Ending\n  Rule: It ends.\n    Say here which harm it prevents.\n", encoding="utf-8")

    assert placeholders(tmp_path) == ["features/kip999/ending.feature:3: Say here which harm it prevents."]
