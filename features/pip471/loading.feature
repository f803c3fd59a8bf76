Feature: Segments that are loaded again
  What a segment and a subscription had in memory is gone. The store says what is open, what was aborted, and what is pending.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-25 @MUST @aborts @recovery
  Rule: Messages of an aborted transaction stay hidden when the segment is loaded again.
    What is aborted must not be known by memory alone.

    Scenario: [1] The segment is loaded again
      Given A has written "a1" to orders
      And A has aborted
      And orders has been unloaded
      When B commits "b1" to orders
      Then readers of orders see "b1"

    Scenario: [2] It is loaded again twice
      Given A has written "a1" to orders
      And A has aborted
      And orders has been unloaded
      And B has committed "b1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "b1", "p1"

    @needs:crash
    Scenario: [3] A crash
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      And A has aborted
      When the system crashes and comes back
      Then readers of orders see "b1"

    Scenario: [4] A transaction of another coordinator than the first
      Given C is a transaction of the second coordinator
      And C has written "c1" to orders
      And C has aborted
      And B has committed "b1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "b1", "p1"

    Scenario: [5] All that lies before and behind it is decided
      Given A has written "a1" to orders
      And "p1" has been written to orders
      And A has aborted
      And B has committed "b1" to orders
      And orders has been unloaded
      When "p2" is written to orders
      Then readers of orders see "p1", "b1", "p2"

  @PIP471-59 @MUST @recovery
  Rule: A segment that is loaded shows nothing that is undecided or aborted, also to a consumer that is there at once.
    A reader that comes while the segment is still learning what is open would be given what may be withdrawn.

    Scenario: [1] A consumer at once, with an open and an aborted transaction
      Given A has written "a1" to orders
      And A has aborted
      And B has written "b1" to orders
      And orders has been unloaded
      When a consumer of shared subscription "workers" of orders asks for 10 messages
      Then the consumer of "workers" receives nothing

    @needs:crash
    Scenario: [2] A consumer that comes back behind a crash
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And B has written "b1" to orders
      And A has aborted
      When the system crashes while B is OPEN and comes back
      Then the consumer of "workers" receives nothing

  @PIP471-60 @MUST @recovery
  Rule: A transaction that is open holds readers up when the segment is loaded again.
    A segment that forgets its open transactions shows what may be withdrawn.

    Scenario: [1] An open transaction, and the segment is loaded again
      Given A has written "a1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see nothing

    Scenario: [2] Behind what was decided
      Given A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [3] An open transaction, and a crash
      Given A has written "a1" to orders
      And the system has crashed and come back
      When "p1" is written to orders
      Then readers of orders see nothing

    Scenario: [4] Two open transactions, and the first one commits
      Given transaction C
      And C has committed "c1" to orders
      And A has written "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      When A commits
      Then readers of orders see "c1", "a1"

    Scenario: [5] Two open transactions, and the one that began last has written first
      Given transaction C
      And C has committed "c1" to orders
      And B has written "b1" to orders
      And A has written "a1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "c1"

    Scenario: [6] The segment is loaded again twice
      Given A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      And "p1" has been written to orders
      And orders has been unloaded
      When "p2" is written to orders
      Then readers of orders see "a1"

    Scenario: [7] It goes on writing behind the load
      Given A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      When B writes "b2" to orders
      Then readers of orders see "a1"

    Scenario: [8] More is decided in another segment of the topic
      Given the segments "low" and "high" of one topic
      And A has written "a1" to low
      And A has committed "a2" to high
      And B has written "b1" to low
      And low has been unloaded
      When "p1" is written to low
      Then readers of low see "a1"

    Scenario: [9] It has written between the messages of one that committed
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And A has committed "a2" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "a1"

    Scenario: [10] It has written several messages
      Given A has committed "a1" to orders
      And B has written "b1", "b2" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "a1"

    Scenario: [11] Another one has ended whose number its own begins with
      Given C and D are transactions of the second coordinator, with numbers that begin alike
      And A has committed "a1" to orders
      And D has written "d1" to orders
      And C has committed "c1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "a1"

  @PIP471-61 @MUST @recovery
  Rule: An open transaction goes on when the segment is loaded again, and both parts share the outcome.
    A transaction that is torn apart by a move of its segment is what clients cannot see coming.

    Scenario: [1] A commit of both parts
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has written "a2" to orders
      When A commits
      Then readers of orders see "a1", "a2"

    Scenario: [2] An abort of both parts
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has written "a2" to orders
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"

    @needs:crash
    Scenario: [3] A commit of both parts around a crash
      Given A has written "a1" to orders
      And the system has crashed and come back
      And A has written "a2" to orders
      When A commits
      Then readers of orders see "a1", "a2"

  @PIP471-70 @MUST @aborts @recovery
  Rule: A segment that is loaded again hides the messages of every transaction that was aborted in it.
    One that knows the last abort alone hands out what was withdrawn before.

    Scenario: [1] Two aborted transactions
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And A has aborted
      And B has aborted
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [2] The younger one is aborted first
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And B has aborted
      And A has aborted
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "p1"
