@needs:feature-levels
Feature: Levels of the transaction feature
  An administrator changes transaction.version while the cluster runs. The level determines which protocol clients choose and how the
  coordinator writes its log; a client's choice is recognised by its requests.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-003 @MUST
  Rule: UpdateFeatures raises and lowers transaction.version on a running cluster, and the next ApiVersions answers show the new level without a restart.
    A client that learns another level than the broker has uses the new protocol with a broker that uses the old one.

    Scenario: [1] A downgrade from 2 to 0
      Given transaction.version is 2 or above
      When transaction.version is set to 0
      Then ApiVersions soon has transaction.version 0, under a larger epoch of the features

    Scenario: [2] An upgrade from 0 to 2
      Given transaction.version has been set to 0
      When transaction.version is set to 2
      Then ApiVersions soon has transaction.version 2, under a larger epoch of the features

    Scenario: [3] A downgrade from 2 to 1
      Given transaction.version is 2 or above
      When transaction.version is set to 1
      Then ApiVersions soon has transaction.version 1, under a larger epoch of the features

  @KIP890-220 @MUST @recovery
  Rule: After a restart the finalized level is the one that was set last, and the features epoch is not smaller than before.
    If a broker restarts with an older level, clients use a protocol that its administrator has switched off.

    @needs:crash
    Scenario: [1] The system crashes after two downgrades
      Given transaction.version has been set to 1
      And transaction.version has been set to 0
      When the system crashes and restarts
      Then ApiVersions soon has transaction.version 0, under no smaller epoch of the features

    @needs:crash
    Scenario: [2] The system crashes after a downgrade and an upgrade
      Given transaction.version has been set to 0
      And transaction.version has been set to 1
      When the system crashes and restarts
      Then ApiVersions soon has transaction.version 1, under no smaller epoch of the features

  @KIP890-005 @MUST
  Rule: A coordinator at transaction.version 1 raises the epoch for EndTxn v5, as at version 2: the request version alone selects the protocol.
    A late write is recognised by its old epoch. A coordinator that does not raise the epoch for a new client lets the late write be
    accepted.

    Scenario: [1] A commit at transaction.version 1
      Given transaction.version has been set to 1
      And producer A with transactional id "transfer"
      When A commits "a1" to payments-0
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1"

    Scenario: [2] An abort at transaction.version 1
      Given transaction.version has been set to 1
      And producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And one ABORT marker was added to payments-0, with the next epoch of A

    Scenario: [3] A commit by EndTxn v4 at transaction.version 1
      Given transaction.version has been set to 1
      And producer A with transactional id "transfer"
      And A uses EndTxn v4
      When A commits "a1" to payments-0
      Then it is done
      And the producer id and epoch of A are unchanged
      And readers of payments-0 see "a1"

    Scenario: [4] The level falls to 1 while a transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And transaction.version has been set to 1
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1"

  @KIP890-007 @MUST @recovery
  Rule: A coordinator completes a prepared transaction after transaction.version was lowered from 2 to 0 and the broker was restarted.
    A transaction whose end was decided before a downgrade must not get stuck because the older format cannot represent it.

    @needs:crash @needs:hold-markers
    Scenario: [1] A downgrade and a restart after a commit was decided
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked until the next restart
      And A has written "a1" to payments-0
      And A has been asked to commit
      When the system restarts at transaction.version 0
      Then the transaction of A is over
      And readers of payments-0 see "a1"
