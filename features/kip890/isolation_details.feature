Feature: Isolation in detail
  What readers of committed data are told, so that they can leave out what was aborted.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-139 @MUST @aborts
  Rule: A read_committed Fetch lists the aborted transactions that overlap its range, with producer id and first offset.
    Clients filter by this list. An aborted transaction that is missing in it is handed to the application.

    Scenario: [1] One of two transactions was aborted
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And B has committed
      When A aborts
      Then a read_committed Fetch of payments-0 lists the aborted transaction of A from "a1"

    Scenario: [2] The reader begins in the middle of the aborted transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      When A aborts
      Then a read_committed Fetch of payments-0 from "a2" lists the aborted transaction of A from "a1"

    Scenario: [3] The reader begins behind the aborted transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When "p1" is written to payments-0
      Then a read_committed Fetch of payments-0 from "p1" lists no aborted transaction

    Scenario: [4] The aborted transaction is that of an old client
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A aborts
      Then a read_committed Fetch of payments-0 lists the aborted transaction of A from "a1"

    Scenario: [5] The transaction of an old client that was aborted comes behind one that was committed
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When A aborts
      Then readers of payments-0 see "a1"
      And a read_committed Fetch of payments-0 lists the aborted transaction of A from "a2"

    Scenario: [6] Two transactions of one producer were aborted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A aborts
      Then a read_committed Fetch of payments-0 lists the aborted transactions of A from "a1" and "a2"

    Scenario: [7] Two transactions that overlap were aborted
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And A has written "a2" to payments-0
      And A has aborted
      When B aborts
      Then readers of payments-0 see nothing

  @KIP890-140 @MUST @aborts
  Rule: What a read_committed Fetch hands out, filtered by its list of aborted transactions, is just the committed records.
    A broker that filters in its own way and a client that filters by the list can disagree about what is committed.

    Scenario: [1] An aborted transaction before a committed one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A commits
      Then readers of payments-0 see "a2"

    Scenario: [2] An aborted transaction around a committed one
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When A aborts and B commits
      Then readers of payments-0 see "b1"

    Scenario: [3] The only transaction is that of an old client, and aborted
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A aborts
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [4] One Fetch of two partitions in which a transaction was aborted
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0 and "a3" to payments-1 in one request
      When A aborts
      Then readers of payments-0 and payments-1 see "a1" and nothing by one Fetch
      And readers of payments-1 and payments-0 see nothing and "a1" by one Fetch

    Scenario: [5] One Fetch of two partitions, and nothing was aborted in the first
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-1
      When A aborts
      Then readers of payments-0 and payments-1 see "p1" and nothing by one Fetch

    Scenario: [6] One Fetch of two topics
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      And A has committed "a1" to accounts-0
      And A has written "a2" to payments-0
      And A has written "a3" to accounts-0
      When A aborts
      Then readers of payments-0 and accounts-0 see nothing and "a1" by one Fetch

    Scenario: [7] One Fetch of two partitions by the id of their topic
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0 and "a2" to payments-1 in one request
      And A has aborted
      When A commits "a3" to payments-1
      Then readers of payments-0 and payments-1 see nothing and "a3" by one Fetch of version 13

    Scenario: [8] Two transactions of one producer were aborted, around one that was committed
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has committed "a2" to payments-0
      And A has written "a3" to payments-0
      When A aborts
      Then readers of payments-0 see "a2"

  @KIP890-143 @MUST
  Rule: A read_committed timestamp look-up that lands in undecided data answers offset -1 and timestamp -1.
    A position in undecided data would make a reader of committed data start where it may not read.

    Scenario: [1] The record of that time is undecided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the offset for the time of "a1" in payments-0 is looked up for read_committed
      Then the look-up finds nothing

    Scenario: [2] The record of that time is undecided, for a reader of uncommitted data
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the offset for the time of "a1" in payments-0 is looked up for read_uncommitted
      Then the look-up finds "a1"

    Scenario: [3] The record of that time is decided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When the offset for the time of "a1" in payments-0 is looked up for read_committed
      Then the look-up finds "a1"

    Scenario: [4] The newest record is undecided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the newest record of payments-0 is looked up for read_committed
      Then the look-up finds nothing

    Scenario: [5] The second record of a batch that is decided, when the record behind it is not
      Given a topic "ledger" with 1 partition and a new segment for each batch
      And producers A and B with transactional ids "transfer" and "refund"
      And A has written 3 batches to ledger-0
      And A has committed
      And B has written "b1" to ledger-0
      When the offset for the time of "r2" in ledger-0 is looked up for read_committed
      Then the look-up finds "r2"

  @KIP890-144 @MUST
  Rule: What a read_committed reader has once seen never disappears, though partitions of one commit may show at different times.
    A record that was shown and then disappears has been acted on already.

    Scenario: [1] A commit in two partitions
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And readers poll every partition
      When A commits
      Then no poll has lost a record, or seen the last stable offset go back
      And readers of payments-1 see "a2"

    Scenario: [2] Two transactions that end one after the other
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And readers poll every partition
      When B commits and A aborts
      Then no poll has lost a record, or seen the last stable offset go back
      And readers of payments-0 see "b1"

    @needs:two-nodes
    Scenario: [3] A commit of which one leader learns late
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And readers poll every partition
      And node 2 is paused until the next answer
      When A commits
      Then the first poll of accounts-0 showed "a1"
      And no poll has lost a record, or seen the last stable offset go back
      And readers of accounts-1 see "a2"
