Feature: Deletions during an open transaction
  An administrator may delete topics and records at any time, including those of an open transaction. The rest of the transaction must
  still be ended.

  Background:
    Given a topic "payments" with 1 partition
    And a topic "refunds" with 1 partition

  @KIP890-230 @MUST
  Rule: A transaction whose topic was deleted can be ended and completes in its remaining partitions, and its transactional id stays usable.
    A marker without a leader would be sent for ever, and the transactional id would be stuck.

    Scenario: [1] One of two topics is deleted, and the transaction commits
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to refunds-0
      And topic "refunds" has been deleted
      When A commits
      Then the transaction of A is over
      And readers of payments-0 see "a1"

    Scenario: [2] The only topic is deleted, and the transaction aborts
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted
      When A aborts
      Then the transaction of A is over

    Scenario: [3] The producer begins its next transaction after its topic was deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted
      And A has committed
      When A writes "a2" to payments-0
      Then it is done
      And the transaction of A is Ongoing in payments-0

    Scenario: [4] A new instance takes over after a topic was deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to refunds-0
      And topic "refunds" has been deleted
      When A initialises again with neither producer id nor epoch
      Then it is done
      And the last stable offset of payments-0 is the high watermark

    Scenario: [5] A transaction times out after a topic was deleted
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has written "a2" to refunds-0
      And topic "refunds" has been deleted
      When A leaves its transaction open past its timeout
      Then the transaction of A is over
      And the last stable offset of payments-0 is the high watermark

    @needs:two-nodes
    Scenario: [6] A topic is deleted while its marker is in flight
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A has written "a3" to payments-0
      And node 2 is paused until the next deletion
      And A has been asked to commit
      When topic "accounts" is deleted
      Then the transaction of A is over
      And readers of payments-0 see "a3"

  @KIP890-231 @MUST
  Rule: A topic that is deleted and recreated under its name keeps nothing of the former topic's transactions.
    The last stable offset of the new topic would be stuck at a transaction whose records are gone.

    Scenario: [1] A topic of an open transaction is deleted and recreated
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted and made again
      When "p1" is written to refunds-0
      Then readers of refunds-0 see "p1"
      And the last stable offset of refunds-0 is the high watermark

    Scenario: [2] A transaction aborts after its topic was deleted and recreated
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted and made again
      And "p1" has been written to refunds-0
      When A aborts
      Then readers of refunds-0 see "p1"
      And a read_committed Fetch of refunds-0 lists no aborted transaction

    @needs:crash
    Scenario: [3] The system crashes after a topic was deleted and recreated
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted and made again
      And "p1" has been written to refunds-0
      When the system crashes and restarts
      Then readers of refunds-0 see "p1"

    Scenario: [4] A producer that aborted in the former topic commits in the new one
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And A has aborted
      And topic "refunds" has been deleted and made again
      When A commits "a2" to refunds-0
      Then readers of refunds-0 see "a2"

    @needs:crash
    Scenario: [5] The system crashes after a commit in the new topic of a producer that aborted in the former one
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And A has aborted
      And topic "refunds" has been deleted and made again
      And A has committed "a2" to refunds-0
      When the system crashes and restarts
      Then readers of refunds-0 see "a2"

    Scenario: [6] An idempotent producer begins its sequence again in the new topic
      Given idempotent producer I
      And I has written "i1" to refunds-0
      And topic "refunds" has been deleted and made again
      When I writes "i2" to refunds-0 at sequence 0
      Then it is done and answers the offset of "i2"
      And readers of refunds-0 see "i2"

    Scenario: [7] The producers of the former topic are looked up in the new one
      Given producer A with transactional id "transfer"
      And A has committed "a1" to refunds-0
      When topic "refunds" is deleted and made again
      Then refunds-0 has no state of A

    Scenario: [8] The aborted transactions of the former topic are fetched from the new one
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And A has aborted
      And topic "refunds" has been deleted and made again
      When "p1" is written to refunds-0
      Then a read_committed Fetch of refunds-0 lists no aborted transaction

  @KIP890-409 @SHOULD @commits
  Rule: When a topic is deleted, the group coordinator deletes its offsets from every group, those of an open transaction included.
    A group that continues in a new topic of that name begins at an offset of the former one, and never receives the records before it.

    Scenario: [1] A transaction has committed offsets in two topics
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 and refunds-0 to group "shop"
      And A has committed
      When topic "refunds" is deleted and made again
      Then group "shop" has no committed offset of refunds-0
      And group "shop" has committed offset 5 of payments-0

    Scenario: [2] A transaction commits after the deletion of a topic whose offsets it has sent
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 and refunds-0 to group "shop"
      And topic "refunds" has been deleted and made again
      When A commits
      Then group "shop" has no committed offset of refunds-0
      And group "shop" has committed offset 5 of payments-0

    Scenario: [3] A topic is deleted while a transaction that has sent offsets of it is open
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of refunds-0 to group "shop"
      When topic "refunds" is deleted and made again
      Then group "shop" has no pending offset of refunds-0

    @needs:crash
    Scenario: [4] The system crashes after the deletion of a topic
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 and refunds-0 to group "shop"
      And A has committed
      And topic "refunds" has been deleted and made again
      When the system crashes and restarts
      Then group "shop" has no committed offset of refunds-0

    Scenario: [5] Two groups have offsets of a topic that is deleted
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of refunds-0 to group "shop"
      And A has sent offset 7 of refunds-0 to group "audit"
      And A has committed
      When topic "refunds" is deleted and made again
      Then group "shop" has no committed offset of refunds-0
      And group "audit" has no committed offset of refunds-0

  @KIP890-232 @MUST
  Rule: DeleteRecords inside an open transaction leaves its remaining records undecided, until the transaction ends.
    Readers of committed data would see the second half of a transaction that is aborted later.

    Scenario: [1] The first record of an open transaction is deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And "p1" has been written to payments-0
      When the records of payments-0 before "a2" are deleted
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the offset of "a2"

    Scenario: [2] The first record is deleted and the transaction aborts
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And "p1" has been written to payments-0
      And the records of payments-0 before "a2" have been deleted
      When A aborts
      Then readers of payments-0 see "p1"

    Scenario: [3] The first record is deleted and the transaction commits
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And the records of payments-0 before "a2" have been deleted
      When A commits
      Then readers of payments-0 see "a2"

    Scenario: [4] All records of a transaction are deleted and it aborts
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the records of payments-0 have been deleted
      And "p1" has been written to payments-0
      When A aborts
      Then the transaction of A is over
      And readers of payments-0 see "p1"

    Scenario: [5] All records of a transaction are deleted, and it writes again and aborts
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the records of payments-0 have been deleted
      And A has written "a2" to payments-0
      When A aborts
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    @needs:crash
    Scenario: [6] The first record is deleted and the system crashes before the abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And the records of payments-0 before "a2" have been deleted
      And the system has crashed and restarted
      When A aborts
      Then readers of payments-0 see nothing

    Scenario: [7] Records of an aborted transaction are deleted before the next one commits
      Given producer A with transactional id "transfer"
      And A has written a batch of 2 records to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      And the records of payments-0 before "r1" have been deleted
      When A commits
      Then readers of payments-0 see "a2"

  @KIP890-233 @MUST @aborts
  Rule: A read_committed Fetch still lists an aborted transaction for the records of it that DeleteRecords has left.
    If its entry were deleted with the first record, readers would receive the remaining records as committed ones.

    Scenario: [1] Records are deleted after the abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And A has aborted
      When the records of payments-0 before "a2" are deleted
      Then readers of payments-0 see nothing

    @needs:crash
    Scenario: [2] The system crashes after the deletion
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And A has aborted
      And the records of payments-0 before "a2" have been deleted
      When the system crashes and restarts
      Then readers of payments-0 see nothing

    Scenario: [3] All but the last of several aborted transactions are deleted
      Given producer A with transactional id "transfer"
      And A has aborted 2 transactions in payments-0
      And A has written "a1" to payments-0
      And A has aborted
      When the records of payments-0 before "a1" are deleted
      Then readers of payments-0 see nothing
