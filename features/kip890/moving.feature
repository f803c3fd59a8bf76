Feature: Leaders and coordinators that move
  Partitions move between nodes, those with open transactions too, and so does the partition in which the coordinator keeps its log.
  Producers and readers notice nothing but that they have to ask somebody else.

  @KIP890-263 @MUST @recovery
  Rule: A new leader of a partition goes on with its open transaction as the old one would have.
    A leader that knew nothing of it would let readers see what is undecided, and refuse the rest of the transaction.

    @needs:two-nodes
    Scenario: [1] A further record
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A writes "a3" to accounts-1
      Then it is done
      And the open transaction of A in accounts-1 starts at "a2"

    @needs:two-nodes
    Scenario: [2] Readers, while it is open
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When accounts-1 moves to node 1
      Then readers of accounts-1 see nothing
      And the last stable offset of accounts-1 is the offset of "a2"

    @needs:two-nodes
    Scenario: [3] Its commit
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A commits
      Then one COMMIT marker was added to accounts-0 and accounts-1, with the next epoch of A
      And readers of accounts-1 see "a2"

    @needs:two-nodes
    Scenario: [4] Its abort
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A aborts
      Then readers of accounts-1 see nothing
      And a read_committed Fetch of accounts-1 lists the aborted transaction of A from "a2"

    @needs:two-nodes
    Scenario: [5] A late record of a transaction that ended before the move
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A writes "late" to accounts-1 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of accounts-1 has not grown

    @needs:two-nodes
    Scenario: [6] A transaction that was aborted before the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A has aborted
      When accounts-1 moves to node 1
      Then readers of accounts-1 see nothing
      And a read_committed Fetch of accounts-1 lists the aborted transaction of A from "a2"

  @KIP890-264 @MUST @recovery
  Rule: A coordinator that takes over on another node answers for an open transaction as the old one would have.
    A transaction that the new coordinator does not know could never be ended, and its readers would wait for ever.

    @needs:two-nodes
    Scenario: [1] A commit after the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And readers of accounts-0 see "a1"
      And readers of accounts-1 see "a2"

    @needs:two-nodes
    Scenario: [2] One more partition after the move
      Given a topic "payments" with 1 partition
      And producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A writes "a3" to payments-0
      Then it is done
      And the transaction of A is Ongoing in accounts-0 and accounts-1 and payments-0

    @needs:two-nodes
    Scenario: [3] A new instance after the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A initialises again with neither producer id nor epoch
      Then it is done
      And readers of accounts-0 see nothing
      And the last stable offset of accounts-0 and accounts-1 is the high watermark

    @needs:two-nodes
    Scenario: [4] A commit that was answered, sent again after the move
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And readers of accounts-0 see "a1"

    @needs:two-nodes
    Scenario: [5] The opposite end, after the move
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A aborts with its previous epoch
      Then it is refused with INVALID_TXN_STATE
      And readers of accounts-1 see "a2"

    @needs:two-nodes
    Scenario: [6] A commit that was decided before the move, and could not be completed
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And completion of A's transactions is blocked until the next move
      And A has written "a3" to accounts-0
      And A has been asked to commit
      When the coordinator of A moves to node 2
      Then the transaction of A is over
      And readers of accounts-0 see "a1", "a3"

  @KIP890-217 @MUST @recovery
  Rule: A coordinator that takes over completes what was prepared, in every partition that is left and for group offsets too.
    A decision that was answered and not yet told everywhere would stay half told for ever: readers wait, and the group cannot go on.

    @needs:two-nodes
    Scenario: [1] A commit of offsets
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And completion of A's transactions is blocked by the offsets of group "shop" until the next move
      And A has sent offset 5 of accounts-0 to group "shop"
      And A has been asked to commit
      When the coordinator of A moves to node 2
      Then the transaction of A is over
      And group "shop" has committed offset 5 of accounts-0

    @needs:two-nodes
    Scenario: [2] An abort of offsets and a record
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And completion of A's transactions is blocked by the offsets of group "shop" until the next move
      And A has written "a3" to accounts-0
      And A has sent offset 5 of accounts-0 to group "shop"
      And A has been asked to abort
      When the coordinator of A moves to node 2
      Then group "shop" has no pending offset of accounts-0
