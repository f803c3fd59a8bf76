Feature: Taking over what is open
  Whoever initialises a transactional id begins with nothing open, even if it is the instance that left something open.
  What the coordinator aborts by itself is as aborted as what a producer aborts: records and offsets alike.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-203 @MUST @aborts
  Rule: InitProducerId of the owner over its own open transaction aborts it, with a marker in each of its partitions.
    An epoch that is only raised leaves the old transaction open for ever, and readers of committed data wait for ever.

    Scenario: [1] Readers when the owner has initialised again
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And "p1" has been written to payments-0
      When A initialises again
      Then readers of payments-0 see "p1"
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] Markers when the owner has initialised again
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A initialises again
      Then one ABORT marker was added to payments-0 and payments-1

    @needs:hold-markers
    Scenario: [3] The abort of what the owner left open is incomplete
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
  Rule: Of several InitProducerId at once for one transactional id each gets an epoch of its own, and the largest is in force.
    Two instances with one epoch cannot be told apart, and neither of them would ever be fenced.

    Scenario: [1] Nothing was ever written
      Given producer A with transactional id "transfer"
      When 4 instances take over from A at the same time
      Then no two instances were given the same epoch, and the largest is in force

    Scenario: [2] After a commit
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      When 4 instances take over from A at the same time
      Then no two instances were given the same epoch, and the largest is in force

    Scenario: [3] A transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When 4 instances take over from A at the same time
      Then no two instances were given the same epoch, and the largest is in force
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    @needs:two-nodes
    Scenario: [4] All of them wait for one abort
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next refusal
      When 4 instances take over from A at the same time
      Then no two instances were given the same epoch, and the largest is in force
      And readers of accounts-1 see nothing

  @KIP890-205 @MUST @aborts
  Rule: When the coordinator aborts a transaction by itself, its pending offsets are dropped and those committed before stay.
    A group whose offsets stay pending cannot go on, and one whose offsets count skips what was never processed.

    Scenario: [1] After a time-out
      Given producer A with transactional id "transfer" and a short time-out
      And A has sent offset 5 of payments-0 to group "shop"
      When A leaves its transaction open past its time-out
      Then group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [2] After a takeover
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop"
      When B takes over from A
      Then group "shop" has committed offset 3 of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [3] After the owner has initialised again
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop"
      When A initialises again
      Then group "shop" has committed offset 3 of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [4] After a time-out of records and offsets
      Given producer A with transactional id "transfer" and a short time-out
      And A has written "a1" to payments-0
      And A has sent offset 5 of payments-0 to group "shop"
      When A leaves its transaction open past its time-out
      Then readers of payments-0 see nothing
      And group "shop" has no pending offset of payments-0

    Scenario: [5] The new instance commits offsets of its own
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has taken over from A
      And B has sent offset 7 of payments-1 to group "shop"
      When B commits
      Then group "shop" has committed offset 7 of payments-1
      And group "shop" has no committed offset of payments-0

    Scenario: [6] An instance that comes after the time-out commits other offsets
      Given producer A with transactional id "transfer" and a short time-out
      And A has sent offset 5 of payments-0 to group "shop"
      And A has left its transaction open past its time-out
      And B has taken over from A
      And B has sent offset 7 of payments-1 to group "shop"
      When B commits
      Then group "shop" has no committed offset of payments-0
