Feature: Finding a protocol that both sides know
  A broker tells which versions of each request it understands, and which level of a feature is in force.
  A client chooses by that between the first and the second protocol of transactions.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-001 @MUST
  Rule: ApiVersions v3 and later lists transaction.version among the finalized features once its level is above 0.

    Scenario: [1] The version of ApiVersions that first had features
      Given a broker at transaction.version 1 or above
      When a client asks for the features in ApiVersions v3
      Then transaction.version is finalized at level 1 or above

  @KIP890-002 @SHOULD
  Rule: ApiVersions v4 offers transaction.version among the supported features with a maximum of at least 2.

    Scenario: [1] The levels that there are
      When a client asks for the features in ApiVersions v4
      Then transaction.version is supported up to level 2 or above

  @KIP890-004 @MUST
  Rule: A broker at transaction.version 2 advertises Produce v12, TxnOffsetCommit v5 and EndTxn v5.

    Scenario: [1] The requests of the second protocol
      Given a broker at transaction.version 2 or above
      When a client asks for the features in ApiVersions v4
      Then Produce v12, TxnOffsetCommit v5 and EndTxn v5 are advertised

  @KIP890-006 @MUST
  Rule: A client ending its transaction with EndTxn v4 keeps its epoch, even on a cluster at transaction.version 2.

    Scenario: [1] A commit of an old client
      Given a broker at transaction.version 2 or above
      And producer A with transactional id "transfer"
      And old client A has written "a1" to payments-0
      When A commits in EndTxn v4
      Then the transaction of A is CompleteCommit
      And the coordinator still knows A by the same producer id and epoch

    Scenario: [2] An abort of an old client
      Given a broker at transaction.version 2 or above
      And producer A with transactional id "transfer"
      And old client A has written "a1" to payments-0
      When A aborts in EndTxn v4
      Then the transaction of A is CompleteAbort
      And the coordinator still knows A by the same producer id and epoch

  @KIP890-008 @SHOULD
  Rule: A transactional request in a version the broker does not support closes the connection without an answer.

    Scenario: [1] A version of InitProducerId from the future
      Given producer A with transactional id "transfer"
      When A initialises in a version that the broker does not offer
      Then the connection is closed without an answer
      And the coordinator still knows A by the same producer id and epoch
