"""Kafka's errors, under Kafka's names, and the exception that carries one through the reference.

The numbers are those of Apache Kafka's message schemas. Only the errors that the reference answers or reads are here. The proposal writes
ABORTABLE_ERROR and INVALID_PID_MAPPING for what the shipped protocol calls TRANSACTION_ABORTABLE and INVALID_PRODUCER_ID_MAPPING.
"""

from enum import IntEnum

from kio.schema.errors import ErrorCode


class Errors(IntEnum):
    """An error code of the protocol; NONE is success."""

    UNKNOWN_SERVER_ERROR = ErrorCode.unknown_server_error
    NONE = ErrorCode.none
    OFFSET_OUT_OF_RANGE = ErrorCode.offset_out_of_range
    CORRUPT_MESSAGE = ErrorCode.corrupt_message
    UNKNOWN_TOPIC_OR_PARTITION = ErrorCode.unknown_topic_or_partition
    NOT_LEADER_OR_FOLLOWER = ErrorCode.not_leader_or_follower
    REQUEST_TIMED_OUT = ErrorCode.request_timed_out
    OFFSET_METADATA_TOO_LARGE = ErrorCode.offset_metadata_too_large
    COORDINATOR_LOAD_IN_PROGRESS = ErrorCode.coordinator_load_in_progress
    COORDINATOR_NOT_AVAILABLE = ErrorCode.coordinator_not_available
    NOT_COORDINATOR = ErrorCode.not_coordinator
    INVALID_TOPIC_EXCEPTION = ErrorCode.invalid_topic_exception
    NOT_ENOUGH_REPLICAS = ErrorCode.not_enough_replicas
    ILLEGAL_GENERATION = ErrorCode.illegal_generation
    INCONSISTENT_GROUP_PROTOCOL = ErrorCode.inconsistent_group_protocol
    INVALID_GROUP_ID = ErrorCode.invalid_group_id
    UNKNOWN_MEMBER_ID = ErrorCode.unknown_member_id
    INVALID_SESSION_TIMEOUT = ErrorCode.invalid_session_timeout
    REBALANCE_IN_PROGRESS = ErrorCode.rebalance_in_progress
    TOPIC_AUTHORIZATION_FAILED = ErrorCode.topic_authorization_failed
    GROUP_AUTHORIZATION_FAILED = ErrorCode.group_authorization_failed
    CLUSTER_AUTHORIZATION_FAILED = ErrorCode.cluster_authorization_failed
    UNSUPPORTED_SASL_MECHANISM = ErrorCode.unsupported_sasl_mechanism
    ILLEGAL_SASL_STATE = ErrorCode.illegal_sasl_state
    UNSUPPORTED_VERSION = ErrorCode.unsupported_version
    TOPIC_ALREADY_EXISTS = ErrorCode.topic_already_exists
    INVALID_PARTITIONS = ErrorCode.invalid_partitions
    INVALID_REPLICATION_FACTOR = ErrorCode.invalid_replication_factor
    INVALID_REPLICA_ASSIGNMENT = ErrorCode.invalid_replica_assignment
    INVALID_CONFIG = ErrorCode.invalid_config
    INVALID_REQUEST = ErrorCode.invalid_request
    UNSUPPORTED_FOR_MESSAGE_FORMAT = ErrorCode.unsupported_for_message_format
    OUT_OF_ORDER_SEQUENCE_NUMBER = ErrorCode.out_of_order_sequence_number
    INVALID_PRODUCER_EPOCH = ErrorCode.invalid_producer_epoch
    INVALID_TXN_STATE = ErrorCode.invalid_txn_state
    INVALID_PRODUCER_ID_MAPPING = ErrorCode.invalid_producer_id_mapping
    INVALID_TRANSACTION_TIMEOUT = ErrorCode.invalid_transaction_timeout
    CONCURRENT_TRANSACTIONS = ErrorCode.concurrent_transactions
    TRANSACTION_COORDINATOR_FENCED = ErrorCode.transaction_coordinator_fenced
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = ErrorCode.transactional_id_authorization_failed
    SECURITY_DISABLED = ErrorCode.security_disabled
    OPERATION_NOT_ATTEMPTED = ErrorCode.operation_not_attempted
    SASL_AUTHENTICATION_FAILED = ErrorCode.sasl_authentication_failed

    NON_EMPTY_GROUP = ErrorCode.non_empty_group
    GROUP_ID_NOT_FOUND = ErrorCode.group_id_not_found
    GROUP_MAX_SIZE_REACHED = ErrorCode.group_max_size_reached
    FENCED_INSTANCE_ID = ErrorCode.fenced_instance_id
    INVALID_RECORD = ErrorCode.invalid_record
    UNSTABLE_OFFSET_COMMIT = ErrorCode.unstable_offset_commit
    PRODUCER_FENCED = ErrorCode.producer_fenced
    INVALID_UPDATE_VERSION = ErrorCode.invalid_update_version
    UNKNOWN_TOPIC_ID = ErrorCode.unknown_topic_id
    TRANSACTIONAL_ID_NOT_FOUND = ErrorCode.transactional_id_not_found
    TRANSACTION_ABORTABLE = ErrorCode.transaction_abortable
    INVALID_REGULAR_EXPRESSION = ErrorCode.invalid_regular_expression


class RequestRefused(Exception):
    """A request, or a part of one, is refused, and nothing has changed. `message` is for the answers that can carry one."""

    def __init__(self, error: Errors, message: str | None = None) -> None:
        super().__init__(error.name if message is None else f"{error.name}: {message}")
        self.error = error
        self.message = message
