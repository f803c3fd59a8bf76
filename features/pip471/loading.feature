Feature: Segments that are reloaded
  What a segment and a subscription had in memory is gone. The store has what is open, what was aborted, and what is pending.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-25 @MUST @aborts @recovery
  Rule: A segment still hides the messages of an aborted transaction after it is reloaded.
    An outcome that only the memory has is lost with a reload.

    Scenario: [1] The segment is reloaded after an abort
      Given A has written "a1" to orders
      And A has aborted
      And orders has been unloaded
      When B commits "b1" to orders
      Then readers of orders see "b1"

    Scenario: [2] The segment is reloaded twice after an abort
      Given A has written "a1" to orders
      And A has aborted
      And orders has been unloaded
      And B has committed "b1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "b1", "p1"

    @needs:crash
    Scenario: [3] The system crashes after an abort
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      And A has aborted
      When the system crashes and restarts
      Then readers of orders see "b1"

    Scenario: [4] The segment is reloaded after an abort at the second coordinator
      Given C is a transaction of the second coordinator
      And C has written "c1" to orders
      And C has aborted
      And B has committed "b1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "b1", "p1"

    Scenario: [5] The segment is reloaded when everything before and after the aborted message is decided
      Given A has written "a1" to orders
      And "p1" has been written to orders
      And A has aborted
      And B has committed "b1" to orders
      And orders has been unloaded
      When "p2" is written to orders
      Then readers of orders see "p1", "b1", "p2"

    Scenario: [6] A committed message is between those of the aborted transaction
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      And A has written "a2" to orders
      And A has aborted
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "b1", "p1"

    Scenario Outline: [7] One of two segments of an aborted transaction is reloaded
      Given the topics "low" and "high" as segments of one topic
      And A has written "a1" to low
      And A has written "a2" to high
      And A has aborted
      And <segment> has been unloaded
      When "p1" is written to <segment>
      Then readers of <segment> see "p1"

      Examples:
        | segment | why                                        |
        | low     | the segment that was written to first      |
        | high    | the segment that was written to last       |

    @needs:crash
    Scenario: [8] The system crashes after an abort in two segments
      Given the topics "low" and "high" as segments of one topic
      And A has written "a1" to low
      And A has written "a2" to high
      And A has aborted
      When the system crashes and restarts
      Then readers of low see nothing
      And readers of high see nothing

  @PIP471-59 @MUST @recovery
  Rule: A segment that is reloaded delivers no undecided or aborted message, even to a consumer that connects immediately.
    A consumer that connects while the segment still recovers would receive messages that may be aborted.

    Scenario: [1] A consumer connects immediately to a segment with an open and an aborted transaction
      Given A has written "a1" to orders
      And A has aborted
      And B has written "b1" to orders
      And orders has been unloaded
      When a consumer of shared subscription "workers" of orders asks for 10 messages
      Then the consumer of "workers" receives nothing

    @needs:crash
    Scenario: [2] A consumer reconnects after a crash
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And B has written "b1" to orders
      And A has aborted
      When the system crashes while B is OPEN and restarts
      Then the consumer of "workers" receives nothing

  @PIP471-60 @MUST @recovery
  Rule: A segment that is reloaded still withholds everything from the first message of an open transaction on.
    A segment that forgets its open transactions shows messages that may be aborted.

    Scenario: [1] The segment is reloaded with an open transaction
      Given A has written "a1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see nothing

    Scenario: [2] The segment is reloaded with an open transaction after a committed one
      Given A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [3] The system crashes with an open transaction
      Given A has written "a1" to orders
      And the system has crashed and restarted
      When "p1" is written to orders
      Then readers of orders see nothing

    Scenario: [4] The older of two open transactions commits after a reload
      Given transaction C
      And C has committed "c1" to orders
      And A has written "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      When A commits
      Then readers of orders see "c1", "a1"

    Scenario: [5] The segment is reloaded with two open transactions of which the younger wrote first
      Given transaction C
      And C has committed "c1" to orders
      And B has written "b1" to orders
      And A has written "a1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "c1"

    Scenario: [6] The segment is reloaded twice with an open transaction
      Given A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      And "p1" has been written to orders
      And orders has been unloaded
      When "p2" is written to orders
      Then readers of orders see "a1"

    Scenario: [7] An open transaction writes again after a reload
      Given A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      When B writes "b2" to orders
      Then readers of orders see "a1"

    Scenario: [8] The segment is reloaded when later transactions are decided in another segment of the topic
      Given the topics "low" and "high" as segments of one topic
      And A has written "a1" to low
      And A has committed "a2" to high
      And B has written "b1" to low
      And low has been unloaded
      When "p1" is written to low
      Then readers of low see "a1"

    Scenario: [9] The segment is reloaded with an open transaction between the messages of a committed one
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And A has committed "a2" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "a1"

    Scenario: [10] The segment is reloaded with several messages of an open transaction
      Given A has committed "a1" to orders
      And B has written "b1", "b2" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "a1"

    Scenario: [11] The segment is reloaded after the end of a transaction whose number is a prefix of an open one's
      Given C and D are transactions with numbers that begin alike at the second coordinator
      And A has committed "a1" to orders
      And D has written "d1" to orders
      And C has committed "c1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "a1"

    Scenario: [12] A topic of the same name in another namespace has decided what was written later
      Given the topic "payments" in another namespace, by the name of orders
      And transaction C
      And C has committed "c1" to orders
      And A has written "a1" to orders
      And orders has been unloaded
      When B commits "b1" to payments
      Then readers of orders see "c1"

    Scenario: [13] The segment is reloaded with two open transactions of which the older has written a hundred and fifty messages
      Given A has written 150 messages to orders
      And B has written "b1" to orders
      And orders has been unloaded
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see nothing

    Scenario: [14] The segment is reloaded after the end of a transaction with the number of the open one at another coordinator
      Given C and D are transactions with the same number at two coordinators
      And D has written "d1" to orders
      And C has committed "c1" to orders
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see nothing

    Scenario: [15] A sealed segment is reloaded with an open transaction
      Given the scalable topic "events" of segment "root"
      And B has committed "b1" to root
      And A has written "a1" to root
      And root has been split into left and right
      And root has been unloaded
      When "p1" is written to left
      Then readers of root see "b1"

  @PIP471-61 @MUST @recovery
  Rule: A transaction continues after a reload of its segment, and messages from before and after the reload share its outcome.
    A client cannot foresee that a segment moves, and its transaction must not be torn apart by a move.

    Scenario: [1] A commit covers messages from before and after a reload
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has written "a2" to orders
      When A commits
      Then readers of orders see "a1", "a2"

    Scenario: [2] An abort covers messages from before and after a reload
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has written "a2" to orders
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"

    @needs:crash
    Scenario: [3] A commit covers messages from before and after a crash
      Given A has written "a1" to orders
      And the system has crashed and restarted
      And A has written "a2" to orders
      When A commits
      Then readers of orders see "a1", "a2"

  @PIP471-70 @MUST @aborts @recovery
  Rule: A segment that is reloaded hides the messages of every transaction that was aborted in it.
    A segment that remembers only the last abort delivers messages that were aborted before it.

    Scenario: [1] Two transactions were aborted in the order in which they began
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And A has aborted
      And B has aborted
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [2] The transaction that began last was aborted first
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And B has aborted
      And A has aborted
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "p1"
