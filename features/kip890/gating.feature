Feature: Finding a protocol that both sides know
  A broker tells which versions of each request it understands, and which level of a feature is in force.
  A client chooses by that between the versions of the transaction protocol.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-001 @MUST
  Rule: ApiVersions v3 and later lists transaction.version among the finalized features once its level is above 0.
    A client chooses its protocol by this feature. One that is not told of the level goes on with the old protocol and stays without its
    defences.

    Scenario: [1] The version of ApiVersions that first had features
      Given transaction.version is 1 or above
      When ApiVersions v3 is sent
      Then the answer has transaction.version finalized up to 1 or above

  @KIP890-002 @SHOULD
  Rule: ApiVersions v4 offers transaction.version among the supported features with a maximum of at least 2.
    An operator has to see that the level can be raised, or a cluster stays without the new defences for ever.

    Scenario: [1] The levels that there are
      When ApiVersions v4 is sent
      Then the answer has transaction.version supported up to 2 or above

  @KIP890-004 @MUST
  Rule: A broker at transaction.version 2 advertises Produce v12, TxnOffsetCommit v5 and EndTxn v5.
    A new client switches only when all three requests are offered; with one of them missing it mixes both protocols in one transaction.

    Scenario: [1] The requests of transaction version 2
      Given transaction.version is 2 or above
      When ApiVersions v4 is sent
      Then Produce v12, TxnOffsetCommit v5 and EndTxn v5 are advertised

  @KIP890-008 @SHOULD
  Rule: A transactional request in a version the broker does not support closes the connection without an answer.
    A request that is guessed at may do something that its sender never asked for.

    Scenario: [1] A version of InitProducerId that no release has
      Given producer A with transactional id "transfer"
      When A initialises again in an unsupported version
      Then the connection is closed without an answer
      And the producer id and epoch of A are unchanged
