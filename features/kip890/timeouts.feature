Feature: Time-outs and restarts in detail
  What a producer is told that comes back too late, and what a coordinator still knows when it comes back.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-158 @SHOULD
  Rule: After a timeout EndTxn v5 with the old epoch may pass for a retried abort but never commits.

    Scenario: [1] The commit comes too late
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And the transaction of A has timed out
      When A commits
      Then the request is refused with INVALID_TXN_STATE or PRODUCER_FENCED
      And readers of committed data see nothing in payments-0

    Scenario: [2] The abort comes too late
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And the transaction of A has timed out
      When A aborts
      Then the request is refused with PRODUCER_FENCED, or answered with the same producer id and the next epoch
      And the coordinator still knows A by the same producer id and epoch

  @KIP890-159 @MUST
  Rule: The timeout does not touch a transaction whose end is already prepared.

    @needs:hold-markers
    Scenario: [1] A prepared commit outlives its time-out
      Given producer A with transactional id "transfer" and a short time-out
      And producer B with transactional id "refund" and a short time-out
      And the end of A's transaction is held back
      And A has committed
      When B begins with payments-0, and its time-out does its work
      Then the transaction of B has become CompleteAbort, and that of A is still PrepareCommit

  @KIP890-162 @MUST
  Rule: After a restart the coordinator sends its markers under a larger coordinator epoch than before.

    @needs:crash
    Scenario: [1] The markers before and after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the broker has crashed and come back
      When A writes "a2" to payments-0 and commits
      Then the new markers in payments-0 carry a larger coordinator epoch than those before

    @needs:two-nodes @needs:crash
    Scenario: [2] A crash while markers are on their way
      Given producer A with transactional id "transfer" has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A has committed
      And A has written "a3" to accounts-1
      When A commits while node 2 is paused, the coordinator crashes and comes back before node 2 goes on, and A commits "a4" in accounts-1
      Then the coordinator epochs of the markers in accounts-1 never fall, and the last is larger than those before
      And the transaction of A was PrepareCommit while node 2 was paused, and is CompleteCommit

  @KIP890-163 @MUST
  Rule: A retried EndTxn v5 gets the same identity after a restart of the coordinator.

    @needs:crash
    Scenario: [1] A retried commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the broker has crashed and come back
      When A commits with its previous epoch
      Then the answer is success, with the producer id and epoch that A has

    @needs:crash
    Scenario: [2] A retried abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And the broker has crashed and come back
      When A aborts with its previous epoch
      Then the answer is success, with the producer id and epoch that A has

    @needs:aged-ids @needs:crash
    Scenario: [3] A retried commit that went on with a new producer id
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      And the broker has crashed and come back
      When A commits with its previous epoch
      Then the answer is success, with the producer id and epoch that A has

  @KIP890-164 @MUST
  Rule: A retried InitProducerId gets the same epoch after a restart of the coordinator.

    @needs:crash
    Scenario: [1] The answer was lost in the crash
      Given producer A with transactional id "transfer"
      And A has initialised again
      And the broker has crashed and come back
      When A initialises again with its previous epoch
      Then the answer is success, with the producer id and epoch that A has
      And the coordinator still knows A by the same producer id and epoch

    @needs:aged-ids @needs:crash
    Scenario: [2] The answer with a new producer id was lost in the crash
      Given producer A at the last usable epoch
      And A has initialised again
      And the broker has crashed and come back
      When A initialises again with its previous epoch
      Then the answer is success, with the producer id and epoch that A has
      And the coordinator still knows A by the same producer id and epoch
