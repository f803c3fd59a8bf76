"""Release profiles, and a broker's settings, as data."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fencepost.reference.kafka import Profile, ProfileError, Settings
from fencepost.reference.kernel import profiles

CONFORMING: dict[str, Any] = {
    "apis": {"end_txn": [0, 5]},
    "features": {"transaction.version": {"supported": [0, 2], "finalized": 2}},
    "new_protocol_at_level_0": "served",
    "server_fence_bumps": 1,
    "verification_refusal": "INVALID_TXN_STATE",
    "non_zero_first_sequence": "refused",
    "offset_commit_while_completing": "COORDINATOR_NOT_AVAILABLE",
    "last_epoch_after_restart": "kept",
    "producer_ids_after_restart": "kept",
    "init_retry_at_last_epoch": "answered",
    "server_fence_at_last_epoch": "rotates",
    "stale_init_over_open": "refused",
    "refused_first_batch": "left out",
    "empty_addition": "changes nothing",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of profiles in place of the bundled one."""
    monkeypatch.setattr(profiles, "_releases", lambda: tmp_path)
    profiles._loaded.cache_clear()
    (own := tmp_path / Profile.folder).mkdir(exist_ok=True)
    yield own
    profiles._loaded.cache_clear()


@pytest.mark.parametrize("name", Profile.names())
def test_every_bundled_profile_loads(name: str) -> None:
    """With its own name; all except that of a broker at KIP-98's level have what the second version of the protocol needs."""
    profile = Profile.load(name)

    assert profile.name == name
    needed = (("end_txn", 5), ("produce", 12), ("txn_offset_commit", 5))
    assert [profile.offers(api, version) for api, version in needed] == [name != "kip98"] * len(needed)
    assert not profile.offers("end_txn", 6)
    assert not profile.offers("list_groups", 0)


def test_a_profile_says_which_release_it_imitates() -> None:
    """The text imitates none."""
    assert {name: imitated and imitated.version for name in Profile.names() for imitated in [Profile.load(name).imitates]} == {
        "seed": None,
        "kip98": None,
        "kafka-4.0": "4.0.0",
        "kafka-4.1": "4.1.1",
        "kafka-4.2": "4.2.0",
        "kafka-4.3": "4.3.1",
        "kafka-4.4": "4.4.0",
    }


def test_an_unknown_profile_is_an_error_with_the_known_ones() -> None:
    """The message helps a user who misspelt it."""
    with pytest.raises(ProfileError, match=r"'kafka-9'; there are kafka-4\.0, .*, seed"):
        Profile.load("kafka-9")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sever_fence_bumps": 2}, "sever_fence_bumps: this key is not known here"),
        ({"server_fence_bumps": 3}, "server_fence_bumps: expected 1 or 2"),
        ({"verification_refusal": 48}, "verification_refusal: expected an instance of Error"),
        ({"verification_refusal": "NONSENSE"}, "verification_refusal: expected an instance of Error"),
        ({"apis": {"end_transaction": [0, 5]}}, "apis: no API is called end_transaction"),
        ({"apis": {"end_txn": [0]}}, "apis.end_txn.1: Field required"),
        ({"features": {"transaction.version": {"supported": [0, 2]}}}, "features.transaction.version.finalized: Field required"),
    ],
)
def test_a_wrong_value_is_an_error_with_file_and_key(folder: Path, change: dict[str, Any], says: str) -> None:
    """Unknown keys, values out of range, errors and APIs that do not exist."""
    (folder / "wrong.yaml").write_text(yaml.safe_dump(CONFORMING | change))

    with pytest.raises(ProfileError) as error:
        Profile.load("wrong")

    assert f"wrong.yaml: {says}" in str(error.value)


@pytest.mark.parametrize(("name", "text"), [("list", "- 1"), ("empty", ""), ("broken", "a: [")])
def test_a_file_that_is_no_mapping_is_an_error(folder: Path, name: str, text: str) -> None:
    """A list, nothing, and a text that is no YAML."""
    (folder / f"{name}.yaml").write_text(text)

    with pytest.raises(ProfileError, match=f"{name}.yaml: expected a mapping in YAML"):
        Profile.load(name)


def test_a_valid_file_is_read(folder: Path) -> None:
    """The mapping that the tests above change is valid itself."""
    (folder / "valid.yaml").write_text(yaml.safe_dump(CONFORMING))

    assert Profile.load("valid").apis == {"end_txn": (0, 5)}


def test_settings_are_read_by_the_names_of_kafka() -> None:
    """A property that the reference does not use is left out; a missing one has Kafka's default."""
    settings = Settings.of({"transactional.id.expiration.ms": "5", "transaction.partition.verification.enable": "false", "log.dirs": "/x"})

    assert settings == Settings(transactional_id_expiration_ms=5, verifies_partitions=False)
    assert Settings.of({}) == Settings()
