Feature: Deletions around an open transaction
  Topics and records are deleted whenever an administrator wants it, also those of a transaction that is open.
  What is left must still come to an end.

  Background:
    Given a topic "payments" with 1 partition
    And a topic "refunds" with 1 partition

  @KIP890-230 @MUST
  Rule: A transaction of which a topic was deleted can be ended, is completed in what is left, and its id goes on.
    A marker that nobody can take any more would be sent for ever, and the transactional id would be stuck.

    Scenario: [1] One of two topics is deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to refunds-0
      And topic "refunds" has been deleted
      When A commits
      Then the transaction of A is over
      And readers of payments-0 see "a1"

    Scenario: [2] The only topic is deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted
      When A aborts
      Then the transaction of A is over

    Scenario: [3] The next transaction of the same producer
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted
      And A has committed
      When A writes "a2" to payments-0
      Then it is done
      And the transaction of A is Ongoing in payments-0

    Scenario: [4] A new instance takes over
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to refunds-0
      And topic "refunds" has been deleted
      When A initialises again with neither producer id nor epoch
      Then it is done
      And the last stable offset of payments-0 is the high watermark

    Scenario: [5] The producer is gone, and its time-out ends the transaction
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And A has written "a2" to refunds-0
      And topic "refunds" has been deleted
      When A leaves its transaction open past its time-out
      Then the transaction of A is over
      And the last stable offset of payments-0 is the high watermark

    @needs:two-nodes
    Scenario: [6] The topic is deleted while a marker for it is on its way
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A has written "a3" to payments-0
      And node 2 is paused until the next deletion
      And A has been asked to commit
      When topic "accounts" is deleted
      Then the transaction of A is over
      And readers of payments-0 see "a3"

  @KIP890-231 @MUST
  Rule: A topic that was deleted and made again under its name begins with nothing of the old one's transactions.
    The last stable offset of the new topic would stand still for a transaction whose records are gone.

    Scenario: [1] A transaction that is open beyond the deletion
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted and made again
      When "p1" is written to refunds-0
      Then readers of refunds-0 see "p1"
      And the last stable offset of refunds-0 is the high watermark

    Scenario: [2] The transaction ends, with its partition's name in it
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted and made again
      And "p1" has been written to refunds-0
      When A aborts
      Then readers of refunds-0 see "p1"
      And a read_committed Fetch of refunds-0 lists no aborted transaction

    @needs:crash
    Scenario: [3] The broker is killed when there is a topic of that name again
      Given producer A with transactional id "transfer"
      And A has written "a1" to refunds-0
      And topic "refunds" has been deleted and made again
      And "p1" has been written to refunds-0
      When the system crashes and comes back
      Then readers of refunds-0 see "p1"

  @KIP890-232 @MUST
  Rule: DeleteRecords within an open transaction leaves the rest of it undecided, and its end decides that.
    Readers of committed data would see the second half of a transaction that is aborted later.

    Scenario: [1] Its first record is deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And "p1" has been written to payments-0
      When the records of payments-0 before "a2" are deleted
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the offset of "a2"

    Scenario: [2] It is aborted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And "p1" has been written to payments-0
      And the records of payments-0 before "a2" have been deleted
      When A aborts
      Then readers of payments-0 see "p1"

    Scenario: [3] It is committed
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And the records of payments-0 before "a2" have been deleted
      When A commits
      Then readers of payments-0 see "a2"

    Scenario: [4] All of it is deleted, and the transaction is ended
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the records of payments-0 have been deleted
      And "p1" has been written to payments-0
      When A aborts
      Then the transaction of A is over
      And readers of payments-0 see "p1"

    Scenario: [5] All of it is deleted, and the producer goes on with it
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the records of payments-0 have been deleted
      And A has written "a2" to payments-0
      When A aborts
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    @needs:crash
    Scenario: [6] The broker is killed before the abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And the records of payments-0 before "a2" have been deleted
      And the system has crashed and come back
      When A aborts
      Then readers of payments-0 see nothing

    Scenario: [7] What is left has the end of the transaction before, which was aborted
      Given producer A with transactional id "transfer"
      And A has written a batch of 2 records to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      And the records of payments-0 before "r1" have been deleted
      When A commits
      Then readers of payments-0 see "a2"

  @KIP890-233 @MUST @aborts
  Rule: A transaction that was aborted stays listed for what DeleteRecords has left of it.
    The list would lose its entry with the first record, and readers would take the rest for committed.

    Scenario: [1] Records are deleted behind the end
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And A has aborted
      When the records of payments-0 before "a2" are deleted
      Then readers of payments-0 see nothing

    @needs:crash
    Scenario: [2] The broker is killed after the deletion
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-0
      And A has aborted
      And the records of payments-0 before "a2" have been deleted
      When the system crashes and comes back
      Then readers of payments-0 see nothing
