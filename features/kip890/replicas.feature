Feature: Replicas
  A partition may have replicas on several nodes. What fewer of them have than min.insync.replicas is not written yet: it can be lost with
  its leader, be it a record or the marker of a transaction.

  @KIP890-225 @MUST
  Rule: Readers of either isolation level see no record that fewer replicas than min.insync.replicas have.
    A reader would act on a record that is lost with its leader, and that nobody else will ever see.

    @needs:two-nodes
    Scenario: [1] A further record of an open transaction
      Given producer A has written "a1" to accounts-0 on both nodes
      And node 2 is paused
      When A writes "a2" to accounts-0
      Then read_uncommitted readers of accounts-0 see "a1"
      And readers of accounts-0 see nothing

  @KIP890-226 @MUST
  Rule: A marker that fewer replicas than min.insync.replicas have decides nothing for readers.
    With the leader the marker is lost, and the next leader takes for undecided, or even aborts, what readers have been handed.

    @needs:two-nodes
    Scenario: [1] A commit while a replica is away
      Given producer A has written "a1" to accounts-0 on both nodes and "a2" to payments-0 on node 1
      And node 2 is paused
      When A commits
      Then readers of payments-0 see "a2"
      And readers of accounts-0 see nothing
      And the last stable offset of accounts-0 is the offset of "a1"

    @needs:two-nodes
    Scenario: [2] A commit when the replica is back
      Given producer A has written "a1" to accounts-0 on both nodes and "a2" to payments-0 on node 1
      And node 2 is paused until the next answer
      When A commits
      Then only COMMIT markers were added to accounts-0, with the next epoch of A
      And readers of accounts-0 see "a1"
      And the last stable offset of accounts-0 is the high watermark

    @needs:two-nodes
    Scenario: [3] Two commits while a replica is away
      Given producer A has written "a1" to accounts-0 on both nodes
      And producer B with transactional id "refund"
      And B has written "b1" to accounts-0
      And node 2 is paused
      When A commits and B commits
      Then readers of accounts-0 see nothing
      And the last stable offset of accounts-0 is the offset of "a1"

    @needs:two-nodes
    Scenario: [4] Two commits, and the replica is back after the second
      Given producer A has written "a1" to accounts-0 on both nodes
      And producer B with transactional id "refund"
      And B has written "b1" to accounts-0
      And A has committed
      And node 2 is paused until the next answer
      When B commits
      Then readers of accounts-0 see "a1", "b1"

  @KIP890-227 @MUST
  Rule: What fewer replicas than min.insync.replicas have is not answered as written, be it a record or a marker.
    A producer that is told so forgets the record, and a coordinator the transaction, and nobody brings back what is lost with the leader.

    @needs:two-nodes
    Scenario: [1] A record, and the same again when the replica is back
      Given producer A has written "a1" to accounts-0 on both nodes
      And node 2 is paused until the next refusal
      When A writes "a2" to accounts-0
      Then the first attempt was not done
      And it is done and answers the offset of "a2"
      And read_uncommitted readers of accounts-0 see "a1", "a2"

    @needs:two-nodes
    Scenario: [2] A marker
      Given producer A has written "a1" to accounts-0 on both nodes and "a2" to payments-0 on node 1
      And node 2 is paused
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a2"
      And the transaction of A is PrepareCommit
