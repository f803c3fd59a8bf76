Feature: The duration of a transaction
  With InitProducerId a producer says how long its transactions may last. Until then only the producer or its successor ends them.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-213 @MUST
  Rule: A coordinator does not abort a transaction before it has been open for its timeout.
    A producer without a fault is fenced in the middle of its work.

    Scenario: [1] The first transaction of a producer times out
      Given producer A with transactional id "transfer" and a short timeout
      When A writes "a1" to payments-0 and leaves its transaction open past its timeout
      Then the transaction of A was open for at least a short timeout

    Scenario: [2] The transaction of a producer that was idle before times out
      Given producers A and B with transactional ids "transfer" and "refund" and a short timeout
      And B has written "b1" to payments-1
      And B has left its transaction open past its timeout
      When A writes "a1" to payments-0 and leaves its transaction open past its timeout
      Then the transaction of A was open for at least a short timeout

    Scenario: [3] A transaction is open when another one with a shorter timeout times out
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-0
      When B leaves its transaction open past its timeout
      Then the transaction of B is over
      And the transaction of A is Ongoing in payments-0

    @needs:crash
    Scenario: [4] A transaction is open after a crash when another one times out
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And the system has crashed and restarted
      And B has written "b1" to payments-1
      When B leaves its transaction open past its timeout
      Then the transaction of A is Ongoing in payments-0

    Scenario: [5] The second transaction of a producer times out some time after the first
      Given producers A and B with transactional ids "transfer" and "refund" and a short timeout
      And A has committed "a1" to payments-0
      And B has written "b1" to payments-1
      And B has left its transaction open past its timeout
      When A writes "a2" to payments-0 and leaves its transaction open past its timeout
      Then the transaction of A was open for at least a short timeout

  @KIP890-215 @MUST @aborts
  Rule: A coordinator aborts every transaction that is past its timeout in each of its partitions, however many there are.
    A transaction that is omitted blocks the readers of its partitions for ever, and its producer is gone.

    Scenario: [1] The transactions of twenty producers time out
      Given twenty producers with a short timeout have written to payments-0 and payments-1
      When all of the twenty leave their transactions open past their timeouts
      Then readers of payments-0 and payments-1 see nothing of the twenty

    @needs:failed-appends
    Scenario: [2] The transaction log refuses one of the twenty aborts
      Given twenty producers with a short timeout have written to payments-0 and payments-1
      And the next append to the transaction log fails
      When all of the twenty leave their transactions open past their timeouts
      Then readers of payments-0 and payments-1 see nothing of the twenty
      And an append to the transaction log has failed

  @KIP890-350 @MUST
  Rule: DescribeTransactions shows the time at which the first partition was added as the start time, and later partitions do not change it.
    A producer that adds a partition now and then would never time out, and operators who look for old transactions would not find it.

    Scenario: [1] A second partition is added later
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-0
      And B has left its transaction open past its timeout
      When A writes "a2" to payments-1
      Then the start time of A is unchanged

    Scenario: [2] Offsets of a group are added later
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-0
      And B has left its transaction open past its timeout
      When A sends offset 5 of payments-0 to group "shop"
      Then the start time of A is unchanged

    @needs:crash
    Scenario: [3] The system crashes later
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-0
      And B has left its transaction open past its timeout
      When the system crashes and restarts
      Then the start time of A is unchanged

    Scenario: [4] Another transaction begins later in the same partition
      Given producers A and C with transactional ids "transfer" and "fees"
      And A has written "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-1
      And B has left its transaction open past its timeout
      When C writes "c1" to payments-0
      Then the start time of A is unchanged

    @needs:two-nodes
    Scenario: [5] The coordinator moves later
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And a transaction with half of a short timeout has timed out at the coordinator of A
      When the coordinator of A moves to node 2
      Then A is coordinated by node 2 alone
      And the start time of A is unchanged
