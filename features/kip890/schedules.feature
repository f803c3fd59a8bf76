Feature: Orders of writes, ends and markers
  A write, an end and a marker of one transaction may arrive in any order. Whatever the order is, the coordinator must know of every
  transaction that is open in a log. `fencepost explore --spec kip890` plays many more orders than these.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-118 @MUST
  Rule: No order of Produce, EndTxn and markers leaves a transaction in a log that can never be ended.
    Whatever the order in which requests arrive, a transaction that can never be ended blocks every reader of that partition.

    Scenario: [1] A write of an old client arrives after the marker of its commit
      Given A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      When A writes "late" to payments-0
      Then payments-0 has no open transaction of A
      And the last stable offset of payments-0 is the high watermark

    @needs:transactions-v2
    Scenario: [2] A write of a new client arrives after a new instance has taken over
      Given B has taken over from A
      When A writes "late" to payments-0
      Then payments-0 has no open transaction of A
      And the last stable offset of payments-0 is the high watermark

    @needs:transactions-v2
    Scenario: [3] A late write of a new client arrives after an operator's marker and the client's abort
      Given A has written "a1" to payments-0
      And an ABORT marker for A has reached payments-0
      And A has aborted
      When A writes "late" to payments-0 with its previous epoch
      Then payments-0 has no open transaction of A
      And readers of payments-0 see nothing

    @needs:transactions-v2
    Scenario: [4] A write of a new client arrives concurrently with an abort
      When A aborts and writes a first batch to payments-1 at the same time, 3 times
      Then payments-1 has no open transaction of A
      And the last stable offset of payments-1 is the high watermark
