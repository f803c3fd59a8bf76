Feature: Isolation in detail
  What readers of committed data are told, so that they can leave out what was aborted.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-139 @MUST
  Rule: A read_committed Fetch lists the aborted transactions that overlap its range, with producer id and first offset.

    Scenario: [1] One of two was aborted
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And B has committed
      When A aborts
      Then readers of committed data are told of the aborted transaction of A from "a1" in payments-0

    Scenario: [2] The reader begins in the middle of it
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      When A aborts
      Then a reader of committed data that begins at "a2" is told of the aborted transaction of A from "a1" in payments-0

    Scenario: [3] The reader begins behind it
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When a plain record "p1" is written to payments-0
      Then a reader of committed data that begins at "p1" is told of no aborted transaction in payments-0

    Scenario: [4] The transaction is that of an old client
      Given producer A with transactional id "transfer"
      And in the first protocol A has written "a1" to payments-0
      When in the first protocol A aborts
      Then readers of committed data are told of the aborted transaction of A from "a1" in payments-0

  @KIP890-140 @MUST
  Rule: A read_committed Fetch keeps aborted records and markers, and filtering by the list leaves just the committed ones.

    Scenario: [1] An aborted transaction before a committed one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A commits
      Then readers of committed data are handed "a1", "a2" from payments-0, and 2 markers

    Scenario: [2] The same, filtered
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A commits
      Then readers of committed data see "a2" in payments-0

    Scenario: [3] An aborted transaction around a committed one
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When A aborts and B commits, watched by readers of committed data
      Then readers of committed data see "b1" in payments-0
      And readers of committed data are handed "a1", "b1" from payments-0, and 2 markers

    Scenario: [4] The aborted transaction is that of an old client
      Given producer A with transactional id "transfer"
      And in the first protocol A has written "a1" to payments-0
      When in the first protocol A aborts
      Then readers of committed data see nothing in payments-0
      And readers of committed data are handed "a1" from payments-0, and 1 markers

  @KIP890-143 @MUST
  Rule: A read_committed timestamp look-up that lands in undecided data answers offset -1 and timestamp -1.

    Scenario: [1] The record is undecided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the time of "a1" is looked up in payments-0 for committed data
      Then the look-up finds nothing

    Scenario: [2] The record is undecided, and the reader does not mind
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the time of "a1" is looked up in payments-0 for uncommitted data
      Then the look-up finds "a1" in payments-0

    Scenario: [3] The record is decided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When the time of "a1" is looked up in payments-0 for committed data
      Then the look-up finds "a1" in payments-0

  @KIP890-144 @MUST
  Rule: What a read_committed reader has once seen never disappears, though partitions of one commit may show at different times.

    Scenario: [1] A commit in two partitions
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits, watched by readers of committed data
      Then no reader has lost sight of a record, nor seen the last stable offset go back
      And readers of committed data see "a2" in payments-1

    Scenario: [2] Two transactions that end one after the other
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When B commits and A aborts, watched by readers of committed data
      Then no reader has lost sight of a record, nor seen the last stable offset go back
      And readers of committed data see "b1" in payments-0

    @needs:two-nodes
    Scenario: [3] A commit of which one leader learns late
      Given producer A with transactional id "transfer" has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When A commits while node 2 is paused, and node 2 goes on
      Then readers of committed data saw "a1" in accounts-0 while node 2 was paused
      And no reader has lost sight of a record, nor seen the last stable offset go back
      And readers of committed data see "a2" in accounts-1
