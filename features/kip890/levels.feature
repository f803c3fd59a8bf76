Feature: Levels of the transaction feature
  An administrator moves transaction.version up and down while the cluster runs. It tells clients which protocol to choose, and
  the coordinator how to write its log; a client that has chosen is recognised by its requests.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-003 @MUST
  Rule: UpdateFeatures moves transaction.version up and down on a running broker, and ApiVersions follows without a restart.

    @needs:feature-levels
    Scenario: [1] Down
      Given a broker at transaction.version 2 or above
      When transaction.version is set to 0
      Then clients are soon told transaction.version 0, under a larger epoch of the features

    @needs:feature-levels
    Scenario: [2] And up again
      Given transaction.version has been set to 0
      When transaction.version is set to 2
      Then clients are soon told transaction.version 2, under a larger epoch of the features

  @KIP890-005 @MUST
  Rule: EndTxn v5 raises the epoch at transaction.version 1 too, because the request version alone picks the protocol.

    @needs:feature-levels
    Scenario: [1] A commit
      Given transaction.version has been set to 1
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then the answer is success, with the same producer id and the next epoch
      And readers of committed data see "a1" in payments-0

    @needs:feature-levels
    Scenario: [2] An abort
      Given transaction.version has been set to 1
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts
      Then the answer is success, with the same producer id and the next epoch
      And payments-0 holds one ABORT marker, with the epoch after that of A

  @KIP890-007 @MUST
  Rule: A prepared transaction survives a downgrade of transaction.version from 2 to 0 followed by a restart.

    @needs:feature-levels @needs:crash @needs:hold-markers
    Scenario: [1] A commit that was decided before
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the commit of A is decided, and held back until the broker starts again
      When transaction.version is set to 0, and the broker crashes and comes back
      Then the transaction of A is CompleteCommit
      And readers of committed data see "a1" in payments-0
