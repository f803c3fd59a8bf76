@needs:two-nodes
Feature: Leaders and coordinators that move
  Partitions move between nodes, including those with open transactions, and so does the partition in which the coordinator keeps its log.
  Producers and readers notice only that they have to send their requests to another node.

  @KIP890-263 @MUST @recovery
  Rule: A new leader of a partition continues an open transaction as the old leader would have.
    A leader that does not know of it would show undecided records to readers, and refuse the rest of the transaction.

    Scenario: [1] A producer writes another record after the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A writes "a3" to accounts-1
      Then it is done
      And the open transaction of A in accounts-1 starts at "a2"

    Scenario: [2] Readers read while the transaction is open after the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When accounts-1 moves to node 1
      Then readers of accounts-1 see nothing
      And the last stable offset of accounts-1 is the offset of "a2"

    Scenario: [3] A transaction commits after the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A commits
      Then one COMMIT marker was added to accounts-0 and accounts-1, with the next epoch of A
      And readers of accounts-1 see "a2"

    Scenario: [4] A transaction aborts after the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A aborts
      Then readers of accounts-1 see nothing
      And a read_committed Fetch of accounts-1 lists the aborted transaction of A from "a2"

    Scenario: [5] A late record of a committed transaction arrives after the move
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A writes "late" to accounts-1 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of accounts-1 has not grown

    Scenario: [6] A transaction was aborted before the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A has aborted
      When accounts-1 moves to node 1
      Then readers of accounts-1 see nothing
      And a read_committed Fetch of accounts-1 lists the aborted transaction of A from "a2"

    Scenario: [7] A batch is sent again after the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-1 has moved to node 1
      When A writes "again" to accounts-1 at sequence 0
      Then it is done
      And the log of accounts-1 has not grown

  @KIP890-264 @MUST @recovery
  Rule: A coordinator that takes over on another node continues an open transaction as the old one would have.
    A transaction that the new coordinator does not know could never be ended, and its readers would wait for ever.

    Scenario: [1] A producer commits after the coordinator moved
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And readers of accounts-0 see "a1"
      And readers of accounts-1 see "a2"

    Scenario: [2] A producer writes to another partition after the coordinator moved
      Given a topic "payments" with 1 partition
      And producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A writes "a3" to payments-0
      Then it is done
      And the transaction of A is Ongoing in accounts-0 and accounts-1 and payments-0

    Scenario: [3] A new instance initialises after the coordinator moved
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A initialises again with neither producer id nor epoch
      Then it is done
      And readers of accounts-0 see nothing
      And the last stable offset of accounts-0 and accounts-1 is the high watermark

    Scenario: [4] An answered commit is retried after the coordinator moved
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And readers of accounts-0 see "a1"

    Scenario: [5] An abort follows an answered commit after the coordinator moved
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      When A aborts with its previous epoch
      Then it is refused with INVALID_TXN_STATE
      And readers of accounts-1 see "a2"

    Scenario: [6] A commit that could not be completed is completed after the coordinator moved
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And completion of A's transactions is blocked until the next move
      And A has written "a3" to accounts-0
      And A has been asked to commit
      When the coordinator of A moves to node 2
      Then the transaction of A is over
      And readers of accounts-0 see "a1", "a3"

  @KIP890-217 @MUST @recovery
  Rule: A coordinator that takes over completes every prepared transaction in its remaining partitions, group offsets included.
    A decision that was answered and not yet sent to all partitions would stay incomplete for ever: readers wait, and the group is
    blocked.

    Scenario: [1] A commit with offsets is completed by the next coordinator
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And completion of A's transactions is blocked by the offsets of group "shop" until the next move
      And A has sent offset 5 of accounts-0 to group "shop"
      And A has been asked to commit
      When the coordinator of A moves to node 2
      Then the transaction of A is over
      And group "shop" has committed offset 5 of accounts-0

    Scenario: [2] An abort with offsets and a record is completed by the next coordinator
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And completion of A's transactions is blocked by the offsets of group "shop" until the next move
      And A has written "a3" to accounts-0
      And A has sent offset 5 of accounts-0 to group "shop"
      And A has been asked to abort
      When the coordinator of A moves to node 2
      Then group "shop" has no pending offset of accounts-0

    Scenario: [3] Two commits are completed by the next coordinator
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And producer B with transactional id "refund" at the coordinator of A
      And completion of A's and B's transactions is blocked until the next move
      And A has been asked to commit
      And B has been asked to commit
      When the coordinator of A moves to node 2
      Then the transaction of B is over

  @KIP890-422 @MUST @recovery
  Rule: A commit after a move of the coordinator applies both the records from before the move and the offsets from after it.
    The input counts as processed, and its output, lost in the move, is never produced again.

    Scenario: [1] A producer sends offsets after the coordinator moved
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And the coordinator of A has moved to node 2
      And A has sent offset 5 of accounts-0 to group "shop"
      When A commits
      Then readers of accounts-0 see "a1"
      And group "shop" has committed offset 5 of accounts-0
