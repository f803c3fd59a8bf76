Feature: Markers
  The end of a transaction is written into every partition that it touched, as a control record.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-126 @MUST @commits @aborts
  Rule: Every partition of an ended transaction gets exactly one marker, all with the same decision and epoch.
    A partition without its marker keeps readers waiting; one with another decision makes the transaction half committed.

    Scenario: [1] A commit in two partitions
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits
      Then one COMMIT marker was added to payments-0 and payments-1

    Scenario: [2] An abort in two partitions
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A aborts
      Then one ABORT marker was added to payments-0 and payments-1

    Scenario: [3] A partition that was added and not written to
      Given producer A with transactional id "transfer"
      And A has added payments-1
      And A has written "a1" to payments-0
      When A commits
      Then one COMMIT marker was added to payments-0 and payments-1

    @needs:two-nodes
    Scenario: [4] A leader that was paused when the transaction ended
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next answer
      When A aborts
      Then one ABORT marker was added to accounts-0 and accounts-1
