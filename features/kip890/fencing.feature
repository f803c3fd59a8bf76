Feature: Fencing an old instance
  A transactional id has one owner: the instance that initialised it last. Every earlier instance is fenced by its epoch.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-018 @MUST @fencing
  Rule: A coordinator answers InitProducerId v4 and later with PRODUCER_FENCED if its epoch is neither the current nor the last one.
    An instance that was fenced long ago would be readmitted, and two instances would write in turn.

    Scenario: [1] An instance initialises with an epoch two behind
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has initialised again
      When A initialises again with the epoch before its previous one
      Then it is refused with PRODUCER_FENCED

    Scenario: [2] An instance initialises with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      When A initialises again with an epoch ahead of the current one
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

  @KIP890-024 @MUST @fencing
  Rule: After a new instance has taken over an open transaction, a leader refuses a write with the old epoch, and the coordinator refuses EndTxn with it.
    This is the zombie of the KIP: an instance that was replaced continues to write, or ends its successor's transaction.

    Scenario: [1] The old instance writes
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And B has taken over from A
      When A writes "late" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] The old instance commits
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And B has taken over from A
      When A commits
      Then it is refused with PRODUCER_FENCED
      And readers of payments-0 see nothing

    Scenario: [3] The old instance aborts
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And B has taken over from A
      When A aborts
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of B are unchanged

    Scenario: [4] The old instance writes as an old client
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And B has taken over from A
      When A writes "late" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

  @KIP890-351 @MUST @fencing @recovery
  Rule: After a crash, the instance that last initialised a transactional id is still its owner, and the previous one is still fenced.
    A takeover that a crash undoes locks out the new instance, and lets the zombie write in its place.

    @needs:crash
    Scenario: [1] The new instance commits after a crash
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And the system has crashed and restarted
      When B commits "b1" to payments-0
      Then it is done
      And readers of payments-0 see "b1"

    @needs:crash @needs:transactions-v2
    Scenario: [2] The old instance writes after a crash
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And the system has crashed and restarted
      When A writes "late" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    @needs:crash
    Scenario: [3] The system crashes after many transactions of another producer
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And producer C with transactional id "refund"
      And C has committed 30 transactions in payments-1
      When the system crashes and restarts
      Then the producer id and epoch of B are unchanged

  @KIP890-380 @MUST @fencing
  Rule: A coordinator refuses AddOffsetsToTxn whose epoch is not the current one (INVALID_PRODUCER_EPOCH below v2), and adds nothing.
    A fenced instance would add its group's offsets to the transaction of its successor, and the successor would commit them.

    Scenario Outline: [1] A producer adds offsets with its previous epoch
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A uses AddOffsetsToTxn <version>
      When A adds the offsets of group "shop" with its previous epoch
      Then it is refused with <error>
      And the transaction of A is unchanged

      Examples:
        | version | error                  | why                                   |
        | v1      | INVALID_PRODUCER_EPOCH | the version before the newer error    |
        | v2      | PRODUCER_FENCED        | the first version that has it         |
        | v3      | PRODUCER_FENCED        | a later one                           |

    Scenario: [2] An instance that was replaced adds offsets while the transaction of its successor is open
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And B has written "b1" to payments-0
      When A adds the offsets of group "shop"
      Then it is refused with PRODUCER_FENCED
      And the transaction of B is unchanged

    Scenario: [3] A producer adds offsets with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      When A adds the offsets of group "shop" with an epoch ahead of the current one
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is unchanged
