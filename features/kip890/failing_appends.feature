@needs:failed-appends
Feature: Appends that fail
  A log refuses one record because replicas or space are missing, and accepts the next. The change that was to be recorded has not happened.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-460 @MUST @commits @aborts
  Rule: A coordinator that cannot write the end to its transaction log changes nothing, and answers a retried EndTxn as if it were the first.
    A coordinator that changes its state before its log would use up two epochs, or end a transaction of which its log has no record.

    @needs:transactions-v2
    Scenario: [1] The record of a commit is refused
      Given A has written "a1" to payments-0
      And the next append to the transaction log fails
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And one COMMIT marker was added to payments-0
      And readers of payments-0 see "a1"
      And an append to the transaction log has failed

    @needs:transactions-v2
    Scenario: [2] The record of an abort is refused
      Given A has written "a1" to payments-0
      And the next append to the transaction log fails
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And one ABORT marker was added to payments-0
      And readers of payments-0 see nothing
      And an append to the transaction log has failed

  @KIP890-461 @MUST @fencing
  Rule: An InitProducerId whose record the transaction log refuses uses up no epoch.
    A producer would run out of epochs, or be fenced by an epoch that was never given to a producer.

    Scenario: [1] The record of the abort before a takeover is refused
      Given A has written "a1" to payments-0
      And the next append to the transaction log fails
      When B takes over from A
      Then it is done and answers the same producer id and the epoch after the next
      And readers of payments-0 see nothing
      And an append to the transaction log has failed

    Scenario: [2] The record of the next epoch is refused
      Given the next append to the transaction log fails
      When B takes over from A
      Then it is done and answers the same producer id and the next epoch
      And an append to the transaction log has failed

  @KIP890-462 @MUST @aborts
  Rule: A leader appends a record only after the transaction log has the partition of the record.
    The record would be in a partition that its transaction does not have, and would never get a marker.

    Scenario: [1] The record of a new transaction is refused
      Given the next append to the transaction log fails
      When A writes "a1" to payments-0
      Then it is done
      And the transaction of A is Ongoing in payments-0
      And read_uncommitted readers of payments-0 see "a1"
      And an append to the transaction log has failed

    @needs:crash
    Scenario: [2] The system crashes after the record of another partition was refused
      Given A has written "a1" to payments-0
      And the next append to the transaction log fails
      And A has written "a2" to payments-1
      When the system crashes and restarts
      Then the transaction of A is Ongoing in payments-0 and payments-1
      And an append to the transaction log has failed

  @KIP890-463 @MUST @commits @recovery
  Rule: If the transaction log refuses the completion of a transaction, the coordinator completes the transaction once the log accepts it.
    Its transactional id would be answered CONCURRENT_TRANSACTIONS for ever, although all markers are written.

    @needs:transactions-v2
    Scenario: [1] The record of the completion is refused
      Given A has written "a1" to payments-0
      And the second append to the transaction log fails
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And the transaction of A is over
      And readers of payments-0 see "a1"
      And an append to the transaction log has failed

    Scenario: [2] The producer goes on with its next transaction
      Given A has written "a1" to payments-0
      And the second append to the transaction log fails
      And A has committed
      When A commits "a2" to payments-0
      Then it is done
      And readers of payments-0 see "a1", "a2"
      And an append to the transaction log has failed

    @needs:transactions-v2
    Scenario: [3] The record of the completion of an abort is refused
      Given A has written "a1" to payments-0
      And the second append to the transaction log fails
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And the transaction of A is over
      And an append to the transaction log has failed

  @KIP890-464 @MUST @retention
  Rule: A coordinator continues to remove expired transactional ids after its log has refused the record of one of them.
    One refusal would end the expiry of all ids, and the coordinator would fill up.

    @needs:short-expiry
    Scenario: [1] The record of an expired id is refused
      Given producer B with transactional id "refund"
      And the next append to the transaction log fails
      When A stays idle until its transactional id expires
      Then the coordinator does not know A
      And the coordinator does not know B
      And an append to the transaction log has failed

  @KIP890-465 @MUST @commits
  Rule: A commit applies the offsets of its transaction even if the log of groups' offsets at first refuses the offsets or their marker.
    A group would process records again, or skip some.

    Scenario: [1] The record of the offsets is refused
      Given the next append to the log of groups' offsets fails
      And A has sent offset 5 of payments-0 to group "shop"
      When A commits
      Then it is done
      And group "shop" has committed offset 5 of payments-0
      And an append to the log of groups' offsets has failed

    @needs:transactions-v2
    Scenario: [2] The marker of the offsets is refused
      Given A has sent offset 5 of payments-0 to group "shop"
      And the next append to the log of groups' offsets fails
      When A commits
      Then it is done
      And group "shop" has committed offset 5 of payments-0
      And group "shop" has no pending offset of payments-0
      And an append to the log of groups' offsets has failed
