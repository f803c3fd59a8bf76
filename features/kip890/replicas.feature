@needs:two-nodes
Feature: Replicas
  A partition may have replicas on several nodes. What fewer replicas than min.insync.replicas have is not durable yet: it can be lost
  with the leader, whether it is a record or a marker.

  @KIP890-225 @MUST
  Rule: Fetch returns no record that fewer replicas than min.insync.replicas have, in either isolation level.
    A reader would act on a record that is lost with its leader, and that no other reader ever sees.

    Scenario: [1] A transaction writes another record while a replica is unavailable
      Given producer A has written "a1" to accounts-0 on both nodes
      And node 2 is paused
      When A writes "a2" to accounts-0
      Then read_uncommitted readers of accounts-0 see "a1"
      And readers of accounts-0 see nothing

  @KIP890-226 @MUST
  Rule: A marker that fewer replicas than min.insync.replicas have does not change what Fetch returns.
    If the marker is lost with the leader, the transaction is undecided for the next leader, or is even aborted, and readers have
    already received it.

    Scenario: [1] A transaction commits while a replica is unavailable
      Given producer A has written "a1" to accounts-0 on both nodes and "a2" to payments-0 on node 1
      And node 2 is paused
      When A commits
      Then readers of payments-0 see "a2"
      And readers of accounts-0 see nothing
      And the last stable offset of accounts-0 is the offset of "a1"

    Scenario: [2] A transaction commits, and the replica becomes available again
      Given producer A has written "a1" to accounts-0 on both nodes and "a2" to payments-0 on node 1
      And node 2 is paused until the next answer
      When A commits
      Then only COMMIT markers were added to accounts-0, with the next epoch of A
      And readers of accounts-0 see "a1"
      And the last stable offset of accounts-0 is the high watermark

    Scenario: [3] Two transactions commit while a replica is unavailable
      Given producer A has written "a1" to accounts-0 on both nodes
      And producer B with transactional id "refund"
      And B has written "b1" to accounts-0
      And node 2 is paused
      When A commits and B commits
      Then readers of accounts-0 see nothing
      And the last stable offset of accounts-0 is the offset of "a1"

    Scenario: [4] The second of two transactions commits, and the replica becomes available again
      Given producer A has written "a1" to accounts-0 on both nodes
      And producer B with transactional id "refund"
      And B has written "b1" to accounts-0
      And A has committed
      And node 2 is paused until the next answer
      When B commits
      Then readers of accounts-0 see "a1", "b1"

    Scenario: [5] A transaction aborts while a replica is unavailable
      Given producer A has written "a1" to accounts-0 on both nodes and "a2" to payments-0 on node 1
      And node 2 is paused
      When A aborts
      Then readers of accounts-0 see nothing
      And the last stable offset of accounts-0 is the offset of "a1"

  @KIP890-227 @MUST
  Rule: A leader does not acknowledge a record or marker that fewer replicas than min.insync.replicas have.
    A producer that receives a success discards the record, and a coordinator the transaction. What is lost with the leader is then not
    sent again.

    Scenario: [1] A producer writes a record while a replica is unavailable, and retries
      Given producer A has written "a1" to accounts-0 on both nodes
      And node 2 is paused until the next refusal
      When A writes "a2" to accounts-0
      Then the first attempt was not done
      And it is done and answers the offset of "a2"
      And read_uncommitted readers of accounts-0 see "a1", "a2"

    Scenario: [2] A coordinator writes a marker while a replica is unavailable
      Given producer A has written "a1" to accounts-0 on both nodes and "a2" to payments-0 on node 1
      And node 2 is paused
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a2"
      And the transaction of A is PrepareCommit
