Feature: How the leader of a partition judges a Produce
  A leader consults the coordinator before the first batch of a transaction enters its log; after that its log knows. A refused batch
  leaves no trace.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-091 @MUST
  Rule: If the coordinator refuses to add a partition, the leader refuses that partition's batch of a Produce v12 and does not append it.
    A client sends a refused batch again, so a log that had appended it has it twice.

    @needs:transactions-v2
    Scenario: [1] A late batch arrives in a partition outside of its ended transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-1 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-1 has not grown

    @needs:transactions-v2
    Scenario: [2] A batch has the producer id of another transactional id
      Given producers A and B with transactional ids "transfer" and "refund"
      When A writes "stray" to payments-0 with the producer id of B
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown

    @needs:wire-faults @needs:transactions-v2
    Scenario: [3] A delayed batch arrives after the end of its transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the next Produce of A is held up
      And A has tried to write "late" to payments-1
      And A has committed
      When the held-up request arrives
      Then the log of payments-1 has not grown

    @needs:transactions-v2
    Scenario: [4] A late batch arrives in a partition outside of its ended transaction while the next one is open
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When A writes "late" to payments-1 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-1 has not grown

    @needs:transactions-v2
    Scenario: [5] A late batch arrives in a partition outside of its aborted transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A writes "late" to payments-1 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-1 has not grown

  @KIP890-092 @MUST
  Rule: A leader accepts further batches of a transaction, and the transaction's start offset in the partition stays at the first batch.
    A start offset that moves with each batch lets the last stable offset pass records that are undecided.

    Scenario: [1] A second batch in Produce v12
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "a2" to payments-0
      Then it is done
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] A second batch in Produce v11 without an added partition
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A uses Produce v11
      When A writes "a2" to payments-0
      Then it is done
      And the open transaction of A in payments-0 starts at "a1"

    @needs:wire-faults
    Scenario: [3] One batch reaches the leader twice
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      And the next Produce of A arrives twice
      When A writes "a1" to payments-0
      Then it is done
      And the open transaction of A in payments-0 starts at "a1"
      And read_uncommitted readers of payments-0 see "p1", "a1"

    @needs:two-nodes
    Scenario: [4] A further batch in Produce v12 while the coordinator's node is paused
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      And node 2 is paused until the next answer
      When A writes "a3" to accounts-0
      Then it is done
      And the open transaction of A in accounts-0 starts at "a1"

    @needs:two-nodes
    Scenario: [5] A further batch in Produce v11 while the coordinator's node is paused
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A uses Produce v11
      And the coordinator of A has moved to node 2
      And node 2 is paused until the next answer
      When A writes "a3" to accounts-0
      Then it is done
      And the open transaction of A in accounts-0 starts at "a1"

  @KIP890-093 @MUST
  Rule: Once a transaction is complete, a leader answers DescribeProducers with CurrentTxnStartOffset -1.
    An operator who still sees an open transaction looks for a hang that does not exist.

    Scenario: [1] A new client has committed
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then payments-0 has no open transaction of A
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] A new client has aborted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts
      Then payments-0 has no open transaction of A
      And the last stable offset of payments-0 is the high watermark

    Scenario: [3] The transaction was committed with EndTxn v4
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A has written "a1" to payments-0
      And A uses EndTxn v4
      When A commits
      Then payments-0 has no open transaction of A

  @KIP890-098 @MUST
  Rule: A leader decides on each partition of a Produce v9 to v11 separately: one in the transaction succeeds, one outside it is refused.
    If the request were decided as a whole, a stray batch would be accepted together with an announced one.

    Scenario: [1] Produce v9 to one partition that was added and one that was not
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v9
      When A writes "a1" to payments-0 and "stray" to payments-1 in one request
      Then it is done for payments-0
      And it is refused for payments-1 with INVALID_TXN_STATE
      And the log of payments-1 has not grown

    Scenario: [2] Produce v10, and the partition that was added comes last
      Given producer A with transactional id "transfer"
      And A has added payments-1
      And A uses Produce v10
      When A writes "stray" to payments-0 and "a1" to payments-1 in one request
      Then it is done for payments-1
      And it is refused for payments-0 with INVALID_TXN_STATE
      And the log of payments-0 has not grown

    Scenario: [3] Produce v11 to one partition that was added and one that was not
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v11
      When A writes "a1" to payments-0 and "stray" to payments-1 in one request
      Then it is done for payments-0
      And it is refused for payments-1 with TRANSACTION_ABORTABLE
      And the log of payments-1 has not grown

    Scenario: [4] Produce v11 to two partitions that were added and then to one that was not
      Given a topic "accounts" with 3 partitions
      And producer A with transactional id "transfer"
      And A has added accounts-0 and accounts-1
      And A uses Produce v11
      When A writes "a1" to accounts-0 and "a2" to accounts-1 and "stray" to accounts-2 in one request
      Then it is done for accounts-0 and accounts-1
      And it is refused for accounts-2 with INVALID_TXN_STATE or TRANSACTION_ABORTABLE

    Scenario: [5] Produce v10 to two partitions that were added and then to one of another topic that was not
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      And A has added payments-0 and payments-1
      And A uses Produce v10
      When A writes "a1" to payments-0 and "a2" to payments-1 and "stray" to accounts-0 in one request
      Then it is done for payments-0 and payments-1
      And it is refused for accounts-0 with INVALID_TXN_STATE or TRANSACTION_ABORTABLE

  @KIP890-099 @MUST @fencing
  Rule: While an old client has no open transaction, a leader refuses a late batch of its ended transaction, and the last stable offset still reaches the log end.
    A late batch that is appended after the marker begins a transaction that is never ended, and blocks readers there for ever.

    Scenario: [1] A late batch arrives in Produce v10
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0) and uses Produce v10
      And A has committed "a1" to payments-0
      When A writes "late" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the log of payments-0 has not grown
      And the last stable offset of payments-0 is the high watermark

    @needs:transactions-v2
    Scenario: [2] A late batch arrives in Produce v11
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      When A writes "late" to payments-0
      Then it is refused with TRANSACTION_ABORTABLE
      And the log of payments-0 has not grown
      And the last stable offset of payments-0 is the high watermark

    Scenario: [3] A late batch arrives in Produce v10 after an abort
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0) and uses Produce v10
      And A has written "a1" to payments-0
      And A has aborted
      When A writes "late" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the last stable offset of payments-0 is the high watermark

  @KIP890-101 @MUST @fencing
  Rule: After EndTxn v5 a leader answers a repeated batch of the committed transaction with INVALID_PRODUCER_EPOCH, and not as a duplicate.
    If the fenced batch is answered as a duplicate, the client believes it written, and does not learn that it is fenced.

    Scenario: [1] A batch is sent again after its commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A writes "a1" to payments-0 at sequence 0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

  @KIP890-103 @MUST
  Rule: A leader without an open transaction of the producer id answers Produce with INVALID_PRODUCER_ID_MAPPING if that id does not belong to the transactional id.
    With a retriable error, a producer that has another producer's id retries for ever.

    Scenario: [1] Produce v12 with the producer id of another
      Given producers A and B with transactional ids "transfer" and "refund"
      When A writes "stray" to payments-0 with the producer id of B
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown

    Scenario: [2] Produce v11 to a partition that its own producer added
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has added payments-0
      And A uses Produce v11
      When A writes "stray" to payments-0 with the producer id of B
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown

    Scenario: [3] Produce v10 to a partition that the other producer added
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has added payments-0
      And A uses Produce v10
      When A writes "stray" to payments-0 with the producer id of B
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown

  @KIP890-106 @MUST
  Rule: A leader answers transactional batches in a Produce without a transactional id with TRANSACTIONAL_ID_AUTHORIZATION_FAILED.
    A transactional batch without a transactional id would open a transaction without an owner.

    Scenario: [1] The first batch of a transaction has no transactional id
      Given producer A with transactional id "transfer"
      When A writes "stray" to payments-0 with no transactional id
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED
      And the log of payments-0 has not grown

    Scenario: [2] A batch of an open transaction has no transactional id, in Produce v11
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A uses Produce v11
      When A writes "stray" to payments-0 with no transactional id
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED
      And the log of payments-0 has not grown

  @KIP890-107 @MUST
  Rule: A leader refuses a producer's non-transactional batch with INVALID_TXN_STATE while a transaction of that producer is open in the partition.
    A plain batch inside the same producer's transaction would be aborted with it, or be visible before it is decided.

    Scenario: [1] A non-transactional batch follows a transactional one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "mixed" to payments-0 outside of its transaction
      Then it is refused with INVALID_TXN_STATE
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"

  @KIP890-120 @MUST
  Rule: A leader answers a refused batch with base offset -1, and with log start offset -1 or the real one.
    A client that reads a wrong log start offset may conclude that its own records were deleted.

    Scenario: [1] A batch is refused because its partition was not added
      Given producer A with transactional id "transfer"
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the refusal has base offset -1 and no wrong log start offset of payments-0

    Scenario: [2] A batch is refused for its sequence number by a log that no longer begins at 0
      Given "p1" has been written to payments-0
      And the records of payments-0 have been deleted
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "gap" to payments-0 at sequence 5
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the refusal has base offset -1 and no wrong log start offset of payments-0

  @KIP890-104 @MUST
  Rule: A leader answers Produce v9 to v11 with NOT_ENOUGH_REPLICAS and the cause as message while the coordinator is busy or moving.
    Old clients do not know CONCURRENT_TRANSACTIONS in this answer, and fail fatally.

    @needs:hold-markers
    Scenario: [1] Produce v10 while a commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      And A uses Produce v10
      When A writes "a2" to payments-0
      Then it is refused with NOT_ENOUGH_REPLICAS
      And the refusal has a message

    @needs:hold-markers
    Scenario: [2] Produce v11 while a commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      And A uses Produce v11
      When A writes "a2" to payments-0
      Then it is refused with NOT_ENOUGH_REPLICAS
      And the log of payments-0 has not grown

    @needs:crash @needs:virtual-time
    Scenario: [3] Produce v9 while the coordinator loads
      Given producer A with transactional id "transfer"
      And A uses Produce v9
      And A has added payments-0
      And the system has crashed and is restarting
      When A writes "a1" to payments-0
      Then every refusal was NOT_ENOUGH_REPLICAS, NOT_LEADER_OR_FOLLOWER or UNKNOWN_TOPIC_OR_PARTITION
      And it is done

  @KIP890-105 @MUST
  Rule: A leader answers Produce v12 with CONCURRENT_TRANSACTIONS while the producer's previous transaction completes, and appends nothing.
    NOT_ENOUGH_REPLICAS would make a new client report missing replicas where it only has to wait.

    @needs:hold-markers
    Scenario: [1] Produce v12 while a commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A writes "a2" to payments-0
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the log of payments-0 has not grown

    @needs:hold-markers
    Scenario: [2] Produce v12 while an abort is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to abort
      When A writes "a2" to payments-0
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the log of payments-0 has not grown
