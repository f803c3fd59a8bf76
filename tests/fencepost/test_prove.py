"""The proof: what counts as caught, what is a hole, and what is a false red."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import pytest
from commands import fencepost

from fencepost.contract import register
from fencepost.contract.evidence import Mismatch
from fencepost.contract.register import Register
from fencepost.contract.symptom import Symptom
from fencepost.proof import conforming_groups, kill_matrix
from fencepost.proof import defect_proof as prove_module
from fencepost.proof.defect_proof import Breadth, Hole, Proof, Seen, protocols_asked
from fencepost.reference import pulsar
from fencepost.reference.defects import CONFORMING, DEFECTS, Defect
from fencepost.reference.defects.watch import classes_by_part
from fencepost.reference.kafka import KafkaParts
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog

BUMP = DEFECTS["no-epoch-bump"]
LATE = CONFORMING["late-completion"]
EPOCH = CONFORMING["another-leader-epoch"]
ROWS = {"KIP890-060": ("kafka",), "KIP890-061": ("kafka",)}
ROW = {"KIP890-060": ("kafka",)}
HOLE = Hole("KIP890-060", "kafka")
ANY = Symptom(seen=".")
DUE = Mismatch("x", "success with (producer id 7, epoch 0)", "answer")


def seen(verdict: str, violation: Mismatch = DUE, **changes: object) -> Seen:
    found = Seen(BUMP, {"KIP890-060": verdict}, {"KIP890-060": str(violation)}, {"KIP890-060": violation})
    return dataclasses.replace(found, **changes)  # type: ignore[arg-type]


def test_a_defect_that_is_caught_for_its_reason_proves_its_requirement() -> None:
    """And only its own: the other requirement is a hole."""
    proof = Proof(ROWS, (seen("violated"),))

    assert proof.proved == {"KIP890-060": ["no-epoch-bump"], "KIP890-061": []}
    assert (proof.holes, proof.missed, proof.holds) == ([Hole("KIP890-061", "kafka")], [], False)


@pytest.mark.parametrize(
    "one",
    [
        Seen(BUMP, {"KIP890-060": "met"}, {}, {}),
        seen("violated", Mismatch("x", "another thing", "answer")),
        seen("inconclusive"),
        Seen(BUMP, {"KIP890-061": "violated"}, {"KIP890-061": str(DUE)}, {"KIP890-061": DUE}),
    ],
)
def test_a_defect_that_is_not_caught_for_its_reason_leaves_a_hole(one: Seen) -> None:
    """One that does nothing, one with another symptom, one that only its neighbour sees."""
    proof = Proof(ROW, (one,))

    assert (proof.missed, proof.holes, proof.holds) == ([one], [HOLE], False)


TWICE = dataclasses.replace(BUMP, breaks={"KIP890-060": Symptom(seen="epoch 0"), "KIP890-061": Symptom(seen="epoch 7")})


def test_a_defect_that_breaks_two_requirements_is_caught_when_each_shows_its_own_symptom() -> None:
    """The symptom of one is none of the other's; what shows is proved all the same, and the defect is named."""
    verdicts = {"KIP890-060": "violated", "KIP890-061": "violated"}
    both = Seen(TWICE, verdicts, {}, {"KIP890-060": Mismatch("x", "epoch 0", "answer"), "KIP890-061": Mismatch("x", "epoch 7", "answer")})
    one = Seen(TWICE, verdicts, {}, {"KIP890-060": Mismatch("x", "epoch 0", "answer"), "KIP890-061": Mismatch("x", "epoch 0", "answer")})

    assert Proof(ROWS, (both,)).holds
    assert (Proof(ROWS, (one,)).missed, Proof(ROWS, (one,)).holes, one.unproved) == ([one], [Hole("KIP890-061", "kafka")], ["KIP890-061"])


@pytest.mark.parametrize(
    ("one", "conforming"),
    [
        (Seen(LATE, {"KIP890-060": "met", "KIP890-061": "not_offered"}, {}, {}), True),
        (Seen(LATE, {"KIP890-060": "violated"}, {"KIP890-060": "x"}, {}), False),
        (Seen(LATE, {"KIP890-060": "inconclusive"}, {"KIP890-060": "x"}, {}), False),
    ],
)
def test_a_conforming_variant_that_anything_catches_is_a_false_red(one: Seen, conforming: bool) -> None:
    """A conforming variant must stay green."""
    proof = Proof(ROW, (seen("violated"), one))

    assert proof.holds is conforming
    assert proof.false_reds == ([] if conforming else [one])


@pytest.mark.parametrize("one", [seen("violated", trouble="it never took effect"), Seen(LATE, {}, {}, {}, "the run ended with 2")])
def test_what_does_not_apply_is_named_and_not_counted(one: Seen) -> None:
    """It counts neither as a proof, nor as a conforming variant that stayed green; and the proof does not hold."""
    proof = Proof(ROW, (seen("violated"), one))

    assert (proof.inapplicable, proof.missed, proof.false_reds, proof.holds) == ([one], [], [], False)
    assert proof.proved == {"KIP890-060": ["no-epoch-bump"]}
    assert "does not apply" in kill_matrix.page(proof)


def test_a_proof_that_is_stopped_says_what_it_does_not_know(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was not tried is no hole; the page and the matrix exist, and the exit code is that of a run that has not finished."""
    stopped = Proof(ROWS, (seen("violated"),), (DEFECTS["no-epoch-bump-on-abort"],))
    monkeypatch.setattr(kill_matrix, "prove", lambda *_: stopped)

    code = kill_matrix.show(("kip890",), False, 1, tmp_path)

    assert (code, stopped.holds, stopped.holes, stopped.undecided) == (4, False, [], ["KIP890-061"])
    reported = json.loads((tmp_path / "prove.json").read_text(encoding="utf-8"))
    assert (reported["complete"], reported["stopped"]) == (False, "stopped after 1 of 2 variants")
    assert "stopped after 1 of 2 variants" in (tmp_path / "prove.html").read_text(encoding="utf-8")


def test_an_interrupt_keeps_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variants that were not run are named."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    proof = proof_of(monkeypatch, "CORE-02", defects=(IN_KAFKA, IN_PULSAR), report=interrupt)

    assert (len(proof.seen), len(proof.not_run), proof.holds) == (1, 1, False)
    assert proof.undecided == ["CORE-02"]


def proof_of(
    monkeypatch: pytest.MonkeyPatch,
    *rows: str,
    defects: tuple[Defect, ...],
    report: Callable[..., None] = lambda *_: None,
    specs: tuple[str, ...] = (),
    breadth: Breadth = Breadth.ITS_FEATURES,
) -> Proof:
    """The real thing, for a register that has only these rows tested, and these variants."""
    monkeypatch.setattr(prove_module, "CONFORMING", {defect.name: defect for defect in defects if defect.is_conforming})
    monkeypatch.setattr(prove_module, "DEFECTS", {defect.name: defect for defect in defects if not defect.is_conforming})
    tested = {
        spec: tuple(row.model_copy(update={"planned": row.id not in rows, "excluded": None}) for row in own)
        for spec, own in register.bundled().by_spec.items()
    }
    return prove_module.prove(Register(tested), specs, breadth, workers=1, report=report)


VARIANTS = {
    "does nothing": (dataclasses.replace(BUMP, parts=KafkaParts()), "it replaces no function of any part"),
    "is not tested": (dataclasses.replace(BUMP, breaks={"KIP890-061": ANY}), "it breaks KIP890-061, which is planned and has no scenario"),
    "breaks an unknown row": (dataclasses.replace(BUMP, breaks={"KIP890-999": ANY}), "it breaks KIP890-999, which is in no register"),
    "is never called": (
        dataclasses.replace(BUMP, parts=DEFECTS["pattern-ignored"].parts),
        "it never took effect: nothing that it was asked calls",
    ),
    "crashes at the start": (
        dataclasses.replace(BUMP, parts=KafkaParts(advertised_api_versions=cast(Any, KafkaTransactionLog))),
        "nothing could be judged: ",
    ),
}


@pytest.mark.parametrize("what", VARIANTS)
def test_a_defect_that_does_not_apply_leaves_a_hole(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named with the reason, and its requirement is a hole."""
    defect, reason = VARIANTS[what]

    proof = proof_of(monkeypatch, "KIP890-060", defects=(defect,))

    assert proof.holes == [HOLE]
    (one,) = proof.inapplicable
    assert reason in (one.trouble or "")


def test_a_defect_is_asked_no_more_than_the_breadth_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own requirement, which proves as much; those of its feature, so that the matrix shows what else is red; or all of
    its protocol.
    """
    rows = ("KIP890-060", "KIP890-061", "KIP890-126")

    found = {breadth: proof_of(monkeypatch, *rows, defects=(BUMP,), breadth=breadth) for breadth in Breadth}

    asked = {breadth: set(proof.seen[0].verdicts) for breadth, proof in found.items()}
    assert asked == {
        Breadth.UNTIL_SHOWN: {rows[0]},
        Breadth.ITS_OWN: {rows[0]},
        Breadth.ITS_FEATURES: {*rows[:2]},
        Breadth.EVERYTHING: {*rows},
    }
    assert {breadth for breadth, proof in found.items() if proof.proved[rows[0]] == [BUMP.name]} == set(Breadth)


IN_KAFKA = DEFECTS["core-kafka-dirty-read"]
IN_PULSAR = DEFECTS["core-pulsar-dirty-read"]
IN_SEGMENTS = DEFECTS["core-scalable-dirty-read"]


def test_a_requirement_of_the_core_is_proved_under_each_protocol_or_a_hole_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one probe can see does not show what the other can; the page and the matrix say which one is missing."""
    proof = proof_of(monkeypatch, "CORE-02", defects=(IN_KAFKA,))

    holes = [Hole("CORE-02", "pulsar"), Hole("CORE-02", "pulsar-scalable")]
    assert (proof.proved, proof.holes) == ({"CORE-02": [IN_KAFKA.name]}, holes)
    assert kill_matrix.as_json(proof)["requirements"][0]["holes"] == ["pulsar", "pulsar-scalable"]
    assert "not proved under pulsar" in kill_matrix.page(proof)


def test_with_a_defect_of_each_protocol_a_requirement_of_the_core_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is run on the reference of its protocol."""
    proof = proof_of(monkeypatch, "CORE-02", defects=(IN_KAFKA, IN_PULSAR, IN_SEGMENTS))

    assert proof.holds
    assert proof.proved == {"CORE-02": [IN_KAFKA.name, IN_PULSAR.name, IN_SEGMENTS.name]}


def test_a_requirement_is_proved_only_under_protocols_that_offer_something_of_it() -> None:
    """No log of Kafka or of classic Pulsar can be sealed: their references have no hole there."""
    assert protocols_asked("CORE-43", register.bundled()) == ("pulsar-scalable",)
    assert protocols_asked("CORE-02", register.bundled()) == ("kafka", "pulsar", "pulsar-scalable")
    assert protocols_asked("KIP890-060", register.bundled()) == ("kafka",)


def test_a_conforming_variant_that_no_proposal_comes_across_is_left_out_of_their_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """It proves nothing for or against them; where all proposals are tested, it is named."""
    unmet = dataclasses.replace(LATE, name="unmet", parts=DEFECTS["pattern-ignored"].parts)

    everything = proof_of(monkeypatch, "KIP890-060", defects=(BUMP, unmet))
    one_proposal = proof_of(monkeypatch, "KIP890-060", defects=(BUMP, unmet), specs=("kip890",))

    assert [one.defect.name for one in everything.inapplicable] == ["unmet"]
    assert one_proposal.holds
    assert not one_proposal.inapplicable


def test_conforming_variants_that_change_different_functions_are_one_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """It clears both if nothing catches it; each is reported separately."""
    assert conforming_groups.groups((LATE, EPOCH)) == [(LATE, EPOCH)]

    proof = proof_of(monkeypatch, "KIP890-060", defects=(BUMP, LATE, EPOCH))

    assert [(one.defect, one.verdicts) for one in proof.seen[1:]] == [(one, {"KIP890-060": "met"}) for one in (LATE, EPOCH)]
    assert proof.holds


def test_a_conforming_broker_that_is_caught_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the variant that is caught alone is a false red."""
    wrong = dataclasses.replace(BUMP, name="called-conforming", breaks={})

    proof = proof_of(monkeypatch, "KIP890-060", defects=(BUMP, LATE, EPOCH, wrong))

    assert [one.defect for one in proof.false_reds] == [wrong]
    assert [one.defect for one in proof.seen] == [BUMP, LATE, EPOCH, wrong]


def test_each_conforming_variant_stands_in_one_group_with_others_that_it_does_not_touch() -> None:
    """Of its protocol, with other functions; and the group's broker has each function that makes one of them different."""
    grouped = conforming_groups.groups(CONFORMING.values())

    assert sorted(variant.name for group in grouped for variant in group) == sorted(CONFORMING)
    assert len(grouped) < len(CONFORMING) / 6
    for group in grouped:
        broker, changes = (
            conforming_groups.as_one(group).parts,
            [change for variant in group for change in conforming_groups.changes_of(variant)],
        )
        assert len(changes) == len(set(changes))
        assert len({variant.protocol for variant in group}) == 1
        for variant in group:
            for part, own in classes_by_part(variant.parts).items():
                made = {name for one in own for name, member in vars(one).items() if isinstance(member, FunctionType)}
                assert all(getattr(getattr(broker, part), name) is getattr(own[0], name) for name in made)


def test_conforming_variants_that_set_the_same_value_are_no_one_broker() -> None:
    """Each keeps its own notes under that name, and the other would read them as its own."""

    class Counts(KafkaTransactionLog):
        def note(self) -> None:
            self.noted = 1

    class Collects(KafkaTransactionLog):
        def keep(self) -> None:
            self.noted = {1}

    counts, collects = (
        dataclasses.replace(LATE, name=part.__name__, parts=KafkaParts(transaction_log=part)) for part in (Counts, Collects)
    )

    assert conforming_groups.groups((counts, collects)) == [(counts,), (collects,)]


def test_a_conforming_variant_is_asked_only_what_binds_its_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    """The core is asked of both; a proposal of Kafka only of Kafka's, and a conforming variant of Pulsar is then not asked at all."""
    in_pulsar = dataclasses.replace(LATE, name="late-in-pulsar", parts=pulsar.PulsarParts(network=LATE.parts.network))

    both = proof_of(monkeypatch, "CORE-02", "KIP890-060", defects=(BUMP, IN_KAFKA, IN_PULSAR, IN_SEGMENTS, LATE, in_pulsar))
    one = proof_of(monkeypatch, "KIP890-060", defects=(BUMP, LATE, in_pulsar))

    asked = {seen.defect.name: sorted(seen.verdicts) for seen in both.seen if seen.defect.is_conforming}
    assert asked == {LATE.name: ["CORE-02", "KIP890-060"], in_pulsar.name: ["CORE-02"]}
    assert (both.holds, one.holds) == (True, True)
    assert in_pulsar.name not in {seen.defect.name for seen in one.seen}


def test_a_defect_of_another_protocol_than_its_requirement_does_not_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    """A requirement of KIP-890 cannot be broken by a Pulsar broker; it is a hole."""
    proof = proof_of(monkeypatch, "KIP890-060", defects=(dataclasses.replace(IN_PULSAR, breaks={"KIP890-060": ANY}),))

    assert proof.holes == [HOLE]
    assert [one.trouble for one in proof.inapplicable] == [
        "it breaks KIP890-060, which is tested on kafka, and it is in a broker of pulsar"
    ]


def test_a_defect_that_is_switched_to_do_nothing_is_a_hole_that_the_command_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1; the requirement and the defect are in the output."""
    idle = dataclasses.replace(BUMP, parts=CONFORMING["another-leader-epoch"].parts)
    proof = proof_of(monkeypatch, "KIP890-060", defects=(idle,))
    monkeypatch.setattr(kill_matrix, "prove", lambda *_: proof)

    code = kill_matrix.show(("kip890",), False, 1, tmp_path)

    reported = " ".join(capsys.readouterr().out.split())
    assert code == 1
    assert "not caught: no-epoch-bump breaks KIP890-060" in reported
    assert "hole: no defect turns KIP890-060 red" in reported


def test_the_page_shows_holes_and_escapes_what_it_shows() -> None:
    """A reader sees what is not proved; no text of ours becomes markup."""
    evil = dataclasses.replace(BUMP, name="<script>", story="<b>")
    page = kill_matrix.page(Proof(ROWS, (seen("violated", defect=evil),)))

    assert '<td class="proves"' in page
    assert 'tr class="hole"' in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page


def test_the_command_names_the_holes(tmp_path: Path) -> None:
    """Exit code, files, and wrong usage, from outside."""
    finished = fencepost("prove", "--spec", "kip980", expect=2)
    assert "did you mean kip890?" in finished.err

    assert "cannot be written to" in fencepost("prove", "--results", "/proc/nowhere", expect=2, cwd=tmp_path).err


def test_the_matrix_is_written_for_programs() -> None:
    """Every requirement with what proves it, every variant with what it did."""
    found = json.loads(json.dumps(kill_matrix.as_json(Proof(ROWS, (seen("violated"),)))))

    assert found["requirements"] == [
        {"id": "KIP890-060", "protocols": ["kafka"], "proved_by": ["no-epoch-bump"], "holes": []},
        {"id": "KIP890-061", "protocols": ["kafka"], "proved_by": [], "holes": ["kafka"]},
    ]
    assert found["variants"][0] | {"origin": ""} == {
        "name": "no-epoch-bump",
        "breaks": {
            "KIP890-060": {
                "symptom": BUMP.breaks["KIP890-060"].model_dump(),
                "violation": {
                    "what": "answer",
                    "expected": "x",
                    "seen": "success with (producer id 7, epoch 0)",
                    "error": None,
                    "code": None,
                },
                "caught": True,
            }
        },
        "protocol": "kafka",
        "origin": "",
        "caught": True,
        "red": ["KIP890-060"],
        "trouble": None,
    }
