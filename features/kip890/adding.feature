Feature: Adding partitions to a transaction
  An old client adds each partition before it writes there, and the leader of a partition may verify that it was added. The coordinator's
  list of partitions defines the transaction: only a listed partition gets a marker at the end.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-030 @MUST
  Rule: AddPartitionsToTxn v3 opens a transaction on an idle id and records the partition it names.
    A partition that the coordinator does not know of never gets a marker, and its transaction hangs.

    Scenario: [1] A producer adds its first partition
      Given producer A with transactional id "transfer"
      When A adds payments-0
      Then it is done for payments-0
      And the transaction of A is Ongoing in payments-0
      And the producer id and epoch of A are unchanged

  @KIP890-031 @MUST
  Rule: AddPartitionsToTxn with an unknown id or a foreign producer id is refused with INVALID_PRODUCER_ID_MAPPING per partition.
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
  Rule: AddPartitionsToTxn with an older or a newer epoch is refused with PRODUCER_FENCED, or INVALID_PRODUCER_EPOCH below v2.
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
      When A adds payments-0 with an epoch ahead of its own
      Then it is refused for payments-0 with PRODUCER_FENCED
      And the transaction of A is unchanged

    Scenario: [3] A producer adds a partition with an epoch that was never assigned, in AddPartitionsToTxn v1
      Given producer A with transactional id "transfer"
      And A uses AddPartitionsToTxn v1
      When A adds payments-0 with an epoch ahead of its own
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And the transaction of A is unchanged

    Scenario: [4] A producer adds a partition with an epoch that was never assigned, in AddPartitionsToTxn v2
      Given producer A with transactional id "transfer"
      And A uses AddPartitionsToTxn v2
      When A adds payments-0 with an epoch ahead of its own
      Then it is refused for payments-0 with PRODUCER_FENCED
      And the transaction of A is unchanged

  @KIP890-033 @MUST
  Rule: AddPartitionsToTxn that names one unknown partition adds none, and the others are answered with OPERATION_NOT_ATTEMPTED.
    A client that takes a partial answer for success writes to partitions that are not in its transaction.

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

  @KIP890-034 @MUST
  Rule: Adding partitions that already belong to the open transaction succeeds and changes nothing.
    A client that lost the answer retries, and must not lose its transaction because of that.

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

  @KIP890-035 @MUST
  Rule: AddPartitionsToTxn answers CONCURRENT_TRANSACTIONS while the previous transaction is still completing.
    A partition that is added while the last transaction completes may be lost between the two, and its transaction hangs.

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
  Rule: AddPartitionsToTxn v4 and later judges each transaction of a batch separately.
    One invalid transaction in a batch must not fail its neighbours.

    Scenario: [1] One request contains a valid transaction and then an invalid one
      Given producers A and B with transactional ids "transfer" and "refund"
      When A adds payments-0 for A and for B with an epoch ahead of its own in one request
      Then it is done for payments-0 of A
      And it is refused for payments-0 of B with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0
      And the transaction of B is unchanged

    Scenario: [2] One request contains an invalid transaction and then a valid one
      Given producers A and B with transactional ids "transfer" and "refund"
      When A adds payments-0 for A with an epoch ahead of its own and for B in one request
      Then it is refused for payments-0 of A with PRODUCER_FENCED
      And it is done for payments-0 of B
      And the transaction of A is unchanged
      And the transaction of B is Ongoing in payments-0

  @KIP890-038 @MUST
  Rule: A verify-only AddPartitionsToTxn succeeds for a partition that is in the open transaction.
    If batches of an announced partition are refused, old clients cannot write at all.

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
  Rule: A verify-only AddPartitionsToTxn refuses only the partitions outside the transaction, with TRANSACTION_ABORTABLE or INVALID_TXN_STATE.
    This is the stray batch that the KIP is about: if accepted, it opens a transaction in that partition which is never ended.

    Scenario: [1] A leader verifies one partition of the transaction and one outside of it
      Given producer A with transactional id "transfer"
      And A has added payments-0
      When the leader verifies payments-0 and payments-1 for A
      Then it is refused for payments-1 with TRANSACTION_ABORTABLE or INVALID_TXN_STATE
      And it is done for payments-0
      And the transaction of A is unchanged

  @KIP890-040 @MUST
  Rule: A verify-only AddPartitionsToTxn never changes the transaction, whether it succeeds or is refused.
    A question must not change its answer: verification that adds the partition would legitimise the very batch that it should catch.

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

  @KIP890-041 @MUST
  Rule: A verify-only AddPartitionsToTxn distinguishes a foreign producer id, a wrong epoch and a completing transaction.
    A client acts on the error: with the wrong one, it gives up where it should retry, or retries for ever.

    Scenario: [1] A leader verifies with the producer id of another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has added payments-0
      When the leader verifies payments-0 and payments-1 for A with the producer id of B
      Then it is refused for payments-0 and payments-1 with INVALID_PRODUCER_ID_MAPPING

    Scenario: [2] A leader verifies with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      And A has added payments-0
      When the leader verifies payments-0 and payments-1 for A with an epoch ahead of its own
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
  Rule: A verify-only AddPartitionsToTxn refuses every partition of an id that has no open transaction.
    The late batch of an ended transaction passes exactly when no open transaction is there to compare it with.

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
  Rule: AddPartitionsToTxn on a completed id with the epoch in force opens the next transaction.
    An old client begins each further transaction in this way; otherwise it would need a new producer for each.

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
  Rule: AddPartitionsToTxn with an empty transactional id is refused with INVALID_REQUEST on every partition.
    All clients that forgot to set an id would share one transaction.

    Scenario: [1] A producer adds two partitions with an empty transactional id
      Given producer A with transactional id "transfer"
      When A adds payments-0 and payments-1 with an empty transactional id
      Then it is refused for payments-0 and payments-1 with INVALID_REQUEST
      And the transaction of A is unchanged
