Feature: A clean stop
  A broker that stops cleanly stores its state, and continues from there when it restarts. The stored state has to be complete: after a
  crash the log is read again, after a clean stop it is not.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-265 @MUST @recovery
  Rule: A transaction that is open when a broker stops cleanly is still open after the restart.
    A rolling upgrade would show undecided records to readers, or cost each producer its transaction.

    @needs:clean-stop
    Scenario: [1] A producer writes another record after a clean stop
      Given A has written "a1" to payments-0
      And the system has stopped cleanly and restarted
      When A writes "a2" to payments-0
      Then it is done
      And the open transaction of A in payments-0 starts at "a1"

    @needs:clean-stop
    Scenario: [2] A transaction aborts after a clean stop
      Given A has written "a1" to payments-0
      And "p1" has been written to payments-0
      And the system has stopped cleanly and restarted
      When A aborts
      Then readers of payments-0 see "p1"
      And a read_committed Fetch of payments-0 lists the aborted transaction of A from "a1"

    @needs:clean-stop
    Scenario: [3] Readers read an open transaction after a clean stop
      Given A has written "a1" to payments-0
      When the system stops cleanly and restarts
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the offset of "a1"

    @needs:clean-stop
    Scenario: [4] Two transactions are open in one partition during a clean stop
      Given producer B with transactional id "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When the system stops cleanly and restarts
      Then the open transaction of A in payments-0 starts at "a1"
      And the open transaction of B in payments-0 starts at "b1"

  @KIP890-266 @MUST @recovery
  Rule: A partition keeps the epochs and sequence numbers of its producers over a clean stop.
    A record that was already late before the stop would be accepted after it, and one that is sent again would be stored twice.

    @needs:verification-off @needs:clean-stop
    Scenario: [1] A late record without verification arrives after a clean stop
      Given A has written "a1" to payments-0
      And A has committed
      And A uses Produce v11
      And the system has stopped cleanly and restarted
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    @needs:clean-stop
    Scenario: [2] A batch is sent again after a clean stop
      Given A has written "a1" to payments-0
      And the system has stopped cleanly and restarted
      When A writes "again" to payments-0 at sequence 0
      Then it is done
      And the log of payments-0 has not grown

    @needs:clean-stop
    Scenario: [3] A late marker of a replaced coordinator arrives after a clean stop
      Given an ABORT marker for A has reached payments-0 from coordinator epoch 7
      And A has written "a1" to payments-0
      And the system has stopped cleanly and restarted
      When an ABORT marker for A reaches payments-0 from coordinator epoch 6
      Then it is refused with TRANSACTION_COORDINATOR_FENCED
      And the last stable offset of payments-0 is the offset of "a1"

  @KIP890-216 @MUST @aborts @recovery
  Rule: A partition still lists its aborted transactions after clean stops, including those from before earlier stops.
    Because of a rolling upgrade, readers of committed data would receive what was aborted long ago.

    @needs:clean-stop
    Scenario: [1] Two clean stops follow an abort
      Given A has written "a1" to payments-0
      And A has aborted
      And the system has stopped cleanly and restarted
      When the system stops cleanly and restarts
      Then a read_committed Fetch of payments-0 lists the aborted transaction of A from "a1"
      And readers of payments-0 see nothing

    @needs:clean-stop
    Scenario: [2] A clean stop follows each of two aborts
      Given A has written "a1" to payments-0
      And A has aborted
      And the system has stopped cleanly and restarted
      And A has written "a2" to payments-0
      And A has aborted
      When the system stops cleanly and restarts
      Then readers of payments-0 see nothing

    @needs:clean-stop @needs:crash
    Scenario: [3] A crash follows a clean stop
      Given A has written "a1" to payments-0
      And A has aborted
      And the system has stopped cleanly and restarted
      When the system crashes and restarts
      Then readers of payments-0 see nothing

  @KIP890-267 @MUST @recovery
  Rule: A transaction whose end was decided before a clean stop is completed after it, in every partition and as decided.
    A broker that stops too early would block readers at a transaction that can no longer be ended.

    @needs:clean-stop
    Scenario: [1] Twenty producers commit over two partitions before a clean stop
      Given twenty producers have written to payments-0 and payments-1
      When all of the twenty commit, and the system stops cleanly right after its last answer
      Then readers of payments-0 and payments-1 see all of the twenty

    @needs:clean-stop @needs:hold-markers
    Scenario: [2] An abort that could not be completed before a clean stop
      Given completion of A's transactions is blocked until the next restart
      And A has written "a1" to payments-0
      And A has been asked to abort
      When the system stops cleanly and restarts
      Then the transaction of A is CompleteAbort
      And readers of payments-0 see nothing

  @KIP890-268 @MUST @recovery
  Rule: Offsets that are pending when a broker stops cleanly are still pending after the restart, and take effect if their transaction commits.
    The group would continue after records whose results were never committed, or read those again whose results were.

    @needs:clean-stop
    Scenario: [1] A transaction with offsets commits after a clean stop
      Given A has sent offset 5 of payments-0 to group "shop"
      And the system has stopped cleanly and restarted
      When A commits
      Then group "shop" has committed offset 5 of payments-0

    @needs:clean-stop
    Scenario: [2] A transaction with offsets is open after a clean stop
      Given A has sent offset 5 of payments-0 to group "shop"
      When the system stops cleanly and restarts
      Then group "shop" has no committed offset of payments-0
      And group "shop" has a pending offset of payments-0

  @KIP890-340 @MUST @recovery
  Rule: A coordinator completes a transaction only when each partition has its marker, including one whose leader was unavailable.
    Readers would wait for ever, even when the leader is available again: no more markers are sent for a completed transaction.

    @needs:two-nodes @needs:clean-stop
    Scenario: [1] The coordinator stops cleanly before an unavailable leader returns
      Given producer B has written "b1" to accounts-0 on node 1 and "b2" to accounts-1 on node 2
      And node 2 is paused until the next restart
      And B has been asked to commit
      When the system stops cleanly and restarts
      Then readers of accounts-0 see "b1"
      And readers of accounts-1 see "b2"

    @needs:crash @needs:doubled-answers @needs:transactions-v2
    Scenario: [2] A second answer to a marker arrives while the next transaction commits
      Given each marker is answered twice, the second time just before the next crash
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      And the system crashes right after it answers the next EndTxn of A
      When A commits
      Then readers of payments-0 see "a1", "a2"

    @needs:two-nodes
    Scenario: [3] A transaction aborts while one of its partitions has no leader
      Given producer B has written "b1" to accounts-0 on node 1 and "b2" to accounts-1 on node 2
      And node 2 is unavailable until the next answer
      When B aborts
      Then one ABORT marker was added to accounts-0 and accounts-1

    @needs:two-nodes @needs:crash
    Scenario: [4] A topic of the transaction was deleted, and the system crashes while a leader is unavailable
      Given producer B has written "b1" to accounts-0 on node 1 and "b2" to accounts-1 on node 2
      And B has written "b3" to payments-0
      And topic "payments" has been deleted
      And node 2 is paused until the next restart
      And B has been asked to commit
      When the system crashes and restarts
      Then readers of accounts-1 see "b2"
