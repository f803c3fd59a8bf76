Feature: Timeouts and recovery
  The coordinator ends a transaction that no client ends, and completes after a crash what was decided.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-094 @MUST @recovery
  Rule: A broker accepts the next batch of an open transaction after a restart, as if there had been none.
    A restart must not cost a producer its open transaction.

    @needs:crash
    Scenario: [1] A producer writes another record after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the system has crashed and restarted
      When A writes "a2" to payments-0
      Then it is done
      And the open transaction of A in payments-0 starts at "a1"

  @KIP890-156 @MUST @aborts
  Rule: A coordinator aborts a transaction that stays open past its timeout, with a marker at the next epoch.
    A producer that crashed would block every reader of its partitions for ever.

    Scenario: [1] An abandoned transaction is aborted
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      When A leaves its transaction open past its timeout
      Then the transaction of A is over
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] An abandoned transaction gets a marker
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      When A leaves its transaction open past its timeout
      Then one ABORT marker was added to payments-0, with the next epoch of A

    @needs:hold-markers
    Scenario: [3] An abandoned transaction is aborted while another one cannot be completed
      Given producers A and B with transactional ids "transfer" and "refund" and a short timeout
      And completion of A's transactions is blocked
      And A has been asked to commit
      And B has written "abandoned" to payments-0
      When B leaves its transaction open past its timeout
      Then the transaction of B is over
      And readers of payments-0 see nothing

    Scenario: [4] A producer keeps adding partitions past its timeout
      Given a topic "ledger" with 50 partitions
      And producer A with transactional id "transfer" and a short timeout
      When A writes to one partition of "ledger" after the other, two fifths of its timeout apart
      Then the transaction of A is over

    @needs:crash
    Scenario: [5] A transaction that was open at a crash is abandoned
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And the system has crashed and restarted
      When A leaves its transaction open past its timeout
      Then the transaction of A is over
      And readers of payments-0 see nothing

    @needs:crash
    Scenario: [6] The system crashes halfway through the timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And a transaction with half of a short timeout has timed out at the coordinator of A
      And the system has crashed and restarted
      When a transaction with half of a short timeout times out at the coordinator of A
      Then the transaction of A is over

    @needs:two-nodes
    Scenario: [7] The coordinator moves halfway through the timeout
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2, with a short timeout
      And a transaction with half of a short timeout has timed out at the coordinator of A
      And the coordinator of A has moved to node 2
      When a transaction with half of a short timeout times out at the coordinator of A
      Then the transaction of A is over

    Scenario: [8] A commit with another epoch is refused halfway through the timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And a transaction with half of a short timeout has timed out at the coordinator of A
      And A has tried to commit with the next epoch
      When a transaction with half of a short timeout times out at the coordinator of A
      Then the transaction of A is over

    Scenario: [9] An InitProducerId is refused halfway through the timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And a transaction with half of a short timeout has timed out at the coordinator of A
      And producer B with transactional id "audit"
      And A has tried to initialise again with the producer id of B
      When a transaction with half of a short timeout times out at the coordinator of A
      Then the transaction of A is over

    @alone
    Scenario: [10] An old client writes to a partition halfway through the timeout that it has added before
      Given producer A with transactional id "transfer" and a short timeout
      And A is an old client (transaction version 0)
      And A has added payments-0 and payments-1
      And a transaction with half of a short timeout has timed out at the coordinator of A
      And A has written "a1" to payments-0
      When a transaction with half of a short timeout times out at the coordinator of A
      Then the transaction of A is over

    @alone
    Scenario: [11] A partition is added once more halfway through the timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has added payments-0
      And a transaction with half of a short timeout has timed out at the coordinator of A
      And A has added payments-0
      When a transaction with half of a short timeout times out at the coordinator of A
      Then the transaction of A is over

    @alone @needs:crash
    Scenario: [12] The timeout passes while the system is down, with offsets in the transaction
      Given producer A with transactional id "transfer" and a short timeout
      And A has sent offset 3 of payments-0 to group "shop"
      And the system has crashed and restarted after the timeout of A
      When A leaves its transaction open past its timeout
      Then the transaction of A is over
      And group "shop" has no pending offset of payments-0

    @alone @needs:crash
    Scenario: [13] The timeout passes while the system is down, with a record in the transaction
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And the system has crashed and restarted after the timeout of A
      When A leaves its transaction open past its timeout
      Then the transaction of A is over
      And the last stable offset of payments-0 is the high watermark

  @KIP890-157 @MUST @fencing
  Rule: After a transaction has timed out, its producer's writes with the old epoch are refused, and so is an EndTxn v4.
    A producer that slept past its timeout would continue writing into an aborted transaction.

    Scenario: [1] A producer writes after its timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When A writes "late" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] A producer commits with EndTxn v4 after its timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      And A uses EndTxn v4
      When A commits
      Then it is refused with PRODUCER_FENCED
      And readers of payments-0 see nothing

    Scenario: [3] A producer aborts with EndTxn v4 after its timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      And A uses EndTxn v4
      When A aborts
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

    @needs:feature-levels
    Scenario: [4] A producer writes after its timeout at transaction.version 1
      Given transaction.version has been set to 1
      And producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When A writes "late" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [5] An old client writes after its timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When A writes "late" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH

    @needs:transactions-v2
    Scenario: [6] A producer writes to a partition outside of its transaction after its timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When A writes "late" to payments-1
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-1 has not grown

  @KIP890-160 @MUST @recovery
  Rule: A coordinator completes a transaction whose EndTxn was answered after a crash, in every partition and as decided.
    A commit that was answered is a promise, even if the broker crashes before the first marker is written.

    @needs:crash
    Scenario: [1] Twenty producers commit over two partitions before a crash
      Given twenty producers have written to payments-0 and payments-1
      When all of the twenty commit, and the system crashes right after its last answer
      Then readers of payments-0 and payments-1 see all of the twenty

    @needs:crash
    Scenario: [2] Twenty producers abort over two partitions before a crash
      Given twenty producers have written to payments-0 and payments-1
      When all of the twenty abort, and the system crashes right after its last answer
      Then readers of payments-0 and payments-1 see nothing of the twenty

    @alone @needs:crash @needs:hold-markers
    Scenario: [3] The system restarts after the timeout of a transaction whose commit was decided
      Given producer A with transactional id "transfer" and a short timeout
      And completion of A's transactions is blocked until the next restart
      And A has written "a1" to payments-0
      And A has been asked to commit
      When the system crashes and restarts after the timeout of A
      Then the transaction of A is CompleteCommit
      And readers of payments-0 see "a1"

    @needs:crash
    Scenario: [4] An old client commits before a crash
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And the system crashes right after it answers the next EndTxn of A
      When A commits
      Then the transaction of A is over
      And readers of payments-0 see "a1"

    @needs:crash
    Scenario: [5] An old client aborts before a crash
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And the system crashes right after it answers the next EndTxn of A
      When A aborts
      Then the transaction of A is over
      And the last stable offset of payments-0 is the high watermark

  @KIP890-161 @MUST @recovery
  Rule: A transaction whose EndTxn was not answered has the same outcome in all partitions, and a retry is answered with that outcome.
    A client without an answer retries, and must be answered with the outcome that readers see.

    @needs:wire-faults @needs:transactions-v2
    Scenario: [1] The answer to a commit is lost
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the next EndTxn of A is answered, and the answer is lost
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And only COMMIT markers were added to payments-0 and payments-1, with the next epoch of A

    @needs:wire-faults @needs:transactions-v2
    Scenario: [2] The request for an abort is lost
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the next EndTxn of A is lost
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And only ABORT markers were added to payments-0 and payments-1, with the next epoch of A

    @needs:crash @needs:transactions-v2
    Scenario: [3] The broker crashes while a commit is in flight
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the system crashes before it answers the next EndTxn of A
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And only COMMIT markers were added to payments-0 and payments-1, with the next epoch of A
