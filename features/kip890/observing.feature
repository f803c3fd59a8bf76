Feature: Observing
  What an operator sees of transactions and producers.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-147 @MUST
  Rule: DescribeTransactions shows a new transactional id as Empty with no partitions and no start time, and refuses an id that was never initialised.
    An operator who misspells an id must not be shown an idle one in its place.

    Scenario: [1] A transactional id is described before its first transaction
      Given producer A with transactional id "transfer"
      When DescribeTransactions is sent for A
      Then the answer describes an Empty transaction of A, with no partition and no start time

    Scenario: [2] An unknown transactional id is described
      Given producer A with transactional id "transfer"
      When DescribeTransactions is sent for an unused transactional id
      Then it is refused with TRANSACTIONAL_ID_NOT_FOUND

    Scenario: [3] An empty transactional id is described
      Given producer A with transactional id "transfer"
      When DescribeTransactions is sent for an empty transactional id
      Then it is refused with INVALID_REQUEST

  @KIP890-148 @MUST
  Rule: A client that polls DescribeTransactions sees a transaction move from open to prepared to complete, and never back.
    An operator, or a tool, that sees a transaction go backwards draws the wrong conclusion about its data.

    Scenario: [1] A commit in two partitions is polled
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the transaction of A is polled
      When A commits
      Then the transaction of A was only seen as Ongoing, then PrepareCommit, then CompleteCommit

    Scenario: [2] An abort in two partitions is polled
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the transaction of A is polled
      When A aborts
      Then the transaction of A was only seen as Ongoing, then PrepareAbort, then CompleteAbort

  @KIP890-149 @MUST
  Rule: DescribeTransactions lists for a prepared transaction only the partitions that still wait for their marker.
    The partitions that still wait are what an operator looks for when a transaction does not complete.

    @needs:hold-markers
    Scenario: [1] One partition of a commit is blocked
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And completion of A's transactions is blocked
      When A commits
      Then the transaction of A is PrepareCommit, and waits for the blocked partition only

    @needs:hold-markers
    Scenario: [2] One partition of an abort is blocked
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And completion of A's transactions is blocked
      When A aborts
      Then the transaction of A is PrepareAbort, and waits for the blocked partition only

    @needs:two-nodes
    Scenario: [3] The leader of one partition of a commit is paused
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And the transaction of A is PrepareCommit, and waits for accounts-1 only

  @KIP890-150 @MUST
  Rule: ListTransactions matches any of the values of each filter, state names case-sensitively, combines its filters by AND, and returns unknown states.
    A filter that matches more or less than it says hides the transaction that the operator looks for.

    Scenario: [1] A state name in the wrong case
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When ListTransactions is sent for states "ongoing"
      Then A is not listed
      And the unknown state filters are "ongoing"

    Scenario: [2] A known and an unknown state name
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      When ListTransactions is sent for states "Ongoing", "Gone"
      Then A is listed
      And B is not listed
      And the unknown state filters are "Gone"

    Scenario: [3] A state and a producer id
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When ListTransactions is sent for the producer id of A for states "Ongoing"
      Then A is listed
      And B is not listed

    Scenario: [4] Two state names
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      When ListTransactions is sent for states "Empty", "Ongoing"
      Then A is listed
      And B is listed

    Scenario: [5] Two producer ids
      Given producers A and B with transactional ids "transfer" and "refund"
      And producer C with transactional id "fees"
      When ListTransactions is sent for the producer ids of A and B
      Then A is listed
      And B is listed
      And C is not listed

    @needs:aged-ids @needs:transactions-v2
    Scenario: [6] The producer id from before an overflow
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      When ListTransactions is sent for the previous producer id of A
      Then A is not listed

    @needs:aged-ids @needs:transactions-v2
    Scenario: [7] The producer id from after an overflow
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      When ListTransactions is sent for the producer id of A
      Then A is listed

  @KIP890-151 @MUST
  Rule: ListTransactions with a duration filter returns the open transactions that began longer ago, and none that began later.
    Operators find hanging transactions by their age.

    Scenario: [1] A duration longer than any transaction was open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When ListTransactions is sent for what was begun long ago
      Then A is not listed

    Scenario: [2] A duration shorter than a transaction was open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When ListTransactions is sent for what was begun a moment ago until A is listed
      Then A is listed

  @KIP890-152 @SHOULD
  Rule: ListTransactions v2 filters transactional ids by a pattern, and answers an invalid pattern with INVALID_REGULAR_EXPRESSION.
    A pattern that is ignored lists everything, and looks as if it had matched.

    Scenario: [1] A pattern matches one of two ids that differ in the middle
      Given producers A and B with transactional ids "transfer" and "trunsfer"
      When ListTransactions is sent for the pattern "tr[a-e]nsf.*"
      Then A is listed
      And B is not listed

    Scenario: [2] A pattern and a state match one of two ids
      Given producers A and B with transactional ids "transfer" and "transform"
      And B has written "b1" to payments-0
      When ListTransactions is sent for the pattern "transf.*" for states "Ongoing"
      Then B is listed
      And A is not listed

    Scenario: [3] An invalid pattern
      Given producer A with transactional id "transfer"
      When ListTransactions is sent for the pattern "transfer("
      Then it is refused with INVALID_REGULAR_EXPRESSION

  @KIP890-153 @MUST
  Rule: DescribeProducers returns the coordinator epoch, the last sequence and the start offset of the open transaction for each producer.
    Operators find a hanging transaction by these three numbers, and end it with them.

    Scenario: [1] A producer is described before its first marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "a2" to payments-0
      Then DescribeProducers of payments-0 shows A with last sequence 1 and no coordinator epoch
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] A producer is described after its first marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then DescribeProducers of payments-0 shows A with last sequence -1 and the coordinator epoch of its last marker
      And payments-0 has no open transaction of A

    Scenario: [3] An idempotent producer is described
      Given idempotent producer I
      When I writes "i1" to payments-0
      Then DescribeProducers of payments-0 shows I with last sequence 0 and no coordinator epoch
      And payments-0 has no open transaction of I

    @needs:crash
    Scenario: [4] A producer is described after a marker from before a crash and one from after it
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the system has crashed and restarted
      When A commits "a2" to payments-0
      Then DescribeProducers of payments-0 shows A with last sequence -1 and the coordinator epoch of its last marker

    @needs:aged-ids @needs:transactions-v2
    Scenario: [5] A producer is described in its first transaction after an overflow
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      When A writes "a2" to payments-0
      Then DescribeProducers of payments-0 shows A with last sequence 0 and no coordinator epoch
      And the open transaction of A in payments-0 starts at "a2"

  @KIP890-154 @MUST
  Rule: FindCoordinator names the same node for a transactional id, to every client and in every version.
    Two nodes that both coordinate one id could decide its transaction in two ways.

    Scenario: [1] Three clients look up the coordinator in three versions
      Given producer A with transactional id "transfer"
      When FindCoordinator for A is sent by three clients in several versions
      Then every client is sent to one node, and so is the next one to ask for A

    @needs:two-nodes
    Scenario: [2] Both nodes are asked for the coordinator
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When FindCoordinator for A is sent to each of two nodes
      Then every client is sent to one node, and so is the next one to ask for A
