"""The sentences of a proposal are those of vocabularies, and no others."""

from types import ModuleType

import pytest
from pytest_bdd import then

from fencepost.contract import register
from fencepost.steps import vocabularies
from fencepost.steps.sentence import SentenceError


def test_every_sentence_is_of_a_vocabulary() -> None:
    """As the kit is."""
    vocabularies.check(register.bundled().by_spec)


def test_a_sentence_outside_of_the_vocabularies_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of pytest-bdd's own would have no meaning, and no linter would see it."""
    stray = ModuleType("stray")

    @then("the moon is full")
    def the_moon_is_full() -> None:
        pass

    vars(stray).update({name: value for name, value in locals().items() if name.startswith("pytestbdd_stepdef")})
    modules_of = vocabularies.modules_of
    monkeypatch.setattr(vocabularies, "modules_of", lambda spec: [*modules_of(spec), stray])

    with pytest.raises(SentenceError, match="defined by pytest-bdd's own decorators; expected those of a Vocabulary"):
        vocabularies.check(register.bundled().by_spec)
