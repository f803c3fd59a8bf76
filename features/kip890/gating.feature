Feature: Negotiating the protocol
  A broker advertises which versions of each request it supports, and which level of a feature is finalized. A client chooses between the
  versions of the transaction protocol accordingly.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-001 @MUST
  Rule: A broker whose transaction.version is above 0 lists that feature among the finalized features of ApiVersions v3 and later.
    A client chooses its protocol by this feature. A client that does not learn the level continues with the old protocol, without the new
    defences.

    Scenario: [1] ApiVersions v3 lists the finalized feature
      Given transaction.version is 1 or above
      When ApiVersions v3 is sent
      Then the answer offers transaction.version finalized up to 1 or above

  @KIP890-002 @SHOULD
  Rule: A broker lists transaction.version among the supported features of ApiVersions v4, with a maximum level of at least 2.
    An operator who cannot see that the level can be raised leaves the cluster without the new defences.

    Scenario: [1] ApiVersions v4 lists the supported levels
      When ApiVersions v4 is sent
      Then the answer offers transaction.version supported up to 2 or above

  @KIP890-004 @MUST
  Rule: A broker at transaction.version 2 advertises Produce v12, TxnOffsetCommit v5 and EndTxn v5.
    A new client switches only if all three requests are offered; with one of them missing it mixes both protocols in one transaction.

    Scenario: [1] A broker at transaction.version 2 advertises its request versions
      Given transaction.version is 2 or above
      When ApiVersions v4 is sent
      Then the answer offers Produce v12, TxnOffsetCommit v5 and EndTxn v5

  @KIP890-008 @SHOULD
  Rule: A broker closes the connection of a client that sends a transactional request in a version that it does not support, without an answer.
    A broker that guesses the meaning of a request may do what the sender never requested.

    Scenario: [1] A producer sends InitProducerId in an unsupported version
      Given producer A with transactional id "transfer"
      When A initialises again in an unsupported version
      Then the connection is closed without an answer
      And the producer id and epoch of A are unchanged
