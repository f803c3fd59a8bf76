"""What a broker at an address allows: fencepost did not set it up, so its limits may be too low for what scenarios do."""

import pytest
from served import served_here

from fencepost.adapters.kafka.reach import REQUIRED_TIMEOUT_MS
from fencepost.adapters.kafka.system import KafkaAt
from fencepost.contract.errors import SystemUnreachable
from fencepost.reference.kafka import KafkaParts
from fencepost.reference.kafka.ownership import ProducerIdOwnership


@pytest.mark.parametrize("enough", [True, False])
def test_a_broker_with_short_transaction_timeouts_is_refused_with_the_remedy(enough: bool) -> None:
    """Each scenario would be inconclusive for the same reason, without a word of the setting."""

    class Limited(ProducerIdOwnership):
        def allows_timeout(self, timeout_ms: int) -> bool:
            return 0 < timeout_ms <= REQUIRED_TIMEOUT_MS - (not enough)

    with served_here(parts=KafkaParts(ownership=Limited)) as served:
        system = KafkaAt(f"127.0.0.1:{served.port_of(1)}", patience_s=5.0)
        try:
            if enough:
                assert system.open().profile
            else:
                with pytest.raises(SystemUnreachable, match=r"set transaction\.max\.timeout\.ms to 360000 or more"):
                    system.open()
        finally:
            system.close()
