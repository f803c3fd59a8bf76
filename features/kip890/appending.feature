Feature: Appending to a partition
  A record may enter a partition only as part of a transaction that the coordinator knows to be open there.
  New clients have their partitions added as they write; old ones add them first, and are checked.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-090 @MUST
  Rule: Produce v12 to a partition nobody announced succeeds and makes the partition part of the transaction.
    A batch that is appended without the coordinator hangs: no marker will ever come for that partition.

    Scenario: [1] The first write of a new client
      Given producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then it is done
      And the transaction of A is Ongoing in payments-0

  @KIP890-095 @MUST
  Rule: Produce v9 and v10 to a partition nobody announced is refused INVALID_TXN_STATE with a message, and nothing is appended.
    The hang of the KIP: a late batch of an old client opens a transaction that no coordinator knows of.

    Scenario: [1] Produce v9 to a partition that was not added
      Given producer A with transactional id "transfer"
      And A uses Produce v9
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the refusal has a message
      And the log of payments-0 has not grown
      And the transaction of A is unchanged

    Scenario: [2] Produce v10 to a partition that was not added
      Given producer A with transactional id "transfer"
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the refusal has a message
      And the log of payments-0 has not grown
      And the transaction of A is unchanged

    Scenario: [3] Only another partition was added
      Given producer A with transactional id "transfer"
      And A has added payments-1
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the log of payments-0 has not grown
      And the transaction of A is Ongoing in payments-1

    Scenario: [4] Only another producer has added it
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the log of payments-0 has not grown

  @KIP890-096 @MUST
  Rule: Produce v11 to a partition nobody announced is refused TRANSACTION_ABORTABLE, and nothing is appended.
    A client that could abort and go on is ended by the older error.

    Scenario: [1] Produce v11 to a partition that was not added
      Given producer A with transactional id "transfer"
      And A uses Produce v11
      When A writes "stray" to payments-0
      Then it is refused with TRANSACTION_ABORTABLE
      And the log of payments-0 has not grown

  @KIP890-097 @MUST
  Rule: Produce v9 to v11 is accepted on a partition that AddPartitionsToTxn v3 put into the transaction.
    Verification must not lock out the old clients that do everything right.

    Scenario: [1] Produce v9 to a partition that was added
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v9
      When A writes "a1" to payments-0
      Then it is done

    Scenario: [2] Produce v10 to a partition that was added
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v10
      When A writes "a1" to payments-0
      Then it is done

    Scenario: [3] Produce v11 to a partition that was added
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v11
      When A writes "a1" to payments-0
      Then it is done

  @KIP890-100 @MUST @fencing
  Rule: Once EndTxn v5 has ended a transaction, its epoch is refused INVALID_PRODUCER_EPOCH, even beside the next transaction.
    A late batch of the last transaction would become part of the next one, and be committed with it.

    Scenario: [1] The record comes after the end of its transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] The record comes while the next transaction is open in its partition
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A has written "a2" to payments-0
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH

    Scenario: [3] The late record does not slip into the next transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A writes "late" to payments-0 with its previous epoch
      Then the log of payments-0 has not grown

  @KIP890-102 @MUST @fencing
  Rule: A transactional batch whose epoch runs ahead of the coordinator is refused INVALID_PRODUCER_EPOCH and never appended.
    An epoch from nowhere would fence the producer that owns the transaction.

    Scenario: [1] A new client with an epoch that was never given
      Given producer A with transactional id "transfer"
      When A writes "early" to payments-0 with an epoch ahead of its own
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] An old client with an epoch that was never given
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v11
      When A writes "early" to payments-0 with an epoch ahead of its own
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [3] An epoch that was never given, while a transaction is open in the partition
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "early" to payments-0 with an epoch ahead of its own
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [4] The owner commits, after an epoch that was never given
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent "early" to payments-0 with an epoch ahead of its own, whatever was answered
      When A commits
      Then the transaction of A is over
      And readers of payments-0 see "a1"
