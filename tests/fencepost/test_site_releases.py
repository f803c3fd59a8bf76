"""What the site knows without results: each release with its known deviations, and each requirement with its twins."""

import re
from pathlib import Path

from commands import CHECKOUT
from compliance_files import write

from fencepost.contract import register
from fencepost.site import addresses, known_matrix, matrix_picture, requirement_twins
from fencepost.site.builder import SiteOptions, build
from fencepost.site.release_pages import holds, lines_of
from fencepost.site.requirement_pages import entries
from fencepost.site.run_columns import RunColumns
from fencepost.twins import allowed_differences


def test_every_deviation_is_on_the_page_of_a_release() -> None:
    """An entry that holds for no line of releases would be lost."""
    rows = register.bundled()
    lines = lines_of(rows, tuple(rows.by_spec), RunColumns())

    lost = [
        entry.place for file, entry in entries() if not any(holds(entry, line.version) for line in lines if f"{line.system}.yaml" == file)
    ]
    assert lost == []
    assert {line.name for line in lines} >= {"Apache Kafka 4.0", "Apache Kafka 4.3", "Apache Pulsar 4.0", "Apache Pulsar 5.0"}


def test_the_matrix_of_known_deviations_counts_each_requirement_once_and_loses_none() -> None:
    """Always, or now and then; the counts are those of the pages of releases, which have the entries."""
    rows = register.bundled()
    specs = tuple(rows.by_spec)
    lines = lines_of(rows, specs, RunColumns())
    columns = {column.name: column for column in known_matrix.columns_of(rows, specs, lines)}

    for line in lines:
        counted = sum(int(number) for cell in columns[line.name].by_spec.values() for number in re.findall(r"\d+", cell.words))
        assert counted == len({one.requirement for one in line.known if one.address})
    assert columns["kfake"].by_spec["kip890"].address == "docs/findings/kfake.html"
    assert columns["kfake"].judged[0].startswith("20260918 (01f206a7e32c), 2026-")


def test_the_readme_has_the_picture_of_that_matrix() -> None:
    """As it is drawn now, with every release."""
    rows = register.bundled()
    specs = tuple(rows.by_spec)
    releases = known_matrix.columns_of(rows, specs, lines_of(rows, specs, RunColumns()))

    svg = matrix_picture.of_known_deviations()

    assert svg == (CHECKOUT / "docs" / "matrix.svg").read_text(encoding="utf-8"), "make docs draws it again"
    assert all(f">{release.name}<" in svg for release in releases)


def test_a_release_is_not_said_to_have_no_deviation_from_what_it_does_not_offer() -> None:
    """ "None known" is written only where it was tested; the proposal may be another system's, or in no release yet."""
    rows = register.bundled()
    specs = tuple(rows.by_spec)
    columns = {one.name: one.by_spec for one in known_matrix.columns_of(rows, specs, lines_of(rows, specs, RunColumns()))}

    words = {name: {spec: cell.words for spec, cell in cells.items()} for name, cells in columns.items()}
    assert words["Apache Kafka 4.0"]["core"] == "none known"
    assert {words[name][spec] for name in ("Apache Kafka 4.0", "Apache Kafka 4.4") for spec in ("pip31", "pip460", "pip471")} == {
        "not tested"
    }
    assert {words["Apache Pulsar 4.0"][spec] for spec in ("kip890", "pip460", "pip471", "transaction_key")} == {"not tested"}
    assert words["Apache Pulsar 5.0"]["transaction_key"] == "not tested"


def test_each_judged_run_is_of_a_line_that_has_a_page() -> None:
    """The run has the edition whose pages the site has; after a new edition a new run is needed."""
    rows = register.bundled()
    lines = lines_of(rows, tuple(rows.by_spec), RunColumns())

    for run in known_matrix.judged_runs():
        assert [line.name for line in lines if line.system == run.system and line.holds(run.version)], run
        assert run.editions == {spec: addresses.edition_of(spec) for spec in run.editions}, run


def test_a_requirement_has_its_twins_with_each_exception_and_its_reason() -> None:
    """An exception is on the page of its requirement, and a disturbance that no scenario can have says why."""
    rows = register.bundled()
    twins = requirement_twins.of_requirements(rows, tuple(rows.by_spec))

    excused = {one for those in twins.values() for disturbance in those for one in disturbance.exceptions}
    assert excused == {one for one in allowed_differences.bundled() if one.requirement}
    assert all(one.twins or one.why_not for those in twins.values() for one in those)
    assert any(not one.twins for those in twins.values() for one in those)
    assert twins.keys() == {row.id for row in rows.rows() if row.is_tested}


def test_a_run_is_compared_with_one_of_its_version_if_there_is_one(tmp_path: Path) -> None:
    """A later run of another release comes second."""
    verdicts, other = {"KIP890-060": "met"}, {"name": "kafka", "version": "4.4.0", "profile": "kafka-4.4"}
    runs = [
        write(tmp_path / "first", verdicts, started="2026-11-20T03:00:00+00:00"),
        write(tmp_path / "other", verdicts, started="2026-11-21T03:00:00+00:00", system=other),
        write(tmp_path / "last", verdicts, started="2026-11-22T03:00:00+00:00"),
    ]

    columns = RunColumns.of([str(run) for run in runs])

    first, second, last = columns.all
    assert columns.before(last) is first
    assert columns.before(second) is first


def test_what_changed_since_the_line_before_is_what_a_client_sees() -> None:
    """The same symptom is no news, however often it was seen; what is first asked is no news either; a change of symptom is."""
    rows = register.bundled()
    lines = {line.name: line for line in lines_of(rows, tuple(rows.by_spec), RunColumns())}

    for line in lines.values():
        new, gone = ({one.shows for one in those} for those in ([one for one in line.known if one.is_new], line.gone))
        earlier, now = ({one.shows for one in those} for those in (line.before.known if line.before else (), line.known))
        assert (new & earlier, gone & now) == (set(), set()), line.name
        assert gone <= earlier, line.name
    pulsar, kafka = lines["Apache Pulsar 5.0"], lines["Apache Kafka 4.3"]
    assert pulsar.first_asked == ("pip460", "pip471")
    assert {one.spec for one in pulsar.known if one.is_new} == {"core"}
    assert "PIP31-111" not in {one.requirement for one in pulsar.gone}, "both lines show it, and were tried another number of times"
    assert "KIP890-007" in {one.requirement for one in kafka.gone} & {one.requirement for one in kafka.known if one.is_new}
    assert {one.requirement for one in lines["Apache Kafka 4.1"].gone} >= {"KIP890-156", "KIP890-023"}


def test_the_page_of_a_release_says_what_changed_also_where_nothing_did(tmp_path: Path) -> None:
    """A reader of the first line of a system finds no such part, since there is nothing to compare."""
    build(SiteOptions((), tmp_path / "out", ("pip31", "pip460")))

    first, second = (
        re.sub("<[^>]*>", "", (tmp_path / f"out/releases/pulsar-{name}.html").read_text(encoding="utf-8")) for name in ("4.0", "5.0")
    )
    kafka = re.sub("<[^>]*>", "", (tmp_path / "out/releases/kafka-4.4.html").read_text(encoding="utf-8"))

    assert "Since Apache" not in first
    assert "Apache Pulsar 4.0 is not tested for PIP-460, and nothing of that is counted as new." in second
    assert re.search(r"No longer, since the line before \(\d+\)(?s:.*)PIP31-50 \[3\]", second)
    assert "New in this line (0)\nNo deviation is known." in kafka
