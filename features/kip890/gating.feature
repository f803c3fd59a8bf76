Feature: Finding a protocol that both sides know
  A broker tells which versions of each request it understands, and which level of a feature is in force.
  A client chooses by that between the versions of the transaction protocol.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-001 @MUST
  Rule: ApiVersions v3 and later lists transaction.version among the finalized features once its level is above 0.

    Scenario: [1] The version of ApiVersions that first had features
      Given transaction.version is 1 or above
      When ApiVersions v3 is sent
      Then the answer has transaction.version finalized up to 1 or above

  @KIP890-002 @SHOULD
  Rule: ApiVersions v4 offers transaction.version among the supported features with a maximum of at least 2.

    Scenario: [1] The levels that there are
      When ApiVersions v4 is sent
      Then the answer has transaction.version supported up to 2 or above

  @KIP890-004 @MUST
  Rule: A broker at transaction.version 2 advertises Produce v12, TxnOffsetCommit v5 and EndTxn v5.

    Scenario: [1] The requests of transaction version 2
      Given transaction.version is 2 or above
      When ApiVersions v4 is sent
      Then Produce v12, TxnOffsetCommit v5 and EndTxn v5 are advertised

  @KIP890-006 @MUST
  Rule: A client ending its transaction with EndTxn v4 keeps its epoch, even on a cluster at transaction.version 2.

    Scenario: [1] An old client commits on a new broker
      Given transaction.version is 2 or above
      And producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A commits
      Then the transaction of A is CompleteCommit
      And the producer id and epoch of A are unchanged

    Scenario: [2] An old client aborts on a new broker
      Given transaction.version is 2 or above
      And producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A aborts
      Then the transaction of A is CompleteAbort
      And the producer id and epoch of A are unchanged

  @KIP890-008 @SHOULD
  Rule: A transactional request in a version the broker does not support closes the connection without an answer.

    Scenario: [1] A version of InitProducerId that no release has
      Given producer A with transactional id "transfer"
      When A initialises again in an unsupported version
      Then the connection is closed without an answer
      And the producer id and epoch of A are unchanged
