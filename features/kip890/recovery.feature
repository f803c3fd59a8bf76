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
      And the broker has crashed and come back
      When A writes "a2" to payments-0
      Then the write is accepted
      And the open transaction of A in payments-0 starts at "a1"

  @KIP890-156 @MUST
  Rule: The server aborts a transaction that outlives its timeout, with a marker at the next epoch.

    Scenario: [1] The data of an abandoned transaction
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      When A leaves its transaction open past its time-out
      Then the transaction of A is CompleteAbort
      And readers of committed data see nothing in payments-0
      And the last stable offset of payments-0 is the end of the log

    Scenario: [2] The marker of an abandoned transaction
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      When A leaves its transaction open past its time-out
      Then payments-0 holds one ABORT marker, with the epoch after that of A

  @KIP890-157 @MUST
  Rule: A producer whose transaction timed out can neither write nor end it with its old epoch.

    Scenario: [1] The producer writes
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And the transaction of A has timed out
      When A writes "late" to payments-0
      Then the request is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [2] The producer commits as an old client
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And the transaction of A has timed out
      When A commits in EndTxn v4
      Then the request is refused with PRODUCER_FENCED
      And readers of committed data see nothing in payments-0

    Scenario: [3] The producer aborts as an old client
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And the transaction of A has timed out
      When A aborts in EndTxn v4
      Then the request is refused with PRODUCER_FENCED
      And the coordinator still knows A by the same producer id and epoch

  @KIP890-160 @MUST
  Rule: A transaction whose EndTxn was answered is completed after a crash, on every partition and as decided.

    @needs:crash
    Scenario: [1] A decided commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits, and the broker crashes right after the answer
      Then readers of committed data see "a1" in payments-0
      And readers of committed data see "a2" in payments-1

    @needs:crash
    Scenario: [2] A decided abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A aborts, and the broker crashes right after the answer
      Then readers of committed data see nothing in payments-0
      And the last stable offset of payments-0 and payments-1 is the end of the log

  @KIP890-161 @MUST
  Rule: An unanswered EndTxn still has one outcome, the same on all partitions and the one a later retry is told.

    @needs:wire-faults
    Scenario: [1] The answer to a commit is lost
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits, the answer is lost, and A asks again
      Then the answer is success, with the same producer id and the next epoch
      And payments-0 and payments-1 hold nothing but COMMIT markers of the epoch after that of A

    @needs:wire-faults
    Scenario: [2] The request for an abort is lost
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A aborts, the request is lost, and A asks again
      Then the answer is success, with the same producer id and the next epoch
      And payments-0 and payments-1 hold nothing but ABORT markers of the epoch after that of A

    @needs:crash
    Scenario: [3] The broker crashes while the commit is on its way
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits, the broker crashes before it has answered, and A asks again
      Then the answer is success, with the same producer id and the next epoch
      And payments-0 and payments-1 hold nothing but COMMIT markers of the epoch after that of A
