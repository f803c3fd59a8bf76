Feature: Markers
  The end of a transaction is written into each of its partitions as a control record.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-126 @MUST @commits @aborts
  Rule: Each partition of an ended transaction receives exactly one marker, all with the same decision and epoch.
    A partition without its marker blocks its readers; a marker with another decision commits half of the transaction.

    Scenario: [1] A transaction with two partitions commits
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits
      Then one COMMIT marker was added to payments-0 and payments-1

    Scenario: [2] A transaction with two partitions aborts
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A aborts
      Then one ABORT marker was added to payments-0 and payments-1

    Scenario: [3] A transaction commits with a partition that was added and not written to
      Given producer A with transactional id "transfer"
      And A has added payments-1
      And A has written "a1" to payments-0
      When A commits
      Then one COMMIT marker was added to payments-0 and payments-1

    @needs:two-nodes
    Scenario: [4] A transaction aborts while a leader is paused
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next answer
      When A aborts
      Then one ABORT marker was added to accounts-0 and accounts-1

    @needs:transactions-v2
    Scenario: [5] A partition was not in the previous transaction, and is added and not written to
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has committed "a2" to payments-1
      And A has added payments-0
      When A commits
      Then the transaction of A is over
