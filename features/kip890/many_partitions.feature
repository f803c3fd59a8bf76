Feature: Transactions with many partitions
  A transaction consists of all partitions to which its producer writes, and all of them are ended with it.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-211 @MUST @commits @aborts
  Rule: One Produce v12 adds every partition to which it writes to the transaction, and the end of the transaction reaches each of them.
    A partition that was written to and not added receives no marker, and its open transaction can never be ended.

    @needs:transactions-v2
    Scenario: [1] One request writes to two partitions that were not announced
      Given producer A with transactional id "transfer"
      When A writes "a1" to payments-0 and "a2" to payments-1 in one request
      Then it is done for payments-0 and payments-1
      And the transaction of A is Ongoing in payments-0 and payments-1

    @needs:transactions-v2
    Scenario: [2] One request writes to a partition of the transaction and to a new one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "a2" to payments-0 and "a3" to payments-1 in one request
      Then it is done for payments-0 and payments-1
      And the transaction of A is Ongoing in payments-0 and payments-1

    @needs:transactions-v2
    Scenario: [3] A transaction from one request to two partitions commits
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0 and "a2" to payments-1 in one request
      When A commits
      Then one COMMIT marker was added to payments-0 and payments-1
      And readers of payments-0 see "a1"
      And readers of payments-1 see "a2"

    @needs:transactions-v2
    Scenario: [4] A transaction from one request to two partitions aborts
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0 and "a2" to payments-1 in one request
      When A aborts
      Then one ABORT marker was added to payments-0 and payments-1
      And the last stable offset of payments-0 and payments-1 is the high watermark

    @needs:transactions-v2
    Scenario: [5] One request writes to partitions of two topics
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      When A writes "a1" to payments-0 and "a2" to accounts-0 in one request
      Then it is done for payments-0 and accounts-0
      And the transaction of A is Ongoing in payments-0 and accounts-0

    @needs:transactions-v2
    Scenario: [6] A transaction from one request to two topics commits
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0 and "a2" to accounts-0 in one request
      When A commits
      Then one COMMIT marker was added to payments-0 and accounts-0
      And readers of payments-0 see "a1"
      And readers of accounts-0 see "a2"

    @needs:transactions-v2
    Scenario: [7] One request writes to two partitions of one topic and one of another
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      When A writes "a1" to payments-0 and "a2" to payments-1 and "a3" to accounts-0 in one request
      Then it is done for payments-0 and payments-1 and accounts-0
      And the transaction of A is Ongoing in payments-0 and payments-1 and accounts-0

    @needs:transactions-v2
    Scenario: [8] One request writes to two partitions of the transaction and to a new one
      Given a topic "accounts" with 3 partitions
      And producer A with transactional id "transfer"
      And A has written "a1" to accounts-0 and "a2" to accounts-1 in one request
      When A writes "a3" to accounts-0 and "a4" to accounts-1 and "a5" to accounts-2 in one request
      Then it is done for accounts-0 and accounts-1 and accounts-2
      And the transaction of A is Ongoing in accounts-0 and accounts-1 and accounts-2

    @needs:transactions-v2
    Scenario: [9] One request writes to an existing partition and to a missing one
      Given producer A with transactional id "transfer"
      When A writes "a1" to payments-0 and "a2" to payments-9 in one request
      Then it is refused with UNKNOWN_TOPIC_OR_PARTITION
      And the transaction of A is Ongoing in payments-0
      And read_uncommitted readers of payments-0 see "a1"

  @KIP890-212 @MUST @commits @aborts
  Rule: Every partition of a transaction with many partitions receives its marker, whether a client or the timeout ends it.
    One omitted partition blocks its readers for ever, however many others have received their marker.

    Scenario: [1] A transaction with twelve partitions times out
      Given a topic "ledger" with 12 partitions
      And producer A with transactional id "transfer" and a short timeout
      And A has added every partition of "ledger"
      When A leaves its transaction open past its timeout
      Then every partition of "ledger" holds one ABORT marker of A, and its last stable offset is its high watermark

    Scenario: [2] A transaction with twelve partitions commits
      Given a topic "ledger" with 12 partitions
      And producer A with transactional id "transfer"
      And A has written "a1" to every partition of "ledger"
      When A commits
      Then every partition of "ledger" holds one COMMIT marker of A, and its last stable offset is its high watermark

    Scenario: [3] A transaction with partitions of three topics commits
      Given a topic "accounts" with 1 partition
      And a topic "refunds" with 1 partition
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0 and "a2" to accounts-0 in one request
      And A has written "a3" to refunds-0
      When A commits
      Then one COMMIT marker was added to payments-0 and accounts-0 and refunds-0

    Scenario: [4] A transaction with partitions of three topics aborts
      Given a topic "accounts" with 1 partition
      And a topic "refunds" with 1 partition
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0 and "a2" to accounts-0 in one request
      And A has written "a3" to refunds-0
      When A aborts
      Then the last stable offset of payments-0 and accounts-0 and refunds-0 is the high watermark

    @needs:crash
    Scenario: [5] The system crashes before a transaction with twelve partitions commits
      Given a topic "ledger" with 12 partitions
      And producer A with transactional id "transfer"
      And A has written "a1" to every partition of "ledger"
      And the system has crashed and restarted
      When A commits
      Then every partition of "ledger" holds one COMMIT marker of A, and its last stable offset is its high watermark

    @needs:crash
    Scenario: [6] The system crashes after each of two partitions
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the system has crashed and restarted
      And A has written "a2" to payments-1
      And the system has crashed and restarted
      When A commits
      Then one COMMIT marker was added to payments-0 and payments-1
