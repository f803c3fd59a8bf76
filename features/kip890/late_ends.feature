Feature: Late EndTxn requests
  An EndTxn may be delayed in the network until the transaction that it was meant for is over. Producer id and epoch identify one
  transaction, so it must not end another.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-200 @MUST @fencing
  Rule: A coordinator that receives EndTxn v5 with the epoch of the previous transaction does not end the next one, which stays open.
    A late EndTxn of the previous transaction would end the next one when only a part of it may be written.

    Scenario: [1] A late commit arrives while the next transaction is open
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When A commits with its previous epoch
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of A is unchanged
      And readers of payments-0 see "a1"

    Scenario: [2] A late abort arrives while the next transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A aborts with its previous epoch
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of A is unchanged

    @needs:wire-faults
    Scenario: [3] The first attempt of a commit arrives after the second, while the next transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed at its second attempt, and the first is held up
      And A has written "a2" to payments-0
      When the held-up request arrives
      Then the transaction of A is unchanged
      And readers of payments-0 see "a1"

    @needs:wire-faults
    Scenario: [4] The first attempt of an abort arrives after the second, while the next transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted at its second attempt, and the first is held up
      And A has written "a2" to payments-0
      When the held-up request arrives
      Then the transaction of A is unchanged
      And the open transaction of A in payments-0 starts at "a2"

    @needs:aged-ids
    Scenario: [5] A late commit of an exhausted producer id arrives while the next transaction is open
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When A commits with its previous epoch
      Then it is refused with PRODUCER_FENCED, INVALID_TXN_STATE or INVALID_PRODUCER_ID_MAPPING
      And the transaction of A is unchanged
      And readers of payments-0 see "a1"

    @needs:aged-ids
    Scenario: [6] A late abort of an exhausted producer id arrives while the next transaction is open
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      When A aborts with its previous epoch
      Then it is refused with PRODUCER_FENCED, INVALID_TXN_STATE or INVALID_PRODUCER_ID_MAPPING
      And the transaction of A is unchanged

    @needs:aged-ids @needs:wire-faults
    Scenario: [7] The first attempt of a commit of an exhausted producer id arrives while the next transaction is open
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed at its second attempt, and the first is held up
      And A has written "a2" to payments-0
      When the held-up request arrives
      Then the transaction of A is unchanged
      And readers of payments-0 see "a1"

    @needs:crash
    Scenario: [8] A late commit arrives after a crash while the next transaction is open
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      And the system has crashed and restarted
      When A commits with its previous epoch
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of A is unchanged

  @KIP890-201 @MUST @fencing
  Rule: After a new instance has taken over an idle transactional id, a coordinator refuses EndTxn of the old instance and changes nothing.
    A zombie that wakes up would commit what its successor is still writing, or abort it.

    Scenario: [1] The old instance commits before the new one has begun a transaction
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And B has taken over from A
      When A commits
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of B is unchanged

    Scenario: [2] The old instance aborts before the new one has begun a transaction
      Given producer A with transactional id "transfer"
      And B has taken over from A
      When A aborts
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of B is unchanged

    Scenario: [3] The old instance commits while the transaction of the new one is open
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And B has written "b1" to payments-0
      When A commits
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of B is unchanged
      And readers of payments-0 see nothing

    Scenario: [4] The old instance aborts while the transaction of the new one is open
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And B has written "b1" to payments-0
      When A aborts
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of B is unchanged

    Scenario: [5] The old instance commits with EndTxn v4
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And B has written "b1" to payments-0
      And A uses EndTxn v4
      When A commits
      Then it is refused with PRODUCER_FENCED
      And the transaction of B is unchanged

    Scenario: [6] The instance commits with the epoch from before it initialised again
      Given producer A with transactional id "transfer"
      And A has initialised again
      When A commits with its previous epoch
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of A is unchanged

    @needs:crash
    Scenario: [7] The old instance commits after a crash, before the new one has begun a transaction
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And B has taken over from A
      And the system has crashed and restarted
      When A commits
      Then it is refused with PRODUCER_FENCED or INVALID_TXN_STATE
      And the transaction of B is unchanged

  @KIP890-202 @MUST @commits @aborts
  Rule: While a decision is prepared, EndTxn v5 with the opposite decision is refused, or answered with a retriable error.
    An abort that overtakes the markers of a commit would leave one half of the transaction committed and the other aborted.

    @needs:hold-markers
    Scenario: [1] A client aborts while its commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A aborts with its previous epoch
      Then it is refused with CONCURRENT_TRANSACTIONS, INVALID_TXN_STATE or PRODUCER_FENCED
      And the transaction of A is PrepareCommit

    @needs:hold-markers
    Scenario: [2] A client commits while its abort is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to abort
      When A commits with its previous epoch
      Then it is refused with CONCURRENT_TRANSACTIONS, INVALID_TXN_STATE or PRODUCER_FENCED
      And the transaction of A is PrepareAbort

    @needs:crash @needs:hold-markers
    Scenario: [3] A client aborts after a crash while its commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      And the system has crashed and restarted
      When A aborts with its previous epoch
      Then it is refused with CONCURRENT_TRANSACTIONS, INVALID_TXN_STATE or PRODUCER_FENCED
