Feature: Refused requests of a transactional id
  A refusal changes nothing: everything stays as it was before, even while a transaction is open.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-403 @MUST @fencing
  Rule: A coordinator that refuses InitProducerId leaves the open transaction of the transactional id unchanged.
    A misconfigured client, or one of another application, would abort the transaction of the id's owner.

    @needs:known-limits
    Scenario: [1] An InitProducerId is refused for a timeout longer than the broker allows
      Given A has written "a1" to payments-0
      When A initialises again with a millisecond more than is allowed
      Then it is refused with INVALID_TRANSACTION_TIMEOUT
      And the transaction of A is unchanged
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] An InitProducerId is refused for the producer id of another transactional id
      Given producer B with transactional id "audit"
      And A has written "a1" to payments-0
      When A initialises again with the producer id of B
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is unchanged
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [3] An InitProducerId is refused for an epoch without a producer id
      Given A has written "a1" to payments-0
      When A initialises again with an epoch but no producer id
      Then it is refused with INVALID_REQUEST
      And the transaction of A is unchanged
      And the open transaction of A in payments-0 starts at "a1"

    @needs:known-limits
    Scenario: [4] An InitProducerId is refused while the open transaction has the offsets of a group
      Given A has sent offset 5 of payments-0 to group "shop"
      When A initialises again with a millisecond more than is allowed
      Then it is refused with INVALID_TRANSACTION_TIMEOUT
      And the transaction of A is unchanged
      And group "shop" has a pending offset of payments-0

    Scenario: [5] A refused InitProducerId with the producer id of another transactional id has a shorter timeout
      Given producer B with transactional id "audit"
      And A has written "a1" to payments-0
      When A initialises again with the producer id of B with a shorter timeout
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is unchanged

  @KIP890-408 @MUST @fencing
  Rule: A coordinator that refuses InitProducerId or EndTxn leaves a transactional id without an open transaction unchanged.
    The state, the epoch and the timeout decide how it answers the owner's retry, and how long the owner's next transaction may last.

    Scenario: [1] An InitProducerId is refused for its epoch after a commit
      Given A has committed "a1" to payments-0
      And A has committed "a2" to payments-0
      When A initialises again with the epoch before its previous one with a shorter timeout
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is unchanged

    Scenario: [2] An InitProducerId is refused for its producer id after an abort
      Given producer B with transactional id "audit"
      And A has written "a1" to payments-0
      And A has aborted
      When A initialises again with the producer id of B with a shorter timeout
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is unchanged

    @needs:hold-markers
    Scenario: [3] An InitProducerId is refused while a commit is incomplete
      Given completion of A's transactions is blocked
      And A has been asked to commit
      When A initialises again with a shorter timeout
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the transaction of A is unchanged

    @needs:transactions-v2
    Scenario: [4] A commit is refused after a commit
      Given A has committed "a1" to payments-0
      When A commits
      Then it is refused with INVALID_TXN_STATE
      And the transaction of A is unchanged

    @needs:transactions-v2
    Scenario: [5] An abort with the previous epoch is refused after a commit
      Given A has committed "a1" to payments-0
      When A aborts with its previous epoch
      Then it is refused with INVALID_TXN_STATE
      And the transaction of A is unchanged

    Scenario: [6] An abort by EndTxn v4 is refused after a commit
      Given A has committed "a1" to payments-0
      And A uses EndTxn v4
      When A aborts
      Then it is refused with INVALID_TXN_STATE
      And the transaction of A is unchanged

    @needs:known-limits
    Scenario: [7] An InitProducerId is refused for its timeout after a commit
      Given A has committed "a1" to payments-0
      When A initialises again with a millisecond more than is allowed
      Then it is refused with INVALID_TRANSACTION_TIMEOUT
      And the transaction of A is unchanged

    Scenario: [8] An InitProducerId is refused for a timeout of zero after an abort
      Given A has written "a1" to payments-0
      And A has aborted
      When A initialises again with a timeout of zero
      Then it is refused with INVALID_TRANSACTION_TIMEOUT
      And the transaction of A is unchanged

  @KIP890-404 @MUST
  Rule: A leader refuses Produce of an old client with a transactional id that was never initialised, and appends nothing.
    Its record would belong to a transaction that no coordinator knows, and block all readers of later records.

    Scenario: [1] An old client writes with an unknown transactional id while nothing is open in the partition
      Given A is an old client (transaction version 0)
      When A writes "stray" to payments-0 with an unused transactional id
      Then it is refused with INVALID_PRODUCER_ID_MAPPING or INVALID_TXN_STATE
      And the log of payments-0 has not grown

    Scenario: [2] An old client writes with an unknown transactional id while another transaction is open in the partition
      Given producer B with transactional id "audit"
      And B has written "b1" to payments-0
      And A is an old client (transaction version 0)
      When A writes "stray" to payments-0 with an unused transactional id
      Then it is refused with INVALID_PRODUCER_ID_MAPPING or INVALID_TXN_STATE
      And payments-0 has no state of A

  @KIP890-421 @MUST
  Rule: A coordinator that refuses InitProducerId returns producer id -1 and epoch -1.
    A client that reads the fields before the error would continue with another producer's identity, or with an epoch that it was not given.

    Scenario: [1] A client initialises with an empty transactional id
      When a client initialises with an empty transactional id
      Then it is refused with INVALID_REQUEST
      And the refusal has producer id -1 and epoch -1

    Scenario: [2] A client initialises a new transactional id with a timeout of zero
      When a client initialises with an unused transactional id with a timeout of zero
      Then it is refused with INVALID_TRANSACTION_TIMEOUT
      And the refusal has producer id -1 and epoch -1

    Scenario: [3] An instance initialises with an epoch two behind
      Given A has initialised again
      And A has initialised again
      When A initialises again with the epoch before its previous one
      Then it is refused with PRODUCER_FENCED
      And the refusal has producer id -1 and epoch -1

    Scenario: [4] A producer initialises with the producer id of another transactional id
      Given producer B with transactional id "audit"
      When A initialises again with the producer id of B
      Then it is refused with PRODUCER_FENCED
      And the refusal has producer id -1 and epoch -1
