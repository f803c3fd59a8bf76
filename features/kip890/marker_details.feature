Feature: Markers in detail
  What a marker looks like in the log, and which markers a partition takes.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-122 @MUST
  Rule: The marker of a transaction ended with EndTxn v5 carries its producer id and the raised epoch.
    The marker's epoch is what the partition fences by: with the old one it goes on to take late data.

    @needs:transactions-v2
    Scenario: [1] The marker of a new client's commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then one COMMIT marker was added to payments-0, with the next epoch of A

    @needs:transactions-v2
    Scenario: [2] The marker of a new client's abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts
      Then one ABORT marker was added to payments-0, with the next epoch of A

  @KIP890-123 @MUST
  Rule: The marker of a transaction ended with EndTxn v4 carries the epoch the data was written with.
    A raised epoch in the marker would fence an old client from its next transaction.

    Scenario: [1] The marker of an old client's commit
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A commits
      Then one COMMIT marker was added to payments-0, with the epoch of A

    Scenario: [2] The marker of an old client's abort
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A aborts
      Then one ABORT marker was added to payments-0, with the epoch of A

  @KIP890-125 @MUST
  Rule: A marker is a transactional control batch of one record, with its coordinator's epoch and no sequence, and takes one offset.
    A marker that readers or compaction take for data shows up as a record, or is cleaned away too early.

    Scenario: [1] The batch of a commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then the marker in payments-0 is a transactional control batch with one record and no sequence
      And the marker in payments-0 begins and ends at one offset

    Scenario: [2] The batch of an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts
      Then the marker in payments-0 is a transactional control batch with one record and no sequence
      And the marker in payments-0 begins and ends at one offset

  @KIP890-127 @MUST @fencing
  Rule: A late marker of the new protocol whose epoch is that of the open transaction is refused INVALID_PRODUCER_EPOCH.
    The late marker of the last transaction would end the one that is open now, half way through.

    Scenario: [1] The marker of the last transaction comes again
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A has written "a2" to payments-0
      When a COMMIT marker for A reaches payments-0 with transaction version 2
      Then it is refused with INVALID_PRODUCER_EPOCH

    Scenario: [2] The open transaction stays open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When a COMMIT marker for A reaches payments-0 with transaction version 2
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the open transaction of A in payments-0 starts at "a1"
      And the log of payments-0 has not grown

  @KIP890-128 @MUST @fencing
  Rule: A marker with an epoch below the partition's is refused INVALID_PRODUCER_EPOCH.
    A marker from the past would end a transaction that its coordinator never decided.

    Scenario: [1] A marker of an earlier epoch, and a transaction is open
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] A marker of an earlier epoch, and everything is decided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When an ABORT marker for A reaches payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

  @KIP890-129 @SHOULD
  Rule: WriteTxnMarkers v2 may be repeated once its transaction has ended, the repeat succeeds at the same epoch.
    A coordinator that lost the answer repeats the marker; refused, it could never complete the transaction.

    Scenario: [1] The marker of a commit is repeated
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When a COMMIT marker for A reaches payments-0 with transaction version 2
      Then it is done
      And readers of payments-0 see "a1"

    Scenario: [2] The marker of an abort is repeated
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When an ABORT marker for A reaches payments-0 with transaction version 2
      Then it is done
      And readers of payments-0 see nothing

  @KIP890-130 @MUST @fencing
  Rule: A marker from an older coordinator epoch than the partition has seen is refused TRANSACTION_COORDINATOR_FENCED.
    A coordinator that was replaced and does not know it must not end transactions any more.

    Scenario: [1] An older coordinator
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      When an ABORT marker for A reaches payments-0 from coordinator epoch 6
      Then it is refused with TRANSACTION_COORDINATOR_FENCED
      And the log of payments-0 has not grown

    Scenario: [2] The same coordinator again
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      When an ABORT marker for A reaches payments-0 from coordinator epoch 7
      Then it is done

    Scenario: [3] A newer coordinator
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      When an ABORT marker for A reaches payments-0 from coordinator epoch 8
      Then it is done

    @needs:crash
    Scenario: [4] An older coordinator, and the partition has come back after a crash
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      And A has written "a1" to payments-0
      And the system has crashed and come back
      When an ABORT marker for A reaches payments-0 from coordinator epoch 6
      Then it is refused with TRANSACTION_COORDINATOR_FENCED
      And the last stable offset of payments-0 is the offset of "a1"

    Scenario: [5] An older coordinator, and the producer has got a new epoch
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      And A has initialised again
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0 from coordinator epoch 6
      Then it is refused with TRANSACTION_COORDINATOR_FENCED
      And the last stable offset of payments-0 is the offset of "a1"

  @KIP890-131 @MUST
  Rule: WriteTxnMarkers v1 at the current epoch ends an open transaction, so that operators can clear a hanging one.
    Without it operators have no tool against a transaction that hangs already.

    Scenario: [1] An operator aborts
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0
      Then it is done
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] An operator commits
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When a COMMIT marker for A reaches payments-0
      Then it is done
      And readers of payments-0 see "a1"
      And the last stable offset of payments-0 is the high watermark

  @KIP890-132 @MUST
  Rule: A marker for a producer unknown to the partition is accepted and sets the epoch that later data is measured by.
    A partition that forgets the marker would take the late data that the marker was to keep out.

    Scenario: [1] Data of an epoch below that of the marker
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 with the next epoch
      When A writes "a1" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] Data of the marker's epoch, from sequence 0 on
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0
      When A writes "a1" to payments-0 at sequence 0
      Then it is done
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [3] Data of the marker's epoch, from another sequence on
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0
      When A writes "a1" to payments-0 at sequence 3
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

  @KIP890-133 @MUST
  Rule: A marker with no open transaction moves neither the last stable offset nor the list of aborted transactions.
    A marker that ends nothing must not hide records of the transactions around it.

    Scenario: [1] A marker when everything is decided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When an ABORT marker for A reaches payments-0
      Then a read_committed Fetch of payments-0 lists no aborted transaction
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] A marker beside the open transaction of another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      When an ABORT marker for A reaches payments-0
      Then it is done
      And a read_committed Fetch of payments-0 lists no aborted transaction
      And the last stable offset of payments-0 is the offset of "b1"

  @KIP890-134 @MUST
  Rule: WriteTxnMarkers answers UNKNOWN_TOPIC_OR_PARTITION only for the partition it cannot find and writes the others.
    One missing partition must not keep the markers from all others of the transaction.

    Scenario: [1] One of two partitions does not exist
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0 and payments-99
      Then it is refused only for payments-99 with UNKNOWN_TOPIC_OR_PARTITION
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

  @KIP890-135 @MUST
  Rule: With no faults on the servers, the last stable offset meets the high watermark once all transactions are settled.
    A last stable offset that stays behind when nothing is open leaves readers waiting for nothing.

    Scenario: [1] Two interleaved transactions have ended
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And B has committed
      When A aborts
      Then the last stable offset of payments-0 is the high watermark

    Scenario: [2] A transaction was taken over
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And B has taken over from A
      And B has written "b1" to payments-1
      When B commits
      Then the last stable offset of payments-0 and payments-1 is the high watermark

    Scenario: [3] A transaction has timed out
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And A has left its transaction open past its time-out
      When "p1" is written to payments-0
      Then the last stable offset of payments-0 is the high watermark

  @KIP890-218 @MUST
  Rule: A partition that cannot take its marker holds up no other transaction.
    One partition in trouble would keep the readers of all others waiting, and their producers from going on.

    @needs:two-nodes @needs:hold-markers
    Scenario: [1] A leader was paused, and the marker of somebody else is refused
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And producer B with transactional id "refund"
      And completion of B's transactions is blocked
      And B has been asked to commit
      And node 2 is paused until the next answer
      When A commits
      Then readers of accounts-1 see "a2"
