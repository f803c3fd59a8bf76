Feature: Time-outs and recovery
  A transaction that nobody ends is ended by the coordinator, and what was decided is completed after a crash.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-094 @MUST
  Rule: A restart of the broker does not interrupt an open transaction, its next batch is accepted as it is.

    @needs:crash
    Scenario: [1] A further record after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the system has crashed and come back
      When A writes "a2" to payments-0
      Then it is done
      And the open transaction of A in payments-0 starts at "a1"

  @KIP890-156 @MUST
  Rule: The server aborts a transaction that outlives its timeout, with a marker at the next epoch.

    Scenario: [1] The data of an abandoned transaction
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      When A leaves its transaction open past its time-out
      Then the transaction of A is CompleteAbort
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] The marker of an abandoned transaction
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      When A leaves its transaction open past its time-out
      Then one ABORT marker was added to payments-0, with the next epoch of A

  @KIP890-157 @MUST
  Rule: A producer whose transaction timed out can neither write nor end it with its old epoch.

    Scenario: [1] The producer writes after its time-out
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And A has left its transaction open past its time-out
      When A writes "late" to payments-0
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] The producer commits after its time-out, with EndTxn v4
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And A has left its transaction open past its time-out
      And A uses EndTxn v4
      When A commits
      Then it is refused with PRODUCER_FENCED
      And readers of payments-0 see nothing

    Scenario: [3] The producer aborts after its time-out, with EndTxn v4
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And A has left its transaction open past its time-out
      And A uses EndTxn v4
      When A aborts
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

  @KIP890-160 @MUST
  Rule: A transaction whose EndTxn was answered is completed after a crash, on every partition and as decided.

    @needs:crash
    Scenario: [1] A commit over two partitions
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the system crashes right after it answers the next EndTxn of A
      When A commits
      Then readers of payments-0 see "a1"
      And readers of payments-1 see "a2"

    @needs:crash
    Scenario: [2] An abort over two partitions
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the system crashes right after it answers the next EndTxn of A
      When A aborts
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 and payments-1 is the high watermark

  @KIP890-161 @MUST
  Rule: An unanswered EndTxn still has one outcome, the same on all partitions and the one a later retry is told.

    @needs:wire-faults
    Scenario: [1] The answer to a commit is lost
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the next EndTxn of A is answered, and the answer is lost
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And only COMMIT markers were added to payments-0 and payments-1, with the next epoch of A

    @needs:wire-faults
    Scenario: [2] The request for an abort is lost
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the next EndTxn of A is lost
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And only ABORT markers were added to payments-0 and payments-1, with the next epoch of A

    @needs:crash
    Scenario: [3] The broker crashes while the commit is on its way
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the system crashes before it answers the next EndTxn of A
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And only COMMIT markers were added to payments-0 and payments-1, with the next epoch of A
