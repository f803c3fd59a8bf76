Feature: A client that changes its protocol
  A client looks at the level of transaction.version before each transaction, and may use the other protocol for the next one. So what a
  broker knows of a producer from one protocol must be right for the other.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-208 @MUST @commits @aborts
  Rule: A client may change its protocol between two transactions, and the version of its EndTxn decides how each transaction ends.
    A broker that assumes the previous protocol raises an epoch without the client's knowledge, and fences it.

    Scenario: [1] A client changes from the new protocol to the old one
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A is an old client (transaction version 0)
      When A commits "a2" to payments-0
      Then it is done
      And the producer id and epoch of A are unchanged
      And readers of payments-0 see "a1", "a2"

    Scenario: [2] A client changes from the old protocol to the new one
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      And A is a new client (transaction version 2)
      When A commits "a2" to payments-0
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1", "a2"

    Scenario: [3] A client changes from the old protocol to the new one after an abort
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has aborted
      And A is a new client (transaction version 2)
      When A commits "a2" to payments-0
      Then readers of payments-0 see "a2"

    @needs:transactions-v2
    Scenario: [4] A client changes from the new protocol to the old one without adding a partition
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A is an old client (transaction version 0)
      When A writes "a2" to payments-0
      Then it is refused with TRANSACTION_ABORTABLE
      And the log of payments-0 has not grown

    Scenario: [5] A client changes to the old protocol and back, and the markers have the right epochs
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A is an old client (transaction version 0)
      And A has committed "a2" to payments-0
      And A is a new client (transaction version 2)
      When A commits "a3" to payments-0
      Then one COMMIT marker was added to payments-0, with the next epoch of A

    Scenario: [6] A client writes with the new protocol and aborts with the old one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A uses EndTxn v4
      When A aborts
      Then the transaction of A is over
      And the last stable offset of payments-0 is the high watermark
      And readers of payments-0 see nothing

    Scenario: [7] A client writes with the old protocol and commits with the new one
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A uses EndTxn v5
      When A commits
      Then readers of payments-0 see "a1"
      And the last stable offset of payments-0 is the high watermark

    Scenario: [8] A client writes with the new protocol and commits with the old one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A uses EndTxn v4
      When A commits
      Then it is done
      And the producer id and epoch of A are unchanged
