Feature: Adding partitions to a transaction
  An old client adds each partition before it writes there, and the leader of a partition may verify that it was added. The coordinator's
  list of partitions defines the transaction: only a listed partition gets a marker at the end.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-030 @MUST
  Rule: A coordinator that receives AddPartitionsToTxn v3 for an idle id opens a transaction, and records the partition that the request names.
    A partition that the coordinator does not know of never receives a marker, and its transaction hangs.

    Scenario: [1] A producer adds its first partition
      Given producer A with transactional id "transfer"
      When A adds payments-0
      Then it is done for payments-0
      And the transaction of A is Ongoing in payments-0
      And the producer id and epoch of A are unchanged

    Scenario: [2] A producer adds partitions of two topics
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      When A adds payments-0 and accounts-0
      Then it is done for payments-0 and accounts-0
      And the transaction of A is Ongoing in payments-0 and accounts-0

  @KIP890-031 @MUST
  Rule: A coordinator answers each partition of AddPartitionsToTxn with INVALID_PRODUCER_ID_MAPPING if the transactional id is unknown or has another producer id.
    A client that guesses a transactional id could add partitions to another client's transaction.

    Scenario: [1] A producer adds partitions with a transactional id that was never initialised
      Given producer A with transactional id "transfer"
      When A adds payments-0 and payments-1 with an unused transactional id
      Then it is refused for payments-0 and payments-1 with INVALID_PRODUCER_ID_MAPPING
      And the transaction of A is unchanged

    Scenario: [2] A producer adds partitions with the producer id of another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      When A adds payments-0 and payments-1 with the producer id of B
      Then it is refused for payments-0 and payments-1 with INVALID_PRODUCER_ID_MAPPING
      And the transaction of A is unchanged
      And the transaction of B is unchanged

  @KIP890-032 @MUST @fencing
  Rule: A coordinator answers AddPartitionsToTxn with PRODUCER_FENCED (v0 and v1: INVALID_PRODUCER_EPOCH) if the request's producer epoch is not the current one.
    A fenced instance would add partitions to its successor's transaction.

    Scenario: [1] A producer adds a partition with the epoch before its commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A adds payments-0 with its previous epoch
      Then it is refused for payments-0 with PRODUCER_FENCED
      And the transaction of A is unchanged

    Scenario: [2] A producer adds a partition with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      When A adds payments-0 with an epoch ahead of the current one
      Then it is refused for payments-0 with PRODUCER_FENCED
      And the transaction of A is unchanged

    Scenario: [3] A producer adds a partition with an epoch that was never assigned, in AddPartitionsToTxn v1
      Given producer A with transactional id "transfer"
      And A uses AddPartitionsToTxn v1
      When A adds payments-0 with an epoch ahead of the current one
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And the transaction of A is unchanged

    Scenario: [4] A producer adds a partition with an epoch that was never assigned, in AddPartitionsToTxn v2
      Given producer A with transactional id "transfer"
      And A uses AddPartitionsToTxn v2
      When A adds payments-0 with an epoch ahead of the current one
      Then it is refused for payments-0 with PRODUCER_FENCED
      And the transaction of A is unchanged

    @needs:transactions-v2
    Scenario: [5] A producer adds a partition with the epoch before its commit while its next transaction is open
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When A adds payments-1 with its previous epoch
      Then it is refused for payments-1 with PRODUCER_FENCED
      And the transaction of A is unchanged

  @KIP890-033 @MUST
  Rule: A broker that receives AddPartitionsToTxn with one unknown partition adds none, and answers the others with OPERATION_NOT_ATTEMPTED.
    A client that reads a partial answer as success writes to partitions that are not in its transaction.

    Scenario: [1] A producer adds a known and an unknown partition to an open transaction
      Given producer A with transactional id "transfer"
      And A has added payments-1
      When A adds payments-0 and payments-9
      Then it is refused for payments-9 with UNKNOWN_TOPIC_OR_PARTITION
      And it is refused for payments-0 with OPERATION_NOT_ATTEMPTED
      And the transaction of A is unchanged

    Scenario: [2] A producer adds a partition of a known and of an unknown topic without an open transaction
      Given producer A with transactional id "transfer"
      When A adds payments-0 and ghosts-0
      Then it is refused for ghosts-0 with UNKNOWN_TOPIC_OR_PARTITION
      And it is refused for payments-0 with OPERATION_NOT_ATTEMPTED
      And the transaction of A is unchanged

    Scenario: [3] A producer adds the known partition after both were refused
      Given producer A with transactional id "transfer"
      And A has tried to add payments-0 and payments-9
      When A adds payments-0
      Then it is done for payments-0
      And the transaction of A is Ongoing in payments-0

  @KIP890-034 @MUST
  Rule: AddPartitionsToTxn with partitions that are already in the open transaction succeeds, adds those that are not, and changes nothing else.
    A client that lost the answer retries, and must not lose its transaction because of the retry.

    Scenario: [1] A producer adds both partitions of its transaction again
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A has added payments-1
      When A adds payments-0 and payments-1
      Then it is done for payments-0 and payments-1
      And the transaction of A is unchanged

    Scenario: [2] A producer adds one of its two partitions again
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A has added payments-1
      When A adds payments-0
      Then it is done for payments-0
      And the transaction of A is unchanged

    Scenario: [3] A producer adds a partition of its transaction again, together with a new one
      Given producer A with transactional id "transfer"
      And A has added payments-0
      When A adds payments-0 and payments-1
      Then it is done for payments-0 and payments-1
      And the transaction of A is Ongoing in payments-0 and payments-1

  @KIP890-035 @MUST
  Rule: A coordinator answers AddPartitionsToTxn with CONCURRENT_TRANSACTIONS while the previous transaction is completing.
    A partition that is added while the previous transaction completes may be in neither transaction, and never receives a marker.

    @needs:hold-markers
    Scenario: [1] A producer adds partitions while its commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A adds payments-0 and payments-1
      Then it is refused for payments-0 and payments-1 with CONCURRENT_TRANSACTIONS
      And the transaction of A is unchanged

    @needs:hold-markers
    Scenario: [2] A producer adds partitions while its abort is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to abort
      When A adds payments-0 and payments-1
      Then it is refused for payments-0 and payments-1 with CONCURRENT_TRANSACTIONS
      And the transaction of A is unchanged

  @KIP890-037 @MUST
  Rule: A coordinator decides on each transaction of a batched AddPartitionsToTxn v4 and later separately.
    One invalid transaction in a batch must not cause the others to fail.

    Scenario: [1] One request contains a valid transaction and then an invalid one
      Given producers A and B with transactional ids "transfer" and "refund"
      When A adds payments-0 for A and for B with an epoch ahead of the current one in one request
      Then it is done for payments-0 of A
      And it is refused for payments-0 of B with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0
      And the transaction of B is unchanged

    Scenario: [2] One request contains an invalid transaction and then a valid one
      Given producers A and B with transactional ids "transfer" and "refund"
      When A adds payments-0 for A with an epoch ahead of the current one and for B in one request
      Then it is refused for payments-0 of A with PRODUCER_FENCED
      And it is done for payments-0 of B
      And the transaction of A is unchanged
      And the transaction of B is Ongoing in payments-0

    Scenario: [3] One request contains an invalid transaction between two valid ones
      Given producers A and B with transactional ids "transfer" and "refund"
      And producer C with transactional id "fees" at the coordinator of A
      When A adds payments-0 for A and for B with an epoch ahead of the current one and for C in one request
      Then it is done for payments-0 of A
      And it is refused for payments-0 of B with PRODUCER_FENCED
      And it is done for payments-0 of C
      And the transaction of C is Ongoing in payments-0

    Scenario: [4] One request contains a transaction with a missing partition last
      Given producers A and B with transactional ids "transfer" and "refund"
      When A adds payments-0 for A and adds payments-9 for B in one request
      Then it is done for payments-0 of A
      And it is refused for payments-9 of B with UNKNOWN_TOPIC_OR_PARTITION
      And the transaction of A is Ongoing in payments-0
      And the transaction of B is unchanged

    Scenario: [5] One request contains a transaction with a missing partition first
      Given producers A and B with transactional ids "transfer" and "refund"
      When A adds payments-0 and payments-9 for A and adds payments-1 for B in one request
      Then it is refused for payments-9 of A with UNKNOWN_TOPIC_OR_PARTITION
      And it is refused for payments-0 of A with OPERATION_NOT_ATTEMPTED
      And it is done for payments-1 of B
      And the transaction of A is unchanged
      And the transaction of B is Ongoing in payments-1

    Scenario: [6] One request verifies a partition and adds a missing one
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      When A verifies payments-0 for A and adds payments-9 for B in one request
      Then it is done for payments-0 of A
      And it is refused for payments-9 of B with UNKNOWN_TOPIC_OR_PARTITION

    Scenario: [7] One request contains a transaction of a fenced instance after two valid ones
      Given producers A and B with transactional ids "transfer" and "refund"
      And producer C with transactional id "fees" at the coordinator of A
      And D has taken over from C
      When A adds payments-0 for A and for B and for C in one request
      Then it is done for payments-0 of A
      And it is refused for payments-0 of C with PRODUCER_FENCED
      And the transaction of D is unchanged

  @KIP890-038 @MUST
  Rule: A coordinator answers a verify-only AddPartitionsToTxn with success for a partition that is in the open transaction.
    If a leader refuses batches of an added partition, old clients cannot write at all.

    Scenario: [1] A leader verifies partitions that the client added
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A has added payments-1
      When the leader verifies payments-0 and payments-1 for A
      Then it is done for payments-0 and payments-1

    Scenario: [2] A leader verifies a partition that the first write added
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the leader verifies payments-0 for A
      Then it is done for payments-0

  @KIP890-039 @MUST
  Rule: A coordinator answers a verify-only AddPartitionsToTxn with TRANSACTION_ABORTABLE or INVALID_TXN_STATE for exactly the partitions outside the transaction.
    This is the stray batch of the KIP: if it is accepted, it opens a transaction in that partition which is never ended.

    Scenario: [1] A leader verifies one partition of the transaction and one outside of it
      Given producer A with transactional id "transfer"
      And A has added payments-0
      When the leader verifies payments-0 and payments-1 for A
      Then it is refused for payments-1 with TRANSACTION_ABORTABLE or INVALID_TXN_STATE
      And it is done for payments-0
      And the transaction of A is unchanged

  @KIP890-040 @MUST
  Rule: A coordinator never changes a transaction because of a verify-only AddPartitionsToTxn, whether it succeeds or is refused.
    Verification that adds the partition would make the very batch valid that it has to stop.

    Scenario: [1] A leader verifies a partition of the open transaction
      Given producer A with transactional id "transfer"
      And A has added payments-0
      When the leader verifies payments-0 for A
      Then it is done for payments-0
      And the transaction of A is unchanged

    Scenario: [2] A leader verifies partitions of an idle transactional id
      Given producer A with transactional id "transfer"
      When the leader verifies payments-0 and payments-1 for A
      Then the transaction of A is unchanged

    Scenario: [3] A leader verifies partitions after an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When the leader verifies payments-0 and payments-1 for A
      Then the transaction of A is unchanged

    Scenario: [4] Verification for one producer follows an addition for another in the same request
      Given producers A and B with transactional ids "transfer" and "refund"
      When A adds payments-0 for A and verifies payments-1 for B in one request
      Then it is done for payments-0 of A
      And it is refused for payments-1 of B with TRANSACTION_ABORTABLE or INVALID_TXN_STATE
      And the transaction of A is Ongoing in payments-0
      And the transaction of B is unchanged

    Scenario: [5] Verification for one producer precedes an addition for another in AddPartitionsToTxn v5
      Given producers A and B with transactional ids "transfer" and "refund"
      And A uses AddPartitionsToTxn v5
      When A verifies payments-1 for B and adds payments-0 for A in one request
      Then it is refused for payments-1 of B with TRANSACTION_ABORTABLE or INVALID_TXN_STATE
      And the transaction of A is Ongoing in payments-0
      And the transaction of B is unchanged

    Scenario: [6] Verification of a second partition, after an addition in the same request
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has added payments-0
      When A adds payments-0 for A and verifies payments-1 for B in one request
      Then it is done for payments-0 of A
      And it is refused for payments-1 of B with TRANSACTION_ABORTABLE or INVALID_TXN_STATE
      And the transaction of B is unchanged

    Scenario: [7] A producer adds a partition after the leader has verified it in vain
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has sent "a1" to payments-0, whatever was answered
      When A adds payments-0
      Then it is done for payments-0
      And the transaction of A is Ongoing in payments-0

  @KIP890-041 @MUST
  Rule: A coordinator answers a verify-only AddPartitionsToTxn differently for a foreign producer id, for a wrong epoch and while a transaction completes.
    A client acts on the error. With the wrong one it gives up where it should retry, or retries for ever.

    Scenario: [1] A leader verifies with the producer id of another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has added payments-0
      When the leader verifies payments-0 and payments-1 for A with the producer id of B
      Then it is refused for payments-0 and payments-1 with INVALID_PRODUCER_ID_MAPPING

    Scenario: [2] A leader verifies with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      And A has added payments-0
      When the leader verifies payments-0 and payments-1 for A with an epoch ahead of the current one
      Then it is refused for payments-0 and payments-1 with PRODUCER_FENCED

    @needs:hold-markers
    Scenario: [3] A leader verifies while the commit is incomplete
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And completion of A's transactions is blocked
      And A has been asked to commit
      When the leader verifies payments-0 and payments-1 for A
      Then it is refused for payments-0 and payments-1 with CONCURRENT_TRANSACTIONS

  @KIP890-042 @SHOULD
  Rule: A coordinator refuses every partition of a verify-only AddPartitionsToTxn with TRANSACTION_ABORTABLE or INVALID_TXN_STATE if the id has no open or completing transaction.
    The late batch of an ended transaction would be accepted exactly when no open transaction is there to compare it with.

    Scenario: [1] A leader verifies before the first transaction
      Given producer A with transactional id "transfer"
      When the leader verifies payments-0 and payments-1 for A
      Then it is refused for payments-0 and payments-1 with TRANSACTION_ABORTABLE or INVALID_TXN_STATE

    Scenario: [2] A leader verifies a partition of a committed transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When the leader verifies payments-0 for A
      Then it is refused for payments-0 with TRANSACTION_ABORTABLE or INVALID_TXN_STATE

    Scenario: [3] A leader verifies a partition of an aborted transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When the leader verifies payments-0 for A
      Then it is refused for payments-0 with TRANSACTION_ABORTABLE or INVALID_TXN_STATE

  @KIP890-043 @MUST
  Rule: After a commit or an abort, AddPartitionsToTxn with the current epoch opens the next transaction.
    An old client begins every further transaction in this way; otherwise it would need a new producer for each.

    Scenario: [1] A producer adds a partition after a commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A adds payments-1
      Then it is done for payments-1
      And the transaction of A is Ongoing in payments-1

    Scenario: [2] A producer adds a partition after an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A adds payments-1
      Then it is done for payments-1
      And the transaction of A is Ongoing in payments-1

    Scenario: [3] The next transaction of an old client ends only in its own partition
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      And A has added payments-1
      When A commits "a2" to payments-1
      Then one COMMIT marker was added to payments-1
      And the log of payments-0 has not grown

  @KIP890-044 @MUST
  Rule: A coordinator answers each partition of AddPartitionsToTxn with INVALID_REQUEST if the transactional id is empty.
    All clients that forgot to set an id would share one transaction.

    Scenario: [1] A producer adds two partitions with an empty transactional id
      Given producer A with transactional id "transfer"
      When A adds payments-0 and payments-1 with an empty transactional id
      Then it is refused for payments-0 and payments-1 with INVALID_REQUEST
      And the transaction of A is unchanged
