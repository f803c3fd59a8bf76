Feature: Observing
  What an operator sees of transactions and producers from outside.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-147 @MUST
  Rule: DescribeTransactions shows a new id as Empty with no partitions and no start time, and knows only ids it was given.

    Scenario: [1] A new id
      Given producer A with transactional id "transfer"
      When the coordinator is asked about A
      Then it is Empty, with no partition and no start time
      And A has the producer id and epoch that it was given

    Scenario: [2] An id that was never given
      Given producer A with transactional id "transfer"
      When the coordinator is asked about an id that nobody has initialised
      Then the request is refused with TRANSACTIONAL_ID_NOT_FOUND

    Scenario: [3] No id at all
      Given producer A with transactional id "transfer"
      When the coordinator is asked about an id that is empty
      Then the request is refused with INVALID_REQUEST

  @KIP890-148 @MUST
  Rule: Polling DescribeTransactions only ever shows a transaction moving from open to prepared to complete.

    Scenario: [1] A commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits, watched at the coordinator
      Then the transaction of A went from Ongoing over at most PrepareCommit to CompleteCommit

    Scenario: [2] An abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A aborts, watched at the coordinator
      Then the transaction of A went from Ongoing over at most PrepareAbort to CompleteAbort

  @KIP890-149 @MUST
  Rule: DescribeTransactions lists for a prepared transaction just the partitions that still wait for their marker.

    @needs:hold-markers
    Scenario: [1] One partition of a commit is held back
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      And the end of A's transaction is held back
      When A commits
      Then the transaction of A is PrepareCommit, and waits for its held-back marker only

    @needs:hold-markers
    Scenario: [2] One partition of an abort is held back
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the end of A's transaction is held back
      When A aborts
      Then the transaction of A is PrepareAbort, and waits for its held-back marker only

    @needs:two-nodes
    Scenario: [3] The leader of one partition of a commit is paused
      Given producer A with transactional id "transfer" has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When A commits while node 2 is paused
      Then the answer is success, with the same producer id and the next epoch
      And the transaction of A is PrepareCommit, and waits for accounts-1 only

  @KIP890-150 @MUST
  Rule: ListTransactions matches state names by exact case, echoes the ones it does not know and joins its filters by AND.

    Scenario: [1] A name in the wrong case
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When the transactions in state "ongoing" are listed
      Then nothing is listed
      And "ongoing" is named as an unknown state

    Scenario: [2] One name that is known and one that is not
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      When the transactions in state "Ongoing" or "Gone" are listed
      Then A is listed
      And B is not listed
      And "Gone" is named as an unknown state

    Scenario: [3] Two filters
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When the transactions of A in state "Ongoing" are listed
      Then A is listed
      And B is not listed

  @KIP890-151 @MUST
  Rule: The duration filter of ListTransactions keeps transactions begun longer ago, and every id that is still Empty.

    Scenario: [1] Longer ago than anything was begun
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      When the transactions begun long ago are listed
      Then A is listed
      And B is not listed

    Scenario: [2] Long enough for a transaction that is open
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      When the transactions begun a moment ago are listed until B is there
      Then A and B are listed

  @KIP890-152 @SHOULD
  Rule: ListTransactions v2 filters ids by a pattern and refuses a broken one with INVALID_REGULAR_EXPRESSION.

    Scenario: [1] The pattern of one of two ids
      Given producers A and B with transactional ids "transfer" and "refund"
      When the transactions whose ids match "transf.*" are listed
      Then A is listed
      And B is not listed

    Scenario: [2] A pattern and a state
      Given producers A and B with transactional ids "transfer" and "transform"
      And B has written "b1" to payments-0
      When the transactions whose ids match "transf.*", in state "Ongoing", are listed
      Then B is listed
      And A is not listed

    Scenario: [3] A broken pattern
      Given producer A with transactional id "transfer"
      When the transactions whose ids match "transfer(" are listed
      Then the request is refused with INVALID_REGULAR_EXPRESSION

  @KIP890-153 @MUST
  Rule: DescribeProducers tells coordinator epoch, last sequence and the open transaction's start offset of each producer.

    Scenario: [1] Before the first marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "a2" to payments-0
      Then payments-0 tells of A with last sequence 1 and no marker so far
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] After a marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then payments-0 tells of A with last sequence -1 and a marker so far
      And payments-0 tells of no open transaction of A

  @KIP890-154 @MUST
  Rule: FindCoordinator names one and the same node for a transactional id, whoever asks in whichever version.

    Scenario: [1] Several clients
      Given producer A with transactional id "transfer"
      When three clients look for the coordinator of A
      Then all are sent to one node
      And the coordinator of A is still that node
