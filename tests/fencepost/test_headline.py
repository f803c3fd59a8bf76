"""The lines at the end of a run: what was asked and how it ended, in numbers that compliance.json has too."""

from collections import Counter
from dataclasses import replace

import pytest

from fencepost.console import verdict_matrix
from fencepost.contract.editions import Counting, Edition
from fencepost.contract.ports import Handshake
from fencepost.contract.register import Register, Requirement
from fencepost.contract.verdict import Gate, ScenarioResult, Verdict
from fencepost.results.compliance_document import Compliance
from fencepost.results.markdown_summary import asked, ending, render
from fencepost.results.run_results import Results
from fencepost.run.selection import Selection


def row(name: str, **other: object) -> Requirement:
    said = {"level": "MUST", "source": "text", "section": "A section", "statement": "It does.", "check": "Look."}
    return Requirement.model_validate({"id": name, **said, **other})


REGISTER = Register(
    {
        "kip890": (*(row(f"KIP890-{number:03}") for number in range(1, 6)), row("KIP890-006", planned=True)),
        "pip31": (row("PIP31-01", level="SHOULD"), row("PIP31-02", excluded="it cannot be seen from outside")),
    }
)


STRANGER = Handshake("1.0", True, "seed", frozenset())


class Terminal:
    """Remembers what is written, without its colours."""

    def __init__(self) -> None:
        self.text = ""

    def write_line(self, text: str, **_: bool) -> None:
        self.text += text + "\n"


def results_of(verdicts: dict[str, Verdict], **other: object) -> Results:
    results = Results(REGISTER, other.pop("selection", Selection(("kip890",))), "kafka", **{"complete": True, **other})  # type: ignore[arg-type]
    for name, verdict in verdicts.items():
        results.scenarios.append(ScenarioResult(name, "kip890/ending.feature", "[1] One", verdict, "for a reason", 1, 0.1))
    return results


def end_of(results: Results) -> list[str]:
    """The lines after the matrix."""
    terminal = Terminal()
    verdict_matrix.write_headline(results, terminal)
    return [line.strip() for line in terminal.text.splitlines()]


def five(*verdicts: Verdict) -> dict[str, Verdict]:
    return dict(zip([one.id for one in REGISTER.by_spec["kip890"]], verdicts, strict=False))


M, V, K, N, I, H = Verdict.MET, Verdict.VIOLATED, Verdict.KNOWN_DEVIATION, Verdict.NOT_OFFERED, Verdict.INCONCLUSIVE, Verdict.HARNESS_ERROR  # noqa: E741


def test_only_proposals_that_were_asked_about_are_named() -> None:
    """A run of one requirement says nothing about the other proposals."""
    results = results_of(five(M), selection=Selection(only=("KIP890-001",)))

    assert end_of(results)[-1] == "kafka conforms as far as it was tested against KIP-890"


PLANNED, PARTLY = "not tested: 1 planned", "kafka conforms as far as it was tested against KIP-890"


@pytest.mark.parametrize(
    ("results", "reported"),
    [
        (results_of(five(M, M, M, M, M)), ["5 of 5 tested: 5 met", PLANNED, "kafka conforms to KIP-890"]),
        (
            results_of(five(M, M, K, N, N)),
            [
                "3 of 5 tested: 2 met, 1 known deviation; 2 not offered",
                PLANNED,
                PARTLY,
            ],
        ),
        (
            results_of(five(M, M, M, V, N)),
            ["4 of 5 tested: 3 met, 1 violated; 1 not offered", PLANNED, "kafka does not conform: 1 violated"],
        ),
        (
            results_of(five(M, M, M, M, N), gate=Gate(strict=True)),
            [
                "4 of 5 tested: 4 met; 1 not offered",
                PLANNED,
                "kafka has no verdict: 1 not offered, and --strict counts them",
            ],
        ),
        (
            results_of(five(M, M, M, I, H)),
            ["5 of 5 tested: 3 met, 1 inconclusive, 1 harness error", PLANNED, "kafka has no verdict: 1 harness error, 1 inconclusive"],
        ),
        (
            results_of({"KIP890-002": M}, selection=Selection(("kip890",), only=("KIP890-002",))),
            ["1 of 1 tested: 1 met", "not tested: 5 not selected", PARTLY],
        ),
        (
            results_of(five(M, M, M, M, M) | {"PIP31-01": M}, selection=Selection(("kip890", "pip31"))),
            ["6 of 6 tested: 6 met", "not tested: 1 excluded, 1 planned", "kafka conforms to KIP-890 and PIP-31"],
        ),
        (
            results_of(five(M, M), complete=False, stopped="SIGTERM"),
            ["2 of 5 tested: 2 met; 3 not reached", PLANNED, "kafka has no verdict: the run was stopped"],
        ),
        (
            results_of(five(M, V), complete=False, stopped="SIGTERM"),
            ["2 of 5 tested: 1 met, 1 violated; 3 not reached", PLANNED, "kafka does not conform: 1 violated"],
        ),
        (
            results_of(five(M, M), complete=False),
            [
                "2 of 5 tested: 2 met; 3 not reached",
                PLANNED,
                "kafka has no verdict: the run lost scenarios, which is fencepost's fault",
            ],
        ),
        (
            results_of(five(M, M, M, M, M), stopped="SIGINT"),
            ["5 of 5 tested: 5 met", PLANNED, "kafka has no verdict: the histories were not judged"],
        ),
        (
            results_of(five(N, N, K, N, N)),
            ["1 of 5 tested: 1 known deviation; 4 not offered", PLANNED, "kafka does not conform: nothing was met"],
        ),
    ],
)
def test_the_headline_counts_what_was_asked_and_says_what_it_means(results: Results, reported: list[str]) -> None:
    """The headline covers only the selected proposals, and reports separately what was not asked."""
    assert end_of(results) == reported


def test_the_numbers_of_the_headline_can_be_worked_out_from_compliance_json() -> None:
    """Compared by the verdict of each requirement."""
    results = results_of(five(M, M, K, N, V))
    rows = [one for one in results.as_json()["requirements"] if one["selected"]]
    judged = Counter(one["verdict"] for one in rows if not (one["reason"] or "").startswith("planned"))

    assert judged == {"met": 2, "known_deviation": 1, "not_offered": 1, "violated": 1}
    assert results.as_json()["scenarios"] == {"selected": None, "judged": 5}


@pytest.mark.parametrize(
    ("results", "reported"),
    [
        (results_of(five(M, M), complete=False, stopped="SIGTERM", selected=9), "stopped after 2 of 9 scenarios, nothing red (SIGTERM)"),
        (
            results_of(five(M, V, H), complete=False, stopped="--timeout 9m", selected=9),
            "stopped after 3 of 9 scenarios, 2 red (--timeout 9m)",
        ),
        (results_of({}, complete=False, stopped="SIGINT"), "stopped before the scenarios were known, nothing red (SIGINT)"),
        (
            results_of(five(M, M), stopped="SIGINT", selected=2),
            "stopped after all scenarios, but before their histories were judged, nothing red (SIGINT)",
        ),
    ],
)
def test_a_run_that_was_stopped_says_how_far_it_came(results: Results, reported: str) -> None:
    """And whether something was red by then."""
    terminal = Terminal()
    verdict_matrix.write_stopped(results, terminal)

    assert terminal.text == f"{reported}\n"


def test_a_row_of_one_implementation_is_distinguished_and_speaks_for_no_proposal() -> None:
    """A stranger that differs in a parity row conforms; a build of the release does not, nor whom the user holds to it."""
    parity = row("KIP890-004", source="implementation")
    register = Register({"kip890": (*(one for one in REGISTER.by_spec["kip890"][:3]), parity)})

    def ends(handshake: Handshake, gate: Gate | None = None, fourth: Verdict = V) -> tuple[bool, str]:
        results = results_of(five(M, M, M, fourth), handshake=handshake, gate=gate or Gate())
        results.register = register
        return results.conforms(), end_of(results)[-1]

    build = replace(STRANGER, judged_as=("kafka", "4.3.1"))
    assert ends(STRANGER) == (True, "kafka conforms to KIP-890; 1 of 1 parity rows differs")
    assert ends(STRANGER, fourth=I) == (True, "kafka conforms to KIP-890; 1 of 1 parity rows is inconclusive")
    assert ends(STRANGER, fourth=M) == (True, "kafka conforms to KIP-890")
    assert ends(STRANGER, fourth=H)[0] is False
    assert ends(STRANGER, Gate(parity=True)) == (False, "kafka does not conform: 1 violated (1 of 1 parity rows differs)")
    assert ends(STRANGER, Gate(strict=True))[0] is False
    assert ends(build)[0] is False
    assert ends(build, Gate(parity=False))[0] is True


EDITION = Counting({"kip890": Edition("2026.12", ("KIP890-001", "KIP890-002", "KIP890-003")), "pip31": None})


@pytest.mark.parametrize(
    ("results", "conforms", "last"),
    [
        (results_of(five(M, M, M, V, I), counting=EDITION), True, "kafka conforms to KIP-890 (Fencepost edition 2026.12)"),
        (results_of(five(M, M, V, M, M), counting=EDITION), False, "kafka does not conform: 1 violated"),
        (results_of(five(M, M, M, M, H), counting=EDITION), False, "kafka has no verdict: 1 harness error"),
        (results_of(five(M, M, M, V, M), counting=replace(EDITION, is_next=True)), False, "kafka does not conform: 1 violated"),
        (
            results_of({"KIP890-004": V}, counting=EDITION, selection=Selection(only=("KIP890-004",))),
            True,
            "kafka has no verdict: no tested requirement counts yet in KIP-890 (Fencepost edition 2026.12); --edition next counts them",
        ),
    ],
)
def test_a_requirement_outside_of_the_edition_fails_no_system(results: Results, conforms: bool, last: str) -> None:
    """It counts in the next edition; a harness error on it is the kit's fault, and counts at once."""
    assert (results.conforms(), end_of(results)[-1]) == (conforms, last)
    assert ending(Compliance.model_validate(results.as_json())).startswith("conforms") == last.startswith("kafka conforms")


def test_provisional_requirements_are_counted_apart() -> None:
    """In the headline, in compliance.json and in the summary."""
    results = results_of(five(M, M, M, V, M), counting=EDITION)
    document = results.as_json()
    run = Compliance.model_validate(document)

    assert end_of(results)[0] == "3 of 3 tested: 3 met; 2 provisional: 1 met, 1 violated"
    assert {verdict: count for verdict, count in document["totals"].items() if count} == {"met": 3, "not_run": 1, "excluded": 1}
    assert {verdict: count for verdict, count in document["provisional"].items() if count} == {"met": 1, "violated": 1, "not_run": 1}
    assert document["editions"] == {"kip890": "2026.12"}
    assert [row["id"] for row in document["requirements"] if row["provisional"]] == ["KIP890-004", "KIP890-005", "PIP31-01"]
    assert asked(run) == "3 of 3 requirements tested: 3 met; 2 provisional: 1 violated, 1 met"
    assert ending(run) == "conforms as far as it was tested (Fencepost edition 2026.12)"
    assert "violated (provisional, which does not count before the next edition)" in render(run)
