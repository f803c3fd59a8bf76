"""Twins: silent on what conforms, and each disturbance is seen noticing something; a red says where it stood and what differs."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from commands import fencepost
from twin_plays import names_of, twins_of

from fencepost.contract import gherkin
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.verdict import Verdict
from fencepost.proof import twin_proof
from fencepost.reference.defects.conforming.kafka_in_time import CoordinatorEpochStandsStill
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.kernel.journal import Disk
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays, falls_in
from fencepost.run.selection import Selection
from fencepost.twins import disturbances
from fencepost.twins import twin as twin_module
from fencepost.twins.observed_differences import differences
from fencepost.twins.twin import Twin, Twins, TwinVerdict
from fencepost.twins.twin_findings import TwinFindings
from fencepost.twins.twin_map import page

SAMPLE = ("KIP890-06*", "KIP890-13*", "KIP890-16*", "KIP890-35*", "CORE-0*")


@pytest.mark.parametrize("some", SAMPLE)
def test_the_reference_is_silent(some: str) -> None:
    """A sample of all disturbances and positions: nothing differs but what an exception says."""
    results = list(twins_of(some, names_of("kafka"), most=1, seed=7))

    assert [(one.play.name, one.disturbance, one.where, one.difference) for one in results if one.verdict is TwinVerdict.DIFFERS] == []
    assert sum(one.verdict is TwinVerdict.ALIKE for one in results) > 10


def first_difference(plain: Sequence[str], disturbed: Sequence[str], moves: Sequence[str] = ()) -> str | None:
    """The first difference between what two plays of one step have observed."""
    return next(differences([plain], [disturbed], moves), None)


def test_observations_are_compared_by_role() -> None:
    """Another member id or coordinator epoch is the same; another number, or two that were one, is not."""
    plain = ["assignment of A, which is member-0: done", "coordinator_epoch=0, offset 3", "again member-0"]

    assert (
        first_difference(plain, ["assignment of A, which is member-1-7: done", "coordinator_epoch=4, offset 3", "again member-1-7"]) is None
    )
    assert first_difference(plain, ["assignment of A, which is member-1: done", "coordinator_epoch=0, offset 3", "again member-2"])
    assert first_difference(plain, ["assignment of A, which is member-0: done", "coordinator_epoch=0, offset 4", "again member-0"])
    assert first_difference(plain, plain[:2])
    assert first_difference(["epoch 1", "epoch 2"], ["epoch 4", "epoch 5"])
    assert first_difference(["epoch 1", "epoch 2"], ["epoch 4", "epoch 5"], ["epoch"]) is None
    assert first_difference(["lso in 6 looks: never smaller"], ["lso in 7 looks: never smaller"]) is None
    assert first_difference(["lso in 6 looks: never smaller"], ["lso in 7 looks: smaller"])
    watermarks = ["low watermark: less than 0: -1"], ["low watermark: less than 2: 1"]
    assert first_difference(*watermarks)
    assert first_difference(*watermarks, ["transaction"]) is None


def test_where_a_disturbance_stands() -> None:
    """Before each step but the first; never after a fault that it would end, and not right after a system that is restarting."""
    crash = disturbances.bundled().by_name["crash"]

    def positions(*texts: str, needs: Sequence[str] = (), protocol: str = "kafka") -> list[int | None]:
        return crash.positions(
            [GherkinStep("Given", "Given", text, number) for number, text in enumerate(texts)], frozenset(needs), protocol
        )

    assert positions("a", "b", "c") == [1, 2]
    assert positions("a", "node 2 is paused", "c", "d") == [1]
    assert positions("a", "the system has crashed and is restarting", "c", "d") == [1, 3]
    assert positions("a consumer of it is attached", "b", "c", protocol="pulsar") == [1, 2]
    assert positions("a consumer of it is attached", "another consumer joins", "c", protocol="pulsar") == [1]
    assert positions("a consumer of it is attached", "b", "c") == [1, 2]
    assert disturbances.bundled().by_name["twice"].positions([], frozenset({"wire-faults"}), "kafka") == []
    assert disturbances.bundled().by_name["twice"].positions([], frozenset(), "kafka") == [None]


def test_a_twin_goes_down_where_its_scenario_does_and_for_its_disturbance() -> None:
    """In this order, so that it shares that with other plays which go down in the same way; each twin has a separate name."""
    known = disturbances.bundled().by_name
    options = RunOptions(selection=Selection.said([], ["KIP890-163"], [], []))
    with Plays(options) as plays:
        play = next(play for play in plays if play.falls == ("crash",))
        plain = Twins(plays.systems).plain(play)
    number = next(number for number in range(len(play.steps)) if falls_in("kip890", play.steps[: number + 1]))
    stops = [Twin.of(plain, known["clean-stop"], position) for position in range(1, len(play.steps))]
    twice = Twin.of(plain, known["twice"], None)

    assert [one.falls for one in stops] == [("stop", "crash")] * number + [("crash", "stop")] * (len(stops) - number)
    assert all(one.falls_before(one.position or 0) and one.falls_before(number) for one in stops)
    assert {"clean-stop", "crash"} <= stops[0].needs
    assert (twice.falls, twice.needs) == (play.falls, play.needs)
    assert len({one.run for one in (*stops, twice, play)}) == len(stops) + 2


def test_what_clients_find_after_the_last_step_is_compared() -> None:
    """Whatever the scenario itself looks at."""
    with Plays(RunOptions(selection=Selection.said([], ["KIP890-060"], [], []))) as plays:
        twins = Twins(plays.systems)
        plain = twins.plain(next(iter(plays)))
        twin = Twin.of(plain, disturbances.bundled().by_name["twice"], None)
        played = twins.play(twin)
        other = replace(played, last_look=("readers of payments-0: nothing",))
        alike, differs = (twins.result(twin, one) for one in (played, other))

    assert len(plain.last_look) > 1
    assert (alike.verdict, differs.verdict) == (TwinVerdict.ALIKE, TwinVerdict.DIFFERS)
    assert (differs.difference or "").endswith("; with it: readers of payments-0: nothing")


@pytest.mark.parametrize(("error", "verdict"), [(KeyError("offset"), Verdict.HARNESS_ERROR), (NoAnswer("late"), Verdict.INCONCLUSIVE)])
def test_a_last_look_that_breaks_off_is_reported(monkeypatch: pytest.MonkeyPatch, error: Exception, verdict: Verdict) -> None:
    """As the error of a step is: the scenario is not met, and a twin is not like it. The run goes on."""

    def break_off(*_: object) -> None:
        raise error

    with Plays(RunOptions(selection=Selection.said([], ["KIP890-060"], [], []))) as plays:
        twins, play = Twins(plays.systems), next(iter(plays))
        plain = twins.plain(play)
        monkeypatch.setattr(twin_module, "last_look_of", break_off)
        broken = twins.plain(play)
        result = twins.put(plain, disturbances.bundled().by_name["twice"], None)

    assert (plain.verdict, broken.verdict) == (Verdict.MET, verdict)
    assert result.verdict is TwinVerdict.DIFFERS
    assert str(error) in (result.difference or "")


def test_disturbances_are_named() -> None:
    """By words or lists; `all` are those that fit; an unknown one, and one that fits nothing that is asked, is refused."""
    known = disturbances.bundled()

    assert [one.name for one in known.named(["clean-stop,crash", "twice"], ["kip890"], ["kafka"])] == ["crash", "clean-stop", "twice"]
    assert len(known.named(["all"], ["kip890"], ["kafka"])) > len(known.named(["all"], ["core"], ["pulsar"])) > 0
    with pytest.raises(UnknownName, match="did you mean crash"):
        known.named(["crahs"], ["kip890"], ["kafka"])
    with pytest.raises(WrongUsage, match="--twins one-batch is for kafka, and pip31 is selected; for these there are: "):
        known.named(["one-batch"], ["pip31"], ["pulsar"])
    with pytest.raises(WrongUsage, match="--twins is empty"):
        known.named([","], ["kip890"], ["kafka"])


def test_a_run_says_where_and_what_and_keeps_it(tmp_path: Path) -> None:
    """Exit code 1 with a defect, and 0 without; the folder has every verdict, and a page on which no text of a system is markup."""
    about = ("run", "--twins", "crash,one-batch", "--only", "KIP890-352", "--twins-per-scenario", "4", "--results")

    healthy = fencepost(*about, tmp_path / "healthy", expect=0)
    broken = fencepost(*about, tmp_path / "broken", "--defect", "restart-forgets-members", expect=1)

    assert "0 differ" in healthy.out
    assert "X KIP890-352 [1] A member joins an empty group: crash before step" in broken.out
    reported = json.loads((tmp_path / "broken/twins.json").read_text("utf-8"))
    assert {"id": "KIP890-352", "disturbance": "crash", "verdict": "differs"} in reported["requirements"]
    assert {"id": "KIP890-352", "disturbance": "one-batch", "verdict": "not tried"} in reported["requirements"]
    noticed = next(one for one in reported["noticed"] if one["verdict"] == "differs")
    assert "UNKNOWN_MEMBER_ID" in noticed["difference"]
    assert "<script" not in (tmp_path / "broken/twins.html").read_text("utf-8")


def test_the_page_escapes_what_systems_say() -> None:
    """And shows the map, also of a scenario that is red by itself."""
    result = next(iter(twins_of("KIP890-060", ["crash"], most=1)))
    reported = TwinFindings(results=[replace(result, verdict=TwinVerdict.DIFFERS, difference="<script>alert(1)</script>")])

    text = page(reported, [disturbances.bundled().by_name["crash"]], "<system>")

    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "&lt;system&gt;" in text


def test_no_member_id_is_given_twice_where_the_coordinator_epoch_stands_still() -> None:
    """The variant keeps the epoch at a restart with nothing decided, and member ids of two lives of the broker differ."""
    disk, variant = Disk(), "coordinator-epoch-stands-still"
    first, second = CoordinatorEpochStandsStill(disk), CoordinatorEpochStandsStill(disk)
    second.append(KafkaTransaction("A", second.new_producer_id(), 0, 60_000, KafkaTransactionState.PREPARE_COMMIT))
    selection = Selection.said([], ["KIP890-353"], [], [])

    assert [one.coordinator_epoch for one in (first, second, CoordinatorEpochStandsStill(disk))] == [0, 0, 1]
    found = twin_proof.play(twin_proof.PlayedBroker(variant, "kafka", selection, ("crash",), True, 1, None, (variant,)))
    assert found.twins
    assert not found.is_noticed, found


def test_a_limit_holds_between_the_twins_of_one_scenario(tmp_path: Path) -> None:
    """On a broker the twins of one scenario take minutes, so the run does not wait for the last of them."""
    asked = ("--twins", "crash", "--only", "KIP890-352", "--defect", "restart-forgets-members", "--max-failures", "1")

    fencepost("run", *asked, "--results", tmp_path / "r", expect=4)

    reported = json.loads((tmp_path / "r/twins.json").read_text("utf-8"))
    assert (reported["stopped"], reported["twins"]["differs"]) == ("1 twin differed", 1)


DELETED = """\
Feature: A topic is deleted while a transaction is open that times out soon

  @KIP890-047 @MUST
  Rule: An offset is added after the deletion

    @needs:transactions-v2
    Scenario: [1] Another topic is deleted
      Given a topic "payments" with 1 partition
      And a topic "waste" with 1 partition
      And producer T with transactional id "brief" and a short timeout
      And producer E with transactional id "east"
      And E has committed "e1" to waste-0
      And T has sent offset 2 of payments-0 to group "shop"
      And topic "waste" has been deleted
      When T sends offset 3 of payments-0 to group "shop"
      Then it is done
"""


def test_the_log_cleaner_waits_for_no_deleted_topic(tmp_path: Path) -> None:
    """Whatever is open then would time out meanwhile."""
    (feature := tmp_path / "deleted.feature").write_text(DELETED, encoding="utf-8")

    out = fencepost("run", "--feature", feature, "--twins", "compaction", "--results", tmp_path / "r", expect=0).out

    assert "0 differ" in out


def test_a_scenario_that_is_red_by_itself_has_no_twins(tmp_path: Path) -> None:
    """What a disturbance changes in it could not be known; the run is red for it, as any run is."""
    asked = ("--twins", "one-batch", "--only", "KIP890-353", "--defect", "leaving-goes-unnoticed")

    ended = fencepost("run", *asked, "--results", tmp_path / "r", expect=1)

    assert "KIP890-353 [1] A member leaves: violated without a disturbance, so it has no twins" in ended.out
    reported = json.loads((tmp_path / "r/twins.json").read_text("utf-8"))
    assert reported["scenarios"]["violated"] > 0
    assert reported["twins"] == {"not tried": reported["scenarios"]["met"]}


def test_what_keeps_a_disturbance_out_is_a_step_of_some_scenario() -> None:
    """A sentence that was reworded would let it in."""
    said = {step.text for feature in gherkin.bundled() for step in feature.said}
    steps = {one.step for disturbance in disturbances.bundled().by_name.values() for one in disturbance.not_after}

    assert steps
    assert {step for step in steps if not any(re.search(step, text) for text in said)} == set()
