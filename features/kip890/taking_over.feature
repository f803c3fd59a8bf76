Feature: Taking over an open transaction
  An instance that initialises a transactional id begins with nothing open, even if it left the transaction open itself. What the
  coordinator aborts by itself is aborted as completely as what a producer aborts: records and offsets alike.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-203 @MUST @aborts
  Rule: InitProducerId with the identity of the owner aborts the owner's open transaction, with a marker in each of its partitions.
    If the epoch is only raised, the old transaction stays open, and readers of committed data wait for ever.

    Scenario: [1] Readers read after the owner has initialised again
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And "p1" has been written to payments-0
      When A initialises again
      Then readers of payments-0 see "p1"
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] Markers are written after the owner has initialised again
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A initialises again
      Then one ABORT marker was added to payments-0 and payments-1

    @needs:hold-markers
    Scenario: [3] The owner initialises again and the abort is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      When A initialises again
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the transaction of A is PrepareAbort

    Scenario: [4] The owner initialises again as an old client
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A initialises again
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

  @KIP890-204 @MUST @fencing
  Rule: A coordinator answers concurrent InitProducerId requests for one transactional id with different epochs, and the largest is the current one.
    Two instances with one epoch cannot be distinguished, and neither would ever be fenced.

    Scenario: [1] Four instances initialise concurrently before the first transaction
      Given producer A with transactional id "transfer"
      When 4 instances take over from A at the same time
      Then no two instances were given the same epoch, and the largest is in force

    Scenario: [2] Four instances initialise concurrently after a commit
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      When 4 instances take over from A at the same time
      Then no two instances were given the same epoch, and the largest is in force

    Scenario: [3] Four instances initialise concurrently while a transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When 4 instances take over from A at the same time
      Then no two instances were given the same epoch, and the largest is in force
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    @needs:two-nodes
    Scenario: [4] Four instances initialise concurrently while a leader is paused during the abort
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next refusal
      When 4 instances take over from A at the same time
      Then no two instances were given the same epoch, and the largest is in force
      And readers of accounts-1 see nothing

  @KIP890-205 @MUST @aborts
  Rule: When a coordinator aborts a transaction by itself, the group's pending offsets are removed and those committed before stay.
    A group whose offsets stay pending is blocked, and one whose aborted offsets take effect skips what was never processed.

    Scenario: [1] A transaction with offsets times out
      Given producer A with transactional id "transfer" and a short timeout
      And A has sent offset 5 of payments-0 to group "shop"
      When A leaves its transaction open past its timeout
      Then group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [2] A new instance takes over a transaction with offsets
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop"
      When B takes over from A
      Then group "shop" has committed offset 3 of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [3] The owner of a transaction with offsets initialises again
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop"
      When A initialises again
      Then group "shop" has committed offset 3 of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [4] A transaction with records and offsets times out
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has sent offset 5 of payments-0 to group "shop"
      When A leaves its transaction open past its timeout
      Then readers of payments-0 see nothing
      And group "shop" has no pending offset of payments-0

    Scenario: [5] A new instance commits other offsets after a takeover
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has taken over from A
      And B has sent offset 7 of payments-1 to group "shop"
      When B commits
      Then group "shop" has committed offset 7 of payments-1
      And group "shop" has no committed offset of payments-0

    Scenario: [6] A new instance commits other offsets after a timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has sent offset 5 of payments-0 to group "shop"
      And A has left its transaction open past its timeout
      And B has taken over from A
      And B has sent offset 7 of payments-1 to group "shop"
      When B commits
      Then group "shop" has no committed offset of payments-0

  @KIP890-423 @MUST @fencing
  Rule: A commit of a new instance does not commit what the previous instance left open.
    The new instance has written again what was abandoned, and it would be there twice.

    Scenario: [1] A new instance writes and commits after it took over
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And B has taken over from A
      And B has written "b1" to payments-0
      When B commits
      Then readers of payments-0 see "b1"
