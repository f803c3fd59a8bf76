Feature: Markers in detail
  The format of a marker in the log, and which markers a partition accepts.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-122 @MUST
  Rule: The marker of a transaction that EndTxn v5 has ended has the transaction's producer id and the raised epoch.
    A partition fences by the marker's epoch: with the old one it still accepts late data.

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
  Rule: The marker of a transaction that EndTxn v4 has ended has the epoch with which the data was written.
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
  Rule: A marker is a transactional control batch of one record without a sequence, has the coordinator's epoch and occupies one offset.
    A marker that readers or compaction treat as data becomes visible as a record, or is removed too early.

    Scenario: [1] The marker of a commit is inspected
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then the marker in payments-0 is a transactional control batch with one record, one offset and no sequence

    Scenario: [2] The marker of an abort is inspected
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts
      Then the marker in payments-0 is a transactional control batch with one record, one offset and no sequence

  @KIP890-127 @MUST @fencing
  Rule: A partition answers WriteTxnMarkers of the new protocol with INVALID_PRODUCER_EPOCH if its epoch is that of the open transaction.
    The late marker of the previous transaction would end the open one half way through.

    Scenario: [1] A marker of the last transaction arrives during the next one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A has written "a2" to payments-0
      When a COMMIT marker for A reaches payments-0 with transaction version 2
      Then it is refused with INVALID_PRODUCER_EPOCH

    Scenario: [2] The open transaction stays open after a marker with its own epoch
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When a COMMIT marker for A reaches payments-0 with transaction version 2
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the open transaction of A in payments-0 starts at "a1"
      And the log of payments-0 has not grown

  @KIP890-128 @MUST @fencing
  Rule: A partition answers WriteTxnMarkers with INVALID_PRODUCER_EPOCH if the marker's epoch is below the producer's in the partition.
    A late marker would end a transaction that its coordinator never decided.

    Scenario: [1] A marker of an earlier epoch arrives while a transaction is open
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] A marker of an earlier epoch arrives when everything is decided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When an ABORT marker for A reaches payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

  @KIP890-129 @SHOULD
  Rule: A partition answers a WriteTxnMarkers v2 that is repeated after the end of its transaction with success.
    A coordinator that lost the answer repeats the marker; if it is refused, the transaction can never be completed.

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
  Rule: A partition answers WriteTxnMarkers with TRANSACTION_COORDINATOR_FENCED if its coordinator epoch is older than one that the partition has seen.
    A coordinator that was replaced without knowing it must no longer end transactions.

    Scenario: [1] An older coordinator sends a marker
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      When an ABORT marker for A reaches payments-0 from coordinator epoch 6
      Then it is refused with TRANSACTION_COORDINATOR_FENCED
      And the log of payments-0 has not grown

    Scenario: [2] The same coordinator sends a marker again
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      When an ABORT marker for A reaches payments-0 from coordinator epoch 7
      Then it is done

    Scenario: [3] A newer coordinator sends a marker
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      When an ABORT marker for A reaches payments-0 from coordinator epoch 8
      Then it is done

    @needs:crash
    Scenario: [4] An older coordinator sends a marker after the partition has crashed
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      And A has written "a1" to payments-0
      And the system has crashed and restarted
      When an ABORT marker for A reaches payments-0 from coordinator epoch 6
      Then it is refused with TRANSACTION_COORDINATOR_FENCED
      And the last stable offset of payments-0 is the offset of "a1"

    Scenario: [5] An older coordinator sends a marker after the producer was given a new epoch
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      And A has initialised again
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0 from coordinator epoch 6
      Then it is refused with TRANSACTION_COORDINATOR_FENCED
      And the last stable offset of payments-0 is the offset of "a1"

    Scenario: [6] A coordinator with a smaller epoch sends the marker of another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      When an ABORT marker for B reaches payments-0 from coordinator epoch 6
      Then it is done
      And the last stable offset of payments-0 is the high watermark

    Scenario: [7] An older coordinator sends a marker to a partition that knows a newer one and to one that does not
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-1
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      When an ABORT marker for A reaches payments-0 and payments-1 from coordinator epoch 6
      Then it is refused only for payments-0 with TRANSACTION_COORDINATOR_FENCED
      And the last stable offset of payments-1 is the high watermark

  @KIP890-131 @MUST
  Rule: WriteTxnMarkers v1 at the current epoch ends an open transaction, so that an operator can end one that hangs.
    Without it operators have no tool against a transaction that hangs already.

    Scenario: [1] An operator aborts an open transaction with a marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0
      Then it is done
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] An operator commits an open transaction with a marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When a COMMIT marker for A reaches payments-0
      Then it is done
      And readers of payments-0 see "a1"
      And the last stable offset of payments-0 is the high watermark

    Scenario: [3] An operator aborts a transaction in two topics with one marker
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to accounts-0
      When an ABORT marker for A reaches payments-0 and accounts-0
      Then it is done for payments-0 and accounts-0
      And the last stable offset of payments-0 and accounts-0 is the high watermark

    Scenario: [4] An operator aborts the transactions of two producers with one request
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When an ABORT marker for A and an ABORT marker for B reach payments-0 in one request
      Then it is done for payments-0 of A
      And it is done for payments-0 of B
      And the last stable offset of payments-0 is the high watermark

  @KIP890-406 @MUST
  Rule: A broker applies to each marker of one WriteTxnMarkers that marker's own decision and transaction version.
    A coordinator sends the markers of several transactions in one request. One that is given the decision of another commits what was
    aborted.

    Scenario: [1] One request aborts the transaction of one producer and commits that of another
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When an ABORT marker for A and a COMMIT marker for B reach payments-0 in one request
      Then it is done for payments-0 of A
      And it is done for payments-0 of B
      And readers of payments-0 see "b1"

    Scenario: [2] One request commits the transaction of one producer and aborts that of another
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When a COMMIT marker for A and an ABORT marker for B reach payments-0 in one request
      Then it is done for payments-0 of A
      And it is done for payments-0 of B
      And readers of payments-0 see "a1"

    Scenario: [3] The second marker has transaction version 2, and the epoch of the open transaction
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When a COMMIT marker for A and, with transaction version 2, a COMMIT marker for B reach payments-0 in one request
      Then it is done for payments-0 of A
      And it is refused for payments-0 of B with INVALID_PRODUCER_EPOCH
      And the open transaction of B in payments-0 starts at "b1"

    Scenario: [4] The first marker is one of a producer that was taken over
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      And A has written "a1" to payments-0
      And C has taken over from A
      When an ABORT marker for A and a COMMIT marker for B reach payments-0 in one request
      Then it is done for payments-0 of B

  @KIP890-132 @MUST
  Rule: A partition accepts a marker for a producer that it does not know, and compares that producer's later data with the marker's epoch.
    A partition that forgets the marker would accept the late data that the marker has to keep out.

    Scenario: [1] Data with an epoch below that of the marker arrives
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 with the next epoch
      When A writes "a1" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] Data with the marker's epoch arrives with sequence 0
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0
      When A writes "a1" to payments-0 at sequence 0
      Then it is done
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [3] Data with the marker's epoch arrives with another sequence
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0
      When A writes "a1" to payments-0 at sequence 3
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

  @KIP890-133 @MUST
  Rule: A marker without an open transaction changes neither the last stable offset nor the list of aborted transactions.
    A marker that ends nothing must not hide records of the transactions around it.

    Scenario: [1] A marker arrives when everything is decided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When an ABORT marker for A reaches payments-0
      Then a read_committed Fetch of payments-0 lists no aborted transaction
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] A marker arrives while a transaction of another producer is open
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      When an ABORT marker for A reaches payments-0
      Then it is done
      And a read_committed Fetch of payments-0 lists no aborted transaction
      And the last stable offset of payments-0 is the offset of "b1"

  @KIP890-134 @MUST
  Rule: A broker answers WriteTxnMarkers with UNKNOWN_TOPIC_OR_PARTITION for the missing partition only, and writes the marker to the others.
    One missing partition must not keep the markers from all others of the transaction.

    Scenario: [1] A marker names an existing and a missing partition
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0 and payments-99
      Then it is refused only for payments-99 with UNKNOWN_TOPIC_OR_PARTITION
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] A marker names a partition of one topic and a missing one of another
      Given a topic "ledger" with 1 partition
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0 and ledger-9
      Then it is refused only for ledger-9 with UNKNOWN_TOPIC_OR_PARTITION
      And the last stable offset of payments-0 is the high watermark

  @KIP890-135 @MUST
  Rule: Without faults, the last stable offset reaches the high watermark when all transactions are complete.
    A last stable offset that stays behind when nothing is open blocks readers for no reason.

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
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When "p1" is written to payments-0
      Then the last stable offset of payments-0 is the high watermark

  @KIP890-218 @MUST
  Rule: A partition that cannot accept its marker does not delay the markers of other transactions.
    One faulty partition would block the readers of all others, and their producers.

    @needs:two-nodes @needs:hold-markers
    Scenario: [1] A leader was paused while the marker of another transaction is refused
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And producer B with transactional id "refund"
      And completion of B's transactions is blocked
      And B has been asked to commit
      And node 2 is paused until the next answer
      When A commits
      Then readers of accounts-1 see "a2"
