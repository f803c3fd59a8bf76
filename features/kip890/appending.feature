Feature: Appending to a partition
  A record may enter a partition only as part of a transaction that the coordinator knows to be open there. The partitions of new clients
  are added as they write; old clients add them first, and are verified.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-090 @MUST
  Rule: Produce v12 to a partition that is not in the transaction succeeds and adds the partition to it.
    A batch that is appended without the coordinator's knowledge hangs: that partition never receives a marker.

    Scenario: [1] A new client writes its first record
      Given producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then it is done
      And the transaction of A is Ongoing in payments-0

  @KIP890-095 @MUST
  Rule: A leader answers Produce v9 and v10 to a partition outside the transaction with INVALID_TXN_STATE and a message, and appends nothing.
    This is the hang of the KIP: a late batch of an old client opens a transaction that no coordinator knows.

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

    Scenario: [3] Produce v10 when only another partition was added
      Given producer A with transactional id "transfer"
      And A has added payments-1
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the log of payments-0 has not grown
      And the transaction of A is Ongoing in payments-1

    Scenario: [4] Produce v10 to a partition that only another producer has added
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the log of payments-0 has not grown

    Scenario: [5] Produce v10 to a partition of the previous transaction while the next one is open in another
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      And A has added payments-1
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE

    Scenario: [6] Produce v10 when only the partition of the same number of another topic was added
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      And A has added accounts-0
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the log of payments-0 has not grown

  @KIP890-096 @MUST
  Rule: A leader answers Produce v11 to a partition outside the transaction with TRANSACTION_ABORTABLE, and appends nothing.
    A client that could abort and continue fails fatally with the older error.

    Scenario: [1] Produce v11 to a partition that was not added
      Given producer A with transactional id "transfer"
      And A uses Produce v11
      When A writes "stray" to payments-0
      Then it is refused with TRANSACTION_ABORTABLE
      And the log of payments-0 has not grown

    Scenario: [2] Produce v11 to a partition of the previous transaction while the next one is open in another
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      And A has added payments-1
      And A uses Produce v11
      When A writes "stray" to payments-0
      Then it is refused with TRANSACTION_ABORTABLE

    Scenario: [3] Produce v11 to a partition that is not in the open transaction, which has a record
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A uses Produce v11
      When A writes "stray" to payments-1
      Then it is refused with TRANSACTION_ABORTABLE
      And the transaction of A is unchanged

  @KIP890-097 @MUST
  Rule: A leader accepts Produce v9 to v11 to a partition that AddPartitionsToTxn v3 has added to the transaction.
    Verification must not lock out old clients that follow the protocol.

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
  Rule: After EndTxn v5 has ended a transaction, a leader answers Produce with its epoch with INVALID_PRODUCER_EPOCH, even while the next transaction is open.
    A late batch of the previous transaction would become part of the next one, and be committed with it.

    Scenario: [1] A record arrives after the end of its transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] A record arrives while the next transaction is open in its partition
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A has written "a2" to payments-0
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH

    Scenario: [3] A late record is not added to the next transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A writes "late" to payments-0 with its previous epoch
      Then the log of payments-0 has not grown

    Scenario: [4] A batch is sent again after the abort of its transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A writes "a1" to payments-0 at sequence 0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

  @KIP890-102 @MUST @fencing
  Rule: A leader answers a transactional batch whose epoch is ahead of the coordinator's with INVALID_PRODUCER_EPOCH, and does not append it.
    A client with an epoch that was never assigned would fence the producer that owns the transaction.

    Scenario: [1] A new client writes with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      When A writes "early" to payments-0 with an epoch ahead of the current one
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] An old client writes with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v11
      When A writes "early" to payments-0 with an epoch ahead of the current one
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [3] A client writes with an epoch that was never assigned while a transaction is open in the partition
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "early" to payments-0 with an epoch ahead of the current one
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [4] The owner commits after a write with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent "early" to payments-0 with an epoch ahead of the current one, whatever was answered
      When A commits
      Then the transaction of A is over
      And readers of payments-0 see "a1"
