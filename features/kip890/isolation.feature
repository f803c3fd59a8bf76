Feature: Isolation
  Readers of committed data see a prefix of the log in which everything is decided. It ends at the last stable offset.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-137 @MUST
  Rule: A read_committed Fetch returns neither the first record of an open transaction nor any later record of the partition.
    A reader that passes an undecided record may act on what is aborted later.

    Scenario: [1] A plain record follows an open transaction
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When "p2" is written to payments-0
      Then readers of payments-0 see "p1"
      And the last stable offset of payments-0 is the offset of "a1"

    Scenario: [2] A log begins with an open transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "a2" to payments-0
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the offset of "a1"

    Scenario: [3] A plain record follows an open transaction of an old client
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When "p1" is written to payments-0
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the offset of "a1"

    Scenario: [4] A plain record follows the second transaction of an old client
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When "p1" is written to payments-0
      Then readers of payments-0 see "a1"
      And the last stable offset of payments-0 is the offset of "a2"

    Scenario: [5] A reader fetches one byte at a time
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then a read_committed Fetch of payments-0 for at most one byte from "p1" gets "p1"
      And a read_committed Fetch of payments-0 for at most one byte from "a1" gets nothing

    Scenario: [6] A reader fetches with Fetch v4 and v11
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then readers of payments-0 see "p1" with Fetch v4
      And readers of payments-0 see "p1" with Fetch v11

  @KIP890-138 @MUST
  Rule: ListOffsets LATEST returns the last stable offset to read_committed and the high watermark to read_uncommitted.
    A consumer that starts at the wrong end of the log waits for what it may not read, or misjudges its lag.

    Scenario: [1] ListOffsets LATEST while a transaction is open
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then ListOffsets of payments-0 for read_committed answers its last stable offset
      And ListOffsets of payments-0 for read_uncommitted answers its high watermark
      And the last stable offset of payments-0 is the offset of "a1"

    Scenario: [2] ListOffsets LATEST when everything is decided
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then ListOffsets of payments-0 for read_committed answers its last stable offset
      And ListOffsets of payments-0 for read_uncommitted answers its high watermark
      And the last stable offset of payments-0 is the high watermark

    Scenario: [3] One ListOffsets asks for two partitions, and a transaction is open in the second
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      When A writes "a1" to payments-1
      Then ListOffsets of payments-0 and payments-1 for read_committed answers the last stable offset of each
      And ListOffsets of payments-0 and payments-1 for read_uncommitted answers the high watermark of each

  @KIP890-141 @MUST
  Rule: A read_uncommitted Fetch returns the records of an open transaction at once.
    A reader of uncommitted data wants it at once; withholding it would make both levels the same.

    Scenario: [1] A new client has written a record in its open transaction
      Given producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then read_uncommitted readers of payments-0 see "a1"
      And readers of payments-0 see nothing

    Scenario: [2] An old client has written two records in its open transaction
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A writes "a2" to payments-0
      Then read_uncommitted readers of payments-0 see "a1", "a2"
      And readers of payments-0 see nothing

  @KIP890-142 @MUST
  Rule: With interleaved transactions the last stable offset stays at the oldest open one, whichever ends first.
    A reader that passes the oldest open transaction has missed its records when it commits.

    Scenario: [1] The younger of two transactions commits first
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When B commits
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the offset of "a1"

    Scenario: [2] The older of two transactions commits first
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When A commits
      Then readers of payments-0 see "a1"
      And the last stable offset of payments-0 is the offset of "b1"

    Scenario: [3] The older of two transactions aborts last
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And B has committed
      When A aborts
      Then readers of payments-0 see "b1"

    Scenario: [4] A third transaction begins while two are open
      Given producers A and B with transactional ids "transfer" and "refund"
      And producer C with transactional id "fees"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When C writes "c1" to payments-0
      Then the last stable offset of payments-0 is the offset of "a1"

    Scenario: [5] The oldest of three transactions commits first
      Given producers A and B with transactional ids "transfer" and "refund"
      And producer C with transactional id "fees"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And C has written "c1" to payments-0
      When A commits
      Then the last stable offset of payments-0 is the offset of "b1"

    Scenario: [6] The two older ones of three transactions end first
      Given producers A and B with transactional ids "transfer" and "refund"
      And producer C with transactional id "fees"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And C has written "c1" to payments-0
      When B commits and A aborts
      Then the last stable offset of payments-0 is the offset of "c1"
