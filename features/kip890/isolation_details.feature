Feature: Isolation in detail
  What readers of committed data receive in order to filter out aborted records.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-139 @MUST @aborts
  Rule: A read_committed Fetch lists the aborted transactions that overlap its range, each with producer id and first offset.
    Clients filter by this list. The records of an aborted transaction that is missing from it reach the application.

    Scenario: [1] One of two transactions was aborted
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And B has committed
      When A aborts
      Then a read_committed Fetch of payments-0 lists the aborted transaction of A from "a1"

    Scenario: [2] A reader starts in the middle of an aborted transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      When A aborts
      Then a read_committed Fetch of payments-0 from "a2" lists the aborted transaction of A from "a1"

    Scenario: [3] A reader starts after an aborted transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When "p1" is written to payments-0
      Then a read_committed Fetch of payments-0 from "p1" lists no aborted transaction

    Scenario: [4] A transaction of an old client was aborted
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A aborts
      Then a read_committed Fetch of payments-0 lists the aborted transaction of A from "a1"

    Scenario: [5] A transaction of an old client was aborted after a committed one
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

    Scenario: [7] Two overlapping transactions were aborted
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And A has written "a2" to payments-0
      And A has aborted
      When B aborts
      Then readers of payments-0 see nothing

    Scenario: [8] Many transactions of one producer were aborted
      Given producer A with transactional id "transfer"
      And A has aborted 12 transactions in payments-0
      When "p1" is written to payments-0
      Then readers of payments-0 see "p1"

    Scenario: [9] A reader fetches an aborted transaction with Fetch v4 and v11
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts
      Then readers of payments-0 see nothing with Fetch v4
      And readers of payments-0 see nothing with Fetch v11

  @KIP890-140 @MUST @aborts
  Rule: The records of a read_committed Fetch, filtered by its list of aborted transactions, are exactly the committed ones.
    A broker that filters in its own way and a client that filters by the list can disagree about what is committed.

    Scenario: [1] An aborted transaction precedes a committed one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A commits
      Then readers of payments-0 see "a2"

    Scenario: [2] An aborted transaction encloses a committed one
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When A aborts and B commits
      Then readers of payments-0 see "b1"

    Scenario: [3] The only transaction is one of an old client, and aborted
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A aborts
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [4] One Fetch reads two partitions of an aborted transaction
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0 and "a3" to payments-1 in one request
      When A aborts
      Then readers of payments-0 and payments-1 see "a1" and nothing by one Fetch
      And readers of payments-1 and payments-0 see nothing and "a1" by one Fetch

    Scenario: [5] One Fetch reads two partitions of which only the second has an aborted transaction
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-1
      When A aborts
      Then readers of payments-0 and payments-1 see "p1" and nothing by one Fetch

    Scenario: [6] One Fetch reads two topics with an aborted transaction
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      And A has committed "a1" to accounts-0
      And A has written "a2" to payments-0
      And A has written "a3" to accounts-0
      When A aborts
      Then readers of payments-0 and accounts-0 see nothing and "a1" by one Fetch

    Scenario: [7] One Fetch v13 reads two partitions by topic id
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0 and "a2" to payments-1 in one request
      And A has aborted
      When A commits "a3" to payments-1
      Then readers of payments-0 and payments-1 see nothing and "a3" by one Fetch of version 13

    Scenario: [8] Two aborted transactions of one producer enclose a committed one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has committed "a2" to payments-0
      And A has written "a3" to payments-0
      When A aborts
      Then readers of payments-0 see "a2"

  @KIP890-143 @MUST
  Rule: ListOffsets by time answers a read_committed reader with offset -1 and timestamp -1 if the record that it finds is undecided.
    A position in undecided data would make a reader of committed data start where it may not read.

    Scenario: [1] A read_committed look-up by time finds an undecided record
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the first record from the time of "a1" of payments-0 is looked up for read_committed
      Then the look-up finds nothing

    Scenario: [2] A read_uncommitted look-up by time finds an undecided record
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the first record from the time of "a1" of payments-0 is looked up for read_uncommitted
      Then the look-up finds "a1"

    Scenario: [3] A read_committed look-up by time finds a committed record
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When the first record from the time of "a1" of payments-0 is looked up for read_committed
      Then the look-up finds "a1"

    Scenario: [4] A read_committed look-up of the newest record finds an undecided one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the newest record of payments-0 is looked up for read_committed
      Then the look-up finds nothing

    Scenario: [5] A read_committed look-up by time finds a committed record before an undecided one
      Given a topic "ledger" with 1 partition and a new segment for each batch
      And producers A and B with transactional ids "transfer" and "refund"
      And A has written 3 batches to ledger-0
      And A has committed
      And B has written "b1" to ledger-0
      When the first record from the time of "r2" of ledger-0 is looked up for read_committed
      Then the look-up finds "r2"

  @KIP890-144 @MUST
  Rule: A record that a read_committed reader has received stays visible, although the partitions of a commit may become visible at different times.
    A consumer has already acted on a record that was visible and then disappears.

    Scenario: [1] Readers poll two partitions during a commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And every partition is polled
      When A commits
      Then no poll has lost a record, or seen the last stable offset go back
      And readers of payments-1 see "a2"

    Scenario: [2] Readers poll while two transactions end one after the other
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And every partition is polled
      When B commits and A aborts
      Then no poll has lost a record, or seen the last stable offset go back
      And readers of payments-0 see "b1"

    @needs:two-nodes
    Scenario: [3] Readers poll while one leader learns of a commit late
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And every partition is polled
      And node 2 is paused until the next answer
      When A commits
      Then the first poll of accounts-0 showed "a1"
      And no poll has lost a record, or seen the last stable offset go back
      And readers of accounts-1 see "a2"

  @KIP890-420 @MUST
  Rule: A leader answers a Fetch with a max wait of 0 with the committed records that are in the log.
    A consumer that polls without waiting would never receive a record, however many have been committed.

    Scenario: [1] A transaction commits before the Fetch
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then a read_committed Fetch of payments-0 that does not wait gets "a1"

    Scenario: [2] A transaction begins after a record that belongs to none
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then a read_committed Fetch of payments-0 that does not wait gets "p1"
