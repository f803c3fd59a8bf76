"""Exploration: silent on what conforms, and what it finds is a small scenario that fails again."""

import itertools
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from commands import fencepost, verdicts
from exploring import always, conforming_on, found_on, raising, shortest, trials
from workers import pool_of_this_process

from fencepost.console.terminal import Screen
from fencepost.contract.brokers import Where
from fencepost.contract.errors import Exit, WrongUsage
from fencepost.contract.register import bundled
from fencepost.contract.waiting import waited_in
from fencepost.explore import search
from fencepost.explore.exploration import Bounds, Exploration
from fencepost.explore.trial import SequenceResult, Trials
from fencepost.proof import conforming_groups, exploration_proof
from fencepost.proof.exploration_proof import Reach
from fencepost.reference.defects import CONFORMING, DEFECTS, Defect
from fencepost.run.options import RunOptions
from fencepost.steps.acts.act import script_of
from fencepost.steps.acts.core import TABLE

PROTOCOLS = ("kafka", "pulsar", "pulsar-scalable")


@pytest.mark.parametrize("bounds", [("--examples", "3"), ("--depth", "2")])
def test_acts_none_of_which_can_come_are_no_certificate(bounds: tuple[str, str], tmp_path: Path) -> None:
    """Empty sequences violate nothing, and nothing was tried."""
    finished = fencepost("explore", "--acts", "A commits", *bounds, expect=2, cwd=tmp_path)

    assert "--acts A commits: none of these acts can come first, so nothing was tried" in finished.err


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_reference_keeps_every_sequence_of_two_acts(protocol: str) -> None:
    """And random ones of ten."""
    honest = trials(TABLE, protocol)

    whole, some = search.exhaustive(honest, 2, always), search.drawn(honest, 40, 10, 1, always)

    assert (whole.finding, whole.is_whole) == (None, True)
    assert whole.count > 150
    assert (some.finding, some.count) == (None, 40)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_transaction_that_was_begun_is_not_awaited_as_one_that_ended(protocol: str) -> None:
    """A wait for ends does not wait for the end of the open transaction until patience is over."""
    begun = "A begins a transaction"
    script = script_of(TABLE, (begun, "A has aborted", begun, "B writes to orders", "B has committed"))

    shown = trials(TABLE, protocol).show(script)

    assert (shown.error, waited_in(shown.session).in_vain_s) == (None, 0)


def test_looks_end_before_a_sealed_log_may_be_collected() -> None:
    """Each waits for as long as patience lasts, and no subscription needs an empty log whose retention is over."""
    look = 'a look for the place of "workers"'
    taken = ('A takes input from inputs for "workers"', "the seal of orders", "A has committed", 'B takes input from inputs for "workers"')

    assert trials(TABLE, "pulsar-scalable").find((*taken, "A begins a transaction", look, "A writes to orders late", look, look)) is None


@pytest.mark.parametrize("group", conforming_on(*PROTOCOLS), ids=lambda group: group[0].name)
def test_conforming_variants_are_silent(monkeypatch: pytest.MonkeyPatch, group: tuple[Defect, ...]) -> None:
    """A judge that speaks of one of these would speak of a conforming broker; those that change different functions are one broker."""
    assert found_on(group, TABLE, monkeypatch, 20, 4) is None


FOUND = {
    "core-kafka-second-commit-fences": ("CORE-42", ("A writes to orders", "A commits", "A commits again", "A writes to orders")),
    "core-kafka-second-abort-undoes-the-first": ("CORE-03", ("A writes to orders", "A aborts", "A aborts again")),
    "core-kafka-committed-is-aborted": ("CORE-13", ("A writes to orders", "A commits", "A aborts again")),
    "core-kafka-aborted-is-committed": ("CORE-14", ("A writes to orders", "A aborts", "A commits again")),
    "core-kafka-never-expires": ("CORE-15", ("C times out in orders",)),
    "core-kafka-late-commit-accepted": ("CORE-15", ("C times out in orders",)),
    "core-kafka-lost-transaction-is-committed": ("CORE-18", ("A writes to orders", "A loses its transaction", "A commits what it lost")),
    "core-kafka-late-write-shown": ("CORE-17", ("A writes to orders", "A loses its transaction", "A writes to orders what it lost")),
    "core-kafka-late-write-hangs": (
        "CORE-19",
        ("A writes to orders", "A loses its transaction", "A writes to orders what it lost", "a plain write to orders"),
    ),
    "core-kafka-late-write-hangs-elsewhere": (
        "CORE-19",
        ("A writes to orders", "A loses its transaction", "A writes to payments what it lost", "a plain write to payments"),
    ),
    "core-kafka-aborted-shown-to-followers": (
        "CORE-29",
        ("a plain write to orders", "a follower of orders", "A writes to orders", "A loses its transaction"),
    ),
    "core-kafka-one-place-for-all-groups": (
        "CORE-20",
        ('A takes input from inputs for "workers"', "A has committed", 'A takes input from inputs for "others"'),
    ),
    "core-kafka-repeated-end-ends-the-next": ("CORE-13", ("A writes to orders", "A commits", "A writes to orders", "A aborts again")),
    "core-kafka-late-to-its-commit-hides": ("CORE-31", ("A writes to orders", "A has committed", "A writes to orders late")),
    "core-kafka-repeated-write-is-stored": ("CORE-38", ("A writes to payments", "A sends its write again")),
    "core-kafka-pending-input-given-away": ("CORE-34", ('A and B process input for "workers"',)),
    "core-kafka-acknowledged-and-dropped": ("CORE-36", ("A writes to orders", "A writes to orders and commits, the commit first")),
    "core-kafka-places-forgotten-by-crash": ("CORE-20", ('A takes input from inputs for "workers"', "A has committed", "a crash")),
    "core-kafka-open-forgotten-by-crash": ("CORE-24", ("A writes to orders", "a crash")),
    "core-kafka-second-log-forgotten-by-crash": ("CORE-25", ("A writes to orders", "A writes to payments", "a crash")),
    "core-kafka-dirty-read": ("CORE-02", ("A writes to orders", "a look at orders")),
    "core-kafka-all-held-up": ("CORE-05", ("a plain write to orders", "A writes to orders", "a look at orders")),
    "core-kafka-abort-from-the-start": ("CORE-07", ("A writes to orders", "A commits", "A writes to orders", "A aborts")),
    "core-pulsar-large-transaction-cut": ("CORE-07", ("A writes many values to orders",)),
    "core-scalable-sealed-takes-writes": ("CORE-44", ("A writes to payments", "the seal of orders", "A writes to orders, which is sealed")),
    "core-scalable-sealed-shows-aborted": ("CORE-43", ("A writes to orders", "the seal of orders", "A aborts")),
    "core-scalable-seal-forgotten-by-reload": (
        "CORE-44",
        ("A writes to payments", "the seal of orders", "A writes to orders, which is sealed"),
    ),
    "core-scalable-sealed-is-open-for-ever": ("CORE-43", ("A writes to orders", "the seal of orders")),
}
"""Defects, the shortest sequence that shows each, and the requirement that is named."""


@pytest.mark.parametrize("name", FOUND)
def test_a_defect_is_seen_in_its_shortest_sequence(name: str) -> None:
    """Under the requirement that is broken, and with no act that it could do without."""
    requirement, acts = FOUND[name]

    assert shortest(trials(TABLE, DEFECTS[name].protocol, name), acts) == (requirement, acts, acts)


def test_a_finding_is_a_feature_that_fails_again(tmp_path: Path) -> None:
    """Under the same requirement, and on the same system alone: the honest one meets it."""
    name = "core-kafka-aborted-is-committed"
    results, again = tmp_path / "explored", tmp_path / "again"

    said = fencepost("explore", "--defect", name, "--results", results, expect=1, cwd=tmp_path).out
    [found] = [one["finding"] for one in json.loads((results / "explored.json").read_text())["explored"]]
    asked = ("run", "--feature", found["feature"], "--results", again, "--no-html")
    fencepost(*asked, "--defect", name, expect=1, cwd=tmp_path)
    broken = verdicts(again)
    fencepost(*asked, expect=0, cwd=tmp_path)

    assert f"FOUND {found['requirement']}" in said
    assert (results / "found").is_dir()
    assert broken == {found["requirement"]: "violated"}
    assert verdicts(again) == {found["requirement"]: "met"}


def test_a_folder_of_features_is_judged_with_the_bundled_ones(tmp_path: Path) -> None:
    """A team's own scenario of a requirement counts like ours."""
    broken = "core-kafka-order-turned"
    fencepost("explore", "--defect", broken, "--results", tmp_path / "explored", expect=1, cwd=tmp_path)
    more = ("--features", tmp_path / "explored" / "found", "--spec", "core", "--results", tmp_path / "results", "--no-html")

    fencepost("run", *more, expect=0, cwd=tmp_path)

    judged = json.loads((tmp_path / "results" / "compliance.json").read_text())["requirements"]
    files = {one["feature"] for row in judged for one in row["scenarios"]}
    assert {file.partition("/")[0] for file in files} == {"core", "found"}


def test_a_certificate_says_what_was_gone_through(tmp_path: Path) -> None:
    """How many sequences of which acts, on which system; and which acts never came."""
    said = fencepost("explore", "--depth", "1", "--results", tmp_path / "explored", expect=0, cwd=tmp_path).out
    reported = json.loads((tmp_path / "explored" / "explored.json").read_text())["explored"]

    assert [one["protocol"] for one in reported] == list(PROTOCOLS)
    for one in reported:
        assert (one["bounds"], one["whole"], one["finding"]) == ("every sequence of at most 1 act", True, None)
        assert one["sequences"] + len(one["acts_never_fired"]) == one["acts"]
        assert f"nothing found: {one['sequences']} sequences" in said


def test_what_has_no_time_ends_early_and_says_so(tmp_path: Path) -> None:
    """What was gone through until then is no certificate of all."""
    said = fencepost("explore", "--depth", "4", "--time", "0.01", "--results", tmp_path / "explored", expect=0, cwd=tmp_path).out

    assert said.count("the time was up before the end") == len(PROTOCOLS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--depth", "2", "--examples", "3"), "--depth and --examples exclude each other"),
        (("--time", "soon"), "--time soon: expected seconds, or a number with s, m or h"),
        (("--defect", "no-such"), "no-such"),
    ],
)
def test_what_cannot_be_explored_is_refused(tmp_path: Path, options: Sequence[str], said: str) -> None:
    """In one line, and nothing is begun."""
    finished = fencepost("explore", *options, expect=2, cwd=tmp_path)

    assert said in " ".join(finished.err.split())
    assert not list(tmp_path.iterdir())


def test_the_proof_says_which_defects_exploration_finds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And that it is silent on what conforms; the share is by proposal and protocol."""
    kept = ("core-kafka-dirty-read", "core-kafka-acknowledged-and-dropped")
    monkeypatch.setattr(exploration_proof, "DEFECTS", {name: DEFECTS[name] for name in kept})
    monkeypatch.setattr(exploration_proof, "CONFORMING", {"late-completion": CONFORMING["late-completion"]})
    monkeypatch.setattr(exploration_proof.forkserver, "pool", pool_of_this_process)

    code = exploration_proof.show(("core",), 30, 8, 1, 1, tmp_path / "proof")

    reported = json.loads((tmp_path / "proof" / "explored.json").read_text())
    assert code == Exit.CONFORMS
    assert (reported["complete"], [one["variant"] for one in reported["variants"]]) == (True, [*kept, "late-completion"])
    found = [one["variant"] for one in reported["variants"] if one["requirement"]]
    assert kept[0] in found
    assert [(one["defects"], one["found"]) for one in reported["summary"]] == [(2, len(found))]


@pytest.mark.parametrize(
    ("offers", "error", "said"),
    [(True, KeyError("no such version"), "broke off with KeyError"), (False, None, "it offers none of the acts")],
    ids=["a step that breaks off", "a system without any act"],
)
def test_the_proof_does_not_take_trouble_for_silence(
    monkeypatch: pytest.MonkeyPatch, offers: bool, error: Exception | None, said: str
) -> None:
    """Neither is a defect that was looked for and not found."""
    if error is not None:
        monkeypatch.setattr("fencepost.steps.core.core_context.CoreContext.write", raising(error))
    if not offers:
        monkeypatch.setattr("fencepost.steps.acts.act.Table.offered", lambda table, _: replace(table, acts=()))

    reach = exploration_proof._reach(exploration_proof._Task((DEFECTS["core-kafka-dirty-read"],), "core", 20, 5, 1))

    assert reach.trouble is not None
    assert said in reach.trouble
    assert not reach.is_found


def test_a_sample_is_drawn_by_the_seed_and_says_what_acts_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """The acts of the core ask for dirty reads, and for nothing of another proposal."""
    monkeypatch.setattr(exploration_proof.forkserver, "pool", pool_of_this_process)
    conforming, sequences, seconds = False, 1, 0.1
    monkeypatch.setattr(conforming_groups, "groups", lambda _: [])
    monkeypatch.setattr(
        exploration_proof, "_reach", lambda task: Reach(task.broker[0].name, "kafka", "core", conforming, sequences, seconds)
    )

    drawn = [[one.variant for one in exploration_proof.explored(("core",), 1, 5, seed, 1, 4)] for seed in (1, 1, 2)]

    assert len(set(drawn[0])) == 4
    assert drawn[0] == drawn[1] != drawn[2]
    asked = exploration_proof.asked_by(TABLE)
    assert "CORE-02" in asked
    assert asked <= {row.id for row in bundled().rows(("core",))}


def test_a_system_that_offers_no_act_is_not_explored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing found in no act would be no result."""
    monkeypatch.setattr("fencepost.steps.acts.act.Table.offered", lambda table, _: replace(table, acts=()))
    exploration = Exploration(
        RunOptions(results=tmp_path / "none"), ("core",), Bounds(examples=3), crashes=False, screen=Screen(StringIO())
    )

    with pytest.raises(WrongUsage, match=r"--spec core: .* offers none of its acts"):
        exploration.run()


def test_what_is_found_in_a_conforming_variant_fails_the_proof(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is a false red of exploration, whatever else was found."""
    conforming = Reach("late-completion", "kafka", "core", is_conforming=True, sequences=3, seconds=0.1, requirement="CORE-02", acts=("a",))
    monkeypatch.setattr(exploration_proof, "explored", lambda *_: iter([conforming]))

    assert exploration_proof.show(("core",), 30, 8, 1, 2, tmp_path / "proof") == Exit.DOES_NOT


OWN = """Feature: Mine

  @{tag} @MUST
  Rule: Mine
    Why.

    Scenario: [1] One
      Given {step}
      Then readers of orders see nothing
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OWN.format(tag="CORE-07", step="the log orders"), "own.feature:8: no sentence of core parses the Given 'the log orders'"),
        (OWN.format(tag="CORE-999", step='the log "orders"'), "own.feature:4: expected a Rule with the tag of a requirement"),
        ("Feature: Mine\n", "own.feature: expected Rules of one proposal, because the proposal decides what steps may say; found none"),
        ("nonsense", "own.feature: expected a feature file that can be read"),
    ],
)
def test_a_feature_that_cannot_be_played_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """With its line, before anything is started."""
    (tmp_path / "own.feature").write_text(text, encoding="utf-8")

    finished = fencepost("run", "--feature", tmp_path / "own.feature", expect=2, cwd=tmp_path)

    assert said in " ".join(finished.err.split())
    assert not (tmp_path / "results").exists()


def test_a_folder_without_features_is_refused(tmp_path: Path) -> None:
    """The user did not ask for the bundled ones alone."""
    assert "expected a folder with files called NAME.feature" in fencepost("run", "--features", tmp_path, expect=2, cwd=tmp_path).err


def test_several_at_once_are_the_same_sequences_for_the_same_seed() -> None:
    """Drawn before anything is answered, and played on one broker after the other: there is not room for all of them at a time."""
    busy: list[str] = []

    class Noted(Trials):
        def brokers(self, needs: frozenset[str]) -> tuple[Where, ...]:
            return (Where("crashing" if "crash" in needs else ""),)

        def put(self, script: object) -> SequenceResult:
            (broker,) = self.brokers(script.needs)  # type: ignore[attr-defined]
            busy.append(broker.configuration)
            noted.append(tuple(script.acts))  # type: ignore[attr-defined]
            return SequenceResult(noted[-1])

    noted: list[tuple[str, ...]] = []
    kept = []
    for _ in range(2):
        noted.clear()
        busy.clear()
        progress = search.at_once(Noted(TABLE, lambda *_: pytest.fail("no system is asked")), 30, 5, 9, 4, always)
        kept.append(sorted(noted))
        assert progress.count == 30
        assert [name for name, _ in itertools.groupby(busy)] in (["", "crashing"], ["crashing", ""])

    assert kept[0] == kept[1]


def test_few_sequences_have_what_a_broker_needs_long_to_prepare() -> None:
    """Some do, so that it is tested; a broker that prepared it for each of them would do little else."""
    costly = replace(TABLE, costly=frozenset({"crash"}))

    drawn, kept = (search.drawn_for_broker(table, 200, 10, random.Random(1)) for table in (TABLE, costly))

    with_crashes = [sum("crash" in script.needs for script in scripts) for scripts in (drawn, kept)]
    assert 0 < with_crashes[1] < with_crashes[0] / 4
    assert len(kept) == 200


@pytest.mark.parametrize(
    ("specs", "protocols"),
    [(("pip31",), ("pulsar",)), (("pip471",), ("pulsar-scalable",)), (("core", "pip460"), ("pulsar", "pulsar-scalable"))],
)
def test_pulsar_speaks_the_protocol_of_what_is_explored(specs: tuple[str, ...], protocols: tuple[str, ...]) -> None:
    """As in a run: that of scalable topics if a proposal is about these."""
    explored = Exploration(RunOptions("pulsar"), specs, Bounds(examples=1), crashes=False, screen=Screen(StringIO()))

    assert explored._about(explored.options).protocols() == protocols
