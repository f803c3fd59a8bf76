Feature: What verification must refuse
  Verification checks whether a partition is in the open transaction of a producer id and epoch: exactly this epoch, and at this moment.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-206 @MUST @fencing
  Rule: A coordinator refuses verification for an epoch older than its current one, even if the partition has never seen a newer one.
    A batch of the previous instance would be added to the transaction of the current one, and be committed with it.

    Scenario: [1] A leader verifies with the epoch of a previous instance
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has added payments-0
      When the leader verifies payments-0 for A with its previous epoch
      Then it is refused for payments-0 with PRODUCER_FENCED
      And the transaction of A is unchanged

    Scenario: [2] A leader verifies with the epoch of the last transaction
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When the leader verifies payments-0 for A with its previous epoch
      Then it is refused for payments-0 with PRODUCER_FENCED
      And the transaction of A is unchanged

    Scenario: [3] An old instance writes with Produce v11 to a partition that the new one has added
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has added payments-0
      And A uses Produce v11
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [4] An old instance writes with Produce v10 to a partition that the new one has added
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has added payments-0
      And A uses Produce v10
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    Scenario: [5] An old instance writes with Produce v12 to a partition that the new one has added
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has added payments-0
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

  @KIP890-207 @MUST
  Rule: If the first batch in a partition races with the end of its transaction, the batch is appended before the marker or not at all.
    A batch that is verified before the end and appended after the marker hangs, or is committed with the next transaction.

    Scenario: [1] Commits of an old client race with a first batch
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      When A commits and writes a first batch to payments-0 at the same time, 15 times
      Then each batch in payments-0 that was accepted is followed by its marker, and no other is there
      And payments-0 has no open transaction of A

    Scenario: [2] Aborts of an old client race with a first batch
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      When A aborts and writes a first batch to payments-0 at the same time, 15 times
      Then each batch in payments-0 that was accepted is followed by its marker, and no other is there
      And payments-0 has no open transaction of A

    Scenario: [3] Commits of a new client race with a first batch
      Given producer A with transactional id "transfer"
      When A commits and writes a first batch to payments-0 at the same time, 15 times
      Then each batch in payments-0 that was accepted is followed by its marker, and no other is there
      And payments-0 has no open transaction of A

    @needs:two-nodes
    Scenario: [4] A marker arrives before the leader's verification is answered (Produce v11)
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A is an old client (transaction version 0)
      And A has added accounts-0
      And the coordinator of A has moved to node 2
      When A writes "a3" to accounts-0, and an ABORT marker is there before node 2 notifies its leader
      Then each batch in accounts-0 that was accepted is followed by its marker, and no other is there
      And accounts-0 has no open transaction of A

    @needs:two-nodes
    Scenario: [5] A marker arrives before the leader's verification is answered (Produce v10)
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A is an old client (transaction version 0) and uses Produce v10
      And A has added accounts-0
      And the coordinator of A has moved to node 2
      When A writes "a3" to accounts-0, and an ABORT marker is there before node 2 notifies its leader
      Then each batch in accounts-0 that was accepted is followed by its marker, and no other is there
      And accounts-0 has no open transaction of A

    @needs:two-nodes
    Scenario: [6] A marker of the next epoch arrives before a new client's partition is added
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A writes "a3" to accounts-0, and an ABORT marker with the next epoch is there before node 2 notifies its leader
      Then each batch in accounts-0 that was accepted is followed by its marker, and no other is there
      And accounts-0 has no open transaction of A

  @KIP890-219 @MUST
  Rule: The end of one producer's transaction does not affect the verification of another producer's batch.
    In a busy partition markers arrive all the time, and a producer without a fault would have its batches refused.

    @needs:two-nodes
    Scenario: [1] Another producer's marker arrives before a new client's partition is added
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And producer B with transactional id "refund"
      And the coordinator of B has moved to node 2
      When B writes "b1" to accounts-0, and an ABORT marker of A is there before node 2 notifies its leader
      Then it is done
      And the open transaction of B in accounts-0 starts at "b1"

    @needs:two-nodes
    Scenario: [2] Another producer's marker arrives before a partition is verified (Produce v11)
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And producer B with transactional id "refund"
      And B is an old client (transaction version 0)
      And B has added accounts-0
      And the coordinator of B has moved to node 2
      When B writes "b1" to accounts-0, and an ABORT marker of A is there before node 2 notifies its leader
      Then it is done
