"""The command line, as a process: exit codes, clear errors, and a results folder that can be read."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from commands import CHECKOUT, compliance, fencepost, verdicts
from stopped import begun

SCHEMA = json.loads((CHECKOUT / "fencepost" / "compliance.schema.json").read_text(encoding="utf-8"))


def test_the_reference_meets_every_tested_requirement(reference_run: tuple[Path, str]) -> None:
    """The main job: complete, nothing red, and every row that is not planned is met."""
    found = compliance(reference_run[0])
    rows = json.loads(fencepost("list", "--format", "json", expect=0).out)
    tested, statuses = [row["id"] for row in rows if row["status"] == "tested"], [row["status"] for row in rows]

    assert found["complete"] is True
    assert [row["id"] for row in found["requirements"] if row["verdict"] == "met"] == tested
    rest = {"not_run": statuses.count("planned"), "excluded": statuses.count("excluded")}
    provisional = found["provisional"]["met"]
    assert found["totals"] == {**dict.fromkeys(found["totals"], 0), "met": len(tested) - provisional, **rest}
    assert found["provisional"] == {**dict.fromkeys(found["provisional"], 0), "met": provisional}


def test_compliance_follows_its_published_schema(reference_run: tuple[Path, str]) -> None:
    """Other programs can rely on the names."""
    found = compliance(reference_run[0])

    jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(found)
    counted = sum(found["totals"].values()) + sum(found["provisional"].values())
    assert counted == len(found["requirements"]) == len({row["id"] for row in found["requirements"]})


def test_the_results_folder_has_what_it_promises(reference_run: tuple[Path, str]) -> None:
    """Allure results with a step per sentence, and the environment without a path of this machine."""
    folder = reference_run[0]
    results = [json.loads(path.read_text(encoding="utf-8")) for path in (folder / "allure-results").glob("*-result.json")]
    one = next(result for result in results if result["name"] == "[1] A commit of one record")
    labels = {(label["name"], label["value"]) for label in one["labels"]}

    assert len(results) == sum(len(row["scenarios"]) for row in compliance(folder)["requirements"])
    assert [step["name"].split()[0] for step in one["steps"]] == ["Given", "Given", "And", "When", "Then", "And"]
    assert ("epic", "KIP-890") in labels
    assert ("feature", "Ending a transaction") in labels
    assert any(name == "story" and value.startswith("KIP890-060 ") for name, value in labels)
    assert not any(result.get("attachments") for result in results)
    files = [path for path in folder.rglob("*") if path.is_file()]
    # a history and a result for each scenario, exchanges for those of Kafka, and what is there once
    assert len(files) <= 3 * len(results) + 10
    assert not {name for name, _ in labels} & {"host", "thread"}
    written = "".join(
        path.read_text(encoding="utf-8") for path in [folder / "environment.json", *(folder / "allure-results").glob("*.json")]
    )
    assert str(CHECKOUT) not in written
    assert f'"{socket.gethostname()}"' not in written


def test_the_terminal_ends_with_the_matrix_and_the_denominator(reference_run: tuple[Path, str]) -> None:
    """What was judged, out of how much."""
    out = reference_run[1]

    assert "+060 +061 +063" in out
    totals = compliance(reference_run[0])["totals"]
    assert f"  {totals['met']} of {totals['met']} tested: {totals['met']} met" in out
    assert f"\n  not tested: {totals['excluded']} excluded" in out
    assert "  reference conforms to core, KIP-890, PIP-31, PIP-460, PIP-471 and transaction key (Fencepost edition 2026.12)\n" in out


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("run", "kafak"), "unknown system 'kafak'; did you mean kafka?"),
        (("run", "--spec", "kip980"), "unknown proposal 'kip980'; did you mean kip890?"),
        (("run", "--only", "KIP890-60"), "--only KIP890-60: no such requirement; did you mean KIP890-060?"),
        (("run", "--level", "MSUT"), "unknown level 'MSUT'; did you mean MUST?"),
        (("run", "--edition", "2026-12"), "unknown edition '2026-12'; did you mean 2026.12?"),
        (("run", "--theme", "seeling"), "unknown theme 'seeling'; did you mean sealing?"),
        (("run", "--theme", "sealing", "--spec", "kip890"), "nothing is selected by --spec kip890 --theme sealing"),
        (("list", "--theme", "paint"), "unknown theme 'paint'; known: commits, aborts, fencing, recovery, retention, sealing"),
        (
            ("list", "--theme", "sealing", "--spec", "kip890"),
            "no requirement of kip890 has the theme sealing",
        ),
        (("list", "--theme", "sealing", "--format", "markdown"), "--format markdown is a page of whole proposals: leave out --theme"),
        (("list", "--find", "xyzzy plugh"), "requirements has all the words 'xyzzy plugh': try fewer or other words"),
        (("list", "--find", "zombie header", "--format", "json"), "without --format json it shows the nearest"),
        (("list", "--find", "zombie", "--format", "markdown"), "--format markdown is a page of whole proposals: leave out --find"),
        (("run", "--profile", "kafka-4.99"), "kafka-4."),
        (("run", "--defect", "no-epoch-bmup"), "did you mean no-epoch-bump?"),
        (("run", "kafka"), "Use --bootstrap HOST:PORT"),
        (("run", "kafka", "--bootstrap", "a:1", "--container", "b"), "--bootstrap and --container exclude each other"),
        (("run", "pulsar", "--service-url", "pulsar://a:1"), "which Pulsar? Use --service-url pulsar://HOST:PORT and --admin-url"),
        (("run", "pulsar", "--service-url", "a:1", "--admin-url", "http://a:2"), "'a:1' is not a service URL"),
        (("run", "pulsar", "--bootstrap", "a:1"), "--bootstrap a:1: a Pulsar broker is named with --service-url"),
        (("run", "--bootstrap", "a:1"), "--bootstrap a:1: whose broker is it? Name the system too: `fencepost run kafka --bootstrap a:1`"),
        (("run", "kafka", "--bootstrap", "nonsense"), "nonsense"),
        (("run", "kafka", "--bootstrap", "me:hunter2@a:1"), "what stands before and after the @ (not shown) is not an address"),
        (
            ("run", "kafka", "--set-system", "password=hunter2"),
            "--set-system password=(not shown): a Kafka broker is named with --bootstrap",
        ),
        (
            ("run", "pulsar", "--service-url", "pulsar://me:hunter2@a:1", "--admin-url", "http://a:2"),
            "--service-url has a user or a password in it: leave out what stands before the @; --token says where a token is that logs in",
        ),
        (
            ("run", "pulsar", "--service-url", "pulsar://a:1", "--admin-url", "http://me:hunter2@a:2"),
            "--admin-url has a user or a password in it",
        ),
        (("run", "--level", "MAY"), "nothing is selected"),
        (("explain", "KIP890-60"), "did you mean KIP890-060?"),
        (("explain", "zombies"), "`fencepost list --find 'zombies'` finds requirements by words"),
        (("run", "--feature", "there-is-none.feature"), "--feature there-is-none.feature: there is no such file; expected a feature file"),
        (("run", "--twins", "fire"), "unknown disturbance 'fire'; known: "),
        (("explain", "PIP31-060"), "did you mean PIP31-60?"),
        (("list", "--spec", "kip"), "unknown proposal 'kip'"),
        (("list", "--format", "tabel"), "did you mean table?"),
        (("doctor", "kafak"), "did you mean kafka?"),
        (("run", "--results", "/proc/nowhere"), "the results folder /proc/nowhere cannot be written to: No such file or directory"),
        (
            ("run", "--results", "/"),
            "--results /: this folder is used for other things; name another folder with --results, such as results/run",
        ),
        (("run", "-n", "2", "kafka"), "Use --bootstrap HOST:PORT"),
        (("run", "--timeout", "soon"), "--timeout soon: expected seconds, or a number with s, m or h, such as 600 or 10m"),
        (("run", "--fail-on", "violatd"), "unknown verdict 'violatd'; did you mean violated?"),
        (("prove", "--spec", "kip980"), "unknown proposal 'kip980'; did you mean kip890?"),
        (("report", "nowhere"), "nowhere does not exist"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_would_be_right(tmp_path: Path, arguments: tuple[str, ...], reported: str) -> None:
    """A user's mistake is reported in one line, with the nearest right word."""
    finished = fencepost(*arguments, expect=2, cwd=tmp_path)

    left = {path.name for path in tmp_path.iterdir()} - {".hypothesis"}  # kio's, where Hypothesis is installed
    assert left == set(), "wrong usage creates no folder"
    assert reported in finished.out + finished.err
    assert "Traceback" not in finished.out + finished.err


def test_an_unreachable_broker_exits_with_2_and_says_where_and_why(tmp_path: Path) -> None:
    """If no broker listens there, the message has the address and the last error."""
    finished = fencepost("run", "kafka", "--bootstrap", "127.0.0.1:1", expect=2, cwd=tmp_path, timeout=120)

    [line] = finished.err.splitlines()
    assert line.startswith("fencepost: kafka cannot be judged: no Kafka broker answers at 127.0.0.1:1 within")
    assert "Connection refused. Is it running, and is this a listener without TLS and authentication?" in line
    assert line.endswith("For others use --client-properties FILE, or --tls-ca FILE.")
    found = compliance(tmp_path / "results/kafka")
    assert found["complete"] is False
    assert "refused" in found["stopped"]


def test_one_requirement_can_be_asked_alone(tmp_path: Path) -> None:
    """A selection judges that and counts the rest as not run."""
    fencepost("run", "--only", "KIP890-060", "--results", tmp_path, expect=0)

    assert verdicts(tmp_path) == {"KIP890-060": "met"}
    assert compliance(tmp_path)["selection"]["only"] == ["KIP890-060"]


def test_a_broken_system_exits_with_1(tmp_path: Path) -> None:
    """A red is seen from outside."""
    out = fencepost("run", "--defect", "no-epoch-bump", "--only", "KIP890-060", "--results", tmp_path, expect=1).out

    assert "KIP890-060 VIOLATED" in out
    assert "the defect shows: KIP890-060 is violated with the symptom that @defect has" in out
    assert "reference with the defect no-epoch-bump does not conform: 1 violated" in out


def test_a_release_that_deviates_is_named(tmp_path: Path) -> None:
    """The reference with a release's profile deviates as that release does, and as is expected of it."""
    out = fencepost("run", "--profile", "kafka-4.0", "--only", "KIP890-156", "--results", tmp_path, expect=1).out

    assert verdicts(tmp_path) == {"KIP890-156": "known_deviation"}
    assert "KAFKA-19367" in out


def test_a_killed_run_leaves_a_valid_folder_that_says_so(tmp_path: Path) -> None:
    """compliance.json is whole at every moment, also when the run could not clean up."""
    with begun("run", "--results", tmp_path, cwd=tmp_path) as run:
        run.until((tmp_path / "compliance.json").exists).signal(signal.SIGKILL)

    jsonschema.validate(compliance(tmp_path), SCHEMA)
    assert compliance(tmp_path)["complete"] is False
    assert "the run has not ended" in (tmp_path / "junit.xml").read_text(encoding="utf-8")


def test_help_teaches_and_loads_nothing_heavy() -> None:
    """The help lists the commands and exit codes, and imports neither pytest nor kio nor testcontainers."""
    out = fencepost("--help", expect=0).out
    probe = (
        "import sys; sys.argv = ['fencepost', '--help']\nfrom fencepost.cli.application import app\ntry: app()\nexcept SystemExit: pass\n"
    )
    probe += "print('heavy:', sorted({'pytest', 'kio', 'testcontainers', 'docker', 'pydantic'} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout

    assert all(word in out for word in ("run", "list", "explain", "doctor", "Exit codes"))
    assert "heavy: []" in loaded


def test_a_requirement_is_explained_with_its_scenarios() -> None:
    """Statement, source, help, and the sentences themselves."""
    out = fencepost("explain", "KIP890-060", expect=0).out

    for part in (
        "KIP890-060",
        "MUST, text",
        "next epoch",
        "Bump Epoch on Each Transaction",
        "look at",
        "ending.feature",
        "When A commits",
        "no-epoch-bump",
    ):
        assert part in out


def test_the_pages_of_the_registers_are_up_to_date() -> None:
    """`make docs` was run: what is read is what is tested."""
    for register in (CHECKOUT / "features").glob("*/requirements.yaml"):
        spec = register.parent.name
        page = (CHECKOUT / "docs" / f"{spec}.md").read_text(encoding="utf-8")

        assert page == fencepost("list", "--spec", spec, "--format", "markdown", expect=0).out, "say: make docs"


def test_the_doctor_says_what_is_there_and_what_is_not() -> None:
    """Profile, features, API ranges, clock, capabilities."""
    out = fencepost("doctor", expect=0).out

    for part in ("profile seed", "transaction.version", "EndTxn v0 to v5", "crash", "virtual", "nothing: every scenario can be tested"):
        assert part in out
