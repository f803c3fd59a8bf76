"""`fencepost sentences` shows the vocabularies, and what cannot be one ends a command with exit code 2."""

import json
import re
from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost, python_code

from fencepost.catalogue import sentence_list as command
from fencepost.contract.errors import UnknownName
from fencepost.steps import vocabularies


def test_the_table_has_each_sentence_with_its_meaning_and_its_uses(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both forms of an act, and the types of values."""
    monkeypatch.setenv("COLUMNS", "240")

    assert command.show(["core"], "table") == 0

    out = capsys.readouterr().out
    for part in ("Given {writer} has {ended}", "When {writer} {ends}", "The end of the writer's", "commits | aborts"):
        assert part in out
    assert "1 step in 1 feature\n" in out.replace("  ", "").replace(" \n", "\n")


def test_the_json_counts_by_vocabulary_and_in_all(capsys: pytest.CaptureFixture[str]) -> None:
    """Sentences, forms, and those that are used once."""
    command.show([], "json")

    reported = json.loads(capsys.readouterr().out)
    core = next(one for one in reported["vocabularies"] if one["name"] == "core")
    ours = [one for one in reported["sentences"] if one["vocabulary"] == "core"]
    assert (core["sentences"], core["forms"]) == (len(ours), sum(len(one["forms"]) for one in ours))
    assert core["used_once"] == sum(one["uses"]["steps"] == 1 for one in ours)
    for count in ("sentences", "forms", "used_once"):
        assert reported["totals"][count] == sum(one[count] for one in reported["vocabularies"])


def test_a_sentence_is_reported_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Words, values with their types, meaning, place, and uses."""
    command.show(["core"], "json")

    reported = json.loads(capsys.readouterr().out)["sentences"]
    found = next(one for one in reported if one["name"] == "readers_see")
    assert found["forms"] == [{"kind": "Then", "words": "readers of {logs} see {content}[ {order}]"}]
    assert found["values"] == {"logs": "logs", "content": "content", "order": "order"}
    path, line = found["where"].split(":")
    assert "def readers_see" in "".join((CHECKOUT / path).read_text(encoding="utf-8").splitlines()[int(line) - 1 : int(line) + 1])
    features = [path for path in (CHECKOUT / "features/core").glob("*.feature") if "readers of" in path.read_text(encoding="utf-8")]
    assert found["uses"]["steps"] > found["uses"]["features"] == len(features)


def test_a_proposals_uses_are_those_of_its_features() -> None:
    """Each step that a sentence parses, where it stands; a step of an outline is one."""
    uses = {sentence.name: places for sentence, places in vocabularies.uses(["core"]).items()}

    for use in uses["has_begun"]:
        feature = (CHECKOUT / "features" / use.feature).read_text(encoding="utf-8")
        assert feature.splitlines()[use.line - 1].strip().endswith(" A has begun a transaction")
    assert {use.feature for use in uses["has_begun"]} == {"core/deciding.feature", "core/visibility.feature"}
    written = {
        (f"core/{path.name}", number)
        for path in (CHECKOUT / "features/core").glob("*.feature")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.match(r" *(Given|And) the system crashes ", line)
    }
    assert {(use.feature, use.line) for use in uses["crashes"]} == written


def test_the_page_of_the_sentences_is_up_to_date() -> None:
    """`make docs` was run: what is read is what can be said."""
    page = (CHECKOUT / "docs" / "sentences.md").read_text(encoding="utf-8")

    assert page == fencepost("sentences", "--format", "markdown", expect=0).out, "say: make docs"


def test_unknown_names_are_refused() -> None:
    """A proposal or a format that there is none of."""
    assert "unknown proposal 'cora'; did you mean core?" in fencepost("sentences", "--spec", "cora", expect=2).err
    with pytest.raises(UnknownName, match="unknown format 'yaml'"):
        command.show([], "yaml")


SILENT = """
from fencepost.steps.sentence import Vocabulary, text

MADE = Vocabulary("made", [text("writer", "[A-Z]", "a writer")])

@MADE.then("{writer} is silent")
def is_silent(writer): ...
"""
SPEAKING = """
import sys
import fencepost.steps
from fencepost.contract import proposals

fencepost.steps.__path__.append(%r)
known = proposals.bundled().by_spec
known["core"] = known["core"].model_copy(update={"vocabularies": ["core", %r]})
sys.argv = %r
from fencepost.cli.application import main
main()
"""


@pytest.mark.parametrize(
    ("vocabulary", "reported"),
    [
        ("cora", "features/core/spec.yaml:4: vocabularies.2: there is no vocabulary 'cora'; expected one of core"),
        ("made", "steps/made/silent.py:6: made: '{writer} is silent' has no meaning; expected a docstring"),
    ],
)
@pytest.mark.parametrize("arguments", [["sentences"], ["run", "--no-html", "--only", "CORE-01"]], ids=["sentences", "run"])
def test_what_cannot_be_spoken_is_wrong_usage(tmp_path: Path, vocabulary: str, reported: str, arguments: list[str]) -> None:
    """Exit code 2, with the file, the key, and what is expected, before anything runs."""
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "__init__.py").write_text('"""A vocabulary that cannot be used."""', encoding="utf-8")
    (tmp_path / "made" / "silent.py").write_text(SILENT, encoding="utf-8")

    done = python_code(SPEAKING % (str(tmp_path), vocabulary, ["fencepost", *arguments]), expect=2)

    assert reported in done.err + done.out
    assert "Traceback" not in done.err + done.out
