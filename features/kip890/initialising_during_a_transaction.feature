Feature: Initialising while a transaction is open or completing
  InitProducerId of an instance whose transactional id has an undecided transaction aborts that transaction. The coordinator answers with an
  identity only when the abort, or an end that is in progress, has reached every partition.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-022 @MUST @aborts @fencing
  Rule: A coordinator that receives InitProducerId while a transaction is open aborts it, and answers CONCURRENT_TRANSACTIONS until the abort is complete.
    The first records of a successor that starts before the abort has reached every partition may be aborted with the old ones.

    Scenario: [1] A new instance aborts the open transaction of the old one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When B takes over from A
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    @needs:hold-markers
    Scenario: [2] A new instance initialises while the abort is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      When B takes over from A
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the transaction of A is PrepareAbort
      And the refusal has producer id -1 and epoch -1

    Scenario: [3] A new instance takes over while another transaction is open in the partition
      Given producer A with transactional id "transfer"
      And producer C with transactional id "fees"
      And A has written "a1" to payments-0
      And C has written "c1" to payments-0
      When B takes over from A
      Then the transaction of C is Ongoing in payments-0

  @KIP890-023 @SHOULD @aborts
  Rule: After aborting an open transaction a coordinator answers InitProducerId with an epoch two ahead, or one ahead if the request has the old identity.
    The abort of the old transaction has one epoch and the new owner the next, so that neither can be confused with the other.

    Scenario: [1] A new instance takes over an open transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When B takes over from A
      Then it is done and answers the same producer id and the epoch after the next
      And the producer id and epoch of A are those of the answer

    Scenario: [2] The owner of an open transaction initialises again
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A initialises again
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

    Scenario: [3] The owner initialises again after its timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When A initialises again
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

    Scenario: [4] A new instance takes over after the timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When B takes over from A
      Then it is done and answers the same producer id and the epoch after the next
      And the producer id and epoch of A are those of the answer

  @KIP890-025 @MUST
  Rule: A coordinator answers InitProducerId with CONCURRENT_TRANSACTIONS while the markers of a prepared transaction are in flight.
    With markers in flight, a new epoch makes the coordinator lose track of the partitions that still wait for theirs.

    @needs:hold-markers
    Scenario: [1] The owner initialises while its commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A initialises again
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the producer id and epoch of A are unchanged

    @needs:hold-markers
    Scenario: [2] A new instance initialises while an abort is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to abort
      When B takes over from A
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the producer id and epoch of A are unchanged

    @needs:two-nodes
    Scenario: [3] The owner initialises while a leader is paused and after it has resumed
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next refusal
      And A has been asked to commit
      When A initialises again
      Then the first attempt was refused with CONCURRENT_TRANSACTIONS
      And it is done
      And readers of accounts-1 see "a2"
