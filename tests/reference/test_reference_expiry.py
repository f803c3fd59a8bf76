"""What a broker forgets when it expires, and what it does not."""

from reference_client import Client, Pair

from fencepost.reference.kafka import Settings

NOT_FOUND, INVALID_MAPPING = 105, 49
SETTINGS = Settings(
    transactional_id_expiration_ms=3_000,
    expired_id_clean_up_interval_ms=200,
    producer_expiration_ms=1_000,
    expired_producer_clean_up_interval_ms=200,
)


def test_an_idle_id_is_forgotten_for_good() -> None:
    """Not before its time, and not only until the next restart; its next owner gets another producer id."""
    client = Client(settings=SETTINGS)
    pair = client.producer("x")

    client.broker.advance(2_999)
    assert client.describe("x").error_code == 0
    client.broker.advance(201)
    assert client.describe("x").error_code == NOT_FOUND
    client.broker.crash()
    client.broker.restart()

    assert client.end("x", pair, commit=False)[0] == INVALID_MAPPING
    fresh = client.producer("x")
    assert fresh.producer_id != pair.producer_id
    assert fresh.epoch == 0


def test_everything_that_happens_to_an_id_restarts_its_expiration() -> None:
    """InitProducerId does, and so does the end of a transaction."""
    client = Client(settings=SETTINGS)
    pair = client.producer("x")

    for _ in range(3):
        client.broker.advance(2_500)
        error, pair = client.init("x", pair)
        assert error == 0
    client.write("x", pair, 0, 0)
    client.broker.advance(10_000)
    error, pair = client.end("x", pair, commit=True)
    client.broker.advance(2_500)

    assert (error, client.state("x")) == (0, ("CompleteCommit", pair))


def test_a_partition_forgets_whom_it_does_not_wait_for() -> None:
    """The state of an open transaction stays; that of an ended one goes, and then a first batch may have any number."""
    client = Client(settings=SETTINGS)
    opened, ended = client.producer("x"), client.producer("y")
    client.write("x", opened, 0, 0)
    client.add("y", ended, 0)
    client.write("y", ended, 0, 0, version=11)
    client.end("y", ended, commit=True, version=4)
    client.add("y", ended, 0)

    client.broker.advance(1_200)

    assert [Pair(int(entry.producer_id), int(entry.producer_epoch)) for entry in client.known_producers(0)] == [opened]
    assert client.error_of_write("y", ended, 0, 7, version=11) == 0


def test_settings_are_read_by_the_names_of_kafka() -> None:
    """A property that the reference does not use is left out; a missing one has Kafka's default."""
    settings = Settings.of({"transactional.id.expiration.ms": "5", "transaction.partition.verification.enable": "false", "log.dirs": "/x"})

    assert settings == Settings(transactional_id_expiration_ms=5, verifies_partitions=False)
    assert Settings.of({}) == Settings()
