Feature: What readers see of metadata-driven transactions
  Readers of a segment go up to the first message that is undecided, and leave out what was aborted.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-18 @MUST
  Rule: Readers go up to the message before the first of an open transaction, and no further than to the last message.
    A limit that lies behind shows what may be withdrawn; one that lies before keeps back what is decided.

    Scenario: [1] Before the first message of two open transactions
      Given "p1" has been written to orders
      And B has written "b1" to orders
      When A writes "a1" to orders
      Then readers of orders see "p1"

    Scenario: [2] The second one begins where the first one has ended
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And A has written "a2" to orders
      When A commits
      Then readers of orders see "a1"

    Scenario: [3] An open transaction behind all that is decided
      Given A has committed "a1" to orders
      And "p1" has been written to orders
      When B writes "b1" to orders
      Then readers of orders see "a1", "p1"

    Scenario: [4] The one that began last has written first, and ends first
      Given B has written "b1" to orders
      And A has written "a1" to orders
      When B commits
      Then readers of orders see "b1"

    Scenario: [5] Behind a load, a message outside of transactions before the first of an open one
      Given A has committed "a1" to orders
      And "p1" has been written to orders
      And B has written "b1" to orders
      And orders has been unloaded
      When "p2" is written to orders
      Then readers of orders see "a1", "p1"

    Scenario: [6] Two open transactions, of which one began before a load and the other behind it
      Given transaction C
      And C has committed "c1" to orders
      And the consumer of shared subscription "workers" has received "c1" from orders
      And A has written "a1" to orders
      And orders has been unloaded
      When B writes "b1" to orders
      Then readers of orders see "c1"

    @needs:crash-points
    Scenario: [7] A crash within the publishing has left a record without its message, and the transaction goes on
      Given "p1" has been written to orders
      And the system will crash after-op-record
      And A has tried to write "a1" to orders
      And the system has come back
      When A writes "a2" to orders
      Then readers of orders see "p1"

  @PIP471-19 @MUST
  Rule: What was written behind the first message of an open transaction waits, whoever wrote it.
    Readers get a segment in its order; what they have passed they never come back to.

    Scenario: [1] A message outside of transactions
      Given A has written "a1" to orders
      When "p1" is written to orders
      Then readers of orders see nothing

    Scenario: [2] A committed transaction
      Given A has written "a1" to orders
      When B commits "b1" to orders
      Then readers of orders see nothing

    Scenario: [3] A consumer that was there before
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      When B commits "b1" to orders
      Then the consumer of "workers" receives nothing

    Scenario: [4] The open transaction goes on writing behind it
      Given A has written "a1" to orders
      And "p1" has been written to orders
      When A writes "a2" to orders
      Then readers of orders see nothing

  @PIP471-20 @MUST
  Rule: An open transaction holds up only the segments to which it has written.
    One slow client would stop a topic for everybody.

    Scenario: [1] Two segments of one topic
      Given the segments "low" and "high" of one topic
      And A has written "a1" to low
      When "p1" is written to high
      Then readers of high see "p1"
      And readers of low see nothing

    Scenario: [2] Another topic
      Given the topic "payments"
      And A has written "a1" to orders
      When "p1" is written to payments
      Then readers of payments see "p1"

  @PIP471-21 @MUST @commits
  Rule: A commit makes all messages of the transaction visible in all its segments.
    Half a transaction is what transactions are there to prevent.

    Scenario: [1] Several messages in one segment
      Given A has written "a1", "a2" to orders
      When A commits
      Then readers of orders see "a1", "a2"

    Scenario: [2] A commit in two segments of one topic
      Given the segments "low" and "high" of one topic
      And A has written "a1" to low
      And A has written "a2" to high
      When A commits
      Then readers of low see "a1"
      And readers of high see "a2"

    Scenario: [3] A commit before a consumer that was there
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1", "a2" to orders
      When A commits
      Then the consumer of "workers" receives "a1", "a2" and nothing else

    Scenario: [4] Another subscription is removed before the commit
      Given the consumer of shared subscription "workers" has received nothing from orders
      And the consumer of shared subscription "auditors" has received nothing from orders
      And A has written "a1" to orders
      And subscription "auditors" has been removed
      When A commits
      Then the consumer of "workers" receives "a1" before anybody writes again

  @PIP471-23 @MUST @aborts
  Rule: Messages of an aborted transaction are not delivered, and those behind them are.
    What was withdrawn must not be acted on, and must not keep back what was not.

    Scenario: [1] A message outside of transactions behind it
      Given A has written "a1" to orders
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [2] Between the messages of a committed transaction
      Given B has written "b1" to orders
      And A has written "a1" to orders
      And B has written "b2" to orders
      And A has aborted
      When B commits
      Then readers of orders see "b1", "b2"

    Scenario: [3] An abort before a consumer that was there
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And A has aborted
      When B commits "b1" to orders
      Then the consumer of "workers" receives "b1" and nothing else

    Scenario: [4] An abort in two segments of one topic
      Given the segments "low" and "high" of one topic
      And A has written "a1" to low
      And A has written "a2" to high
      When A aborts
      Then readers of low see nothing
      And readers of high see nothing

    Scenario: [5] What others wrote between two messages of the aborted transaction
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And "p1" has been written to orders
      And A has written "a2" to orders
      And A has aborted
      When B commits
      Then readers of orders see "b1", "p1"

    Scenario: [6] A consumer that waits, and what it waits for stands there before the abort
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And "p1" has been written to orders
      When A aborts
      Then the consumer of "workers" receives "p1" before anybody writes again

    Scenario: [7] A batch
      Given A has written a batch of "a1", "a2" to orders
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"

  @PIP471-24 @MUST @aborts
  Rule: A subscription that begins later is not given messages of an aborted transaction.
    Who comes later reads the same segment, and must find the same in it.

    Scenario: [1] Behind further transactions
      Given A has written "a1" to orders
      And A has aborted
      And 3 transactions have committed
      When B commits "b1" to orders
      Then readers of orders see "b1"

  @PIP471-55 @MUST @commits @aborts
  Rule: A transaction over several topics and namespaces ends in all of them alike.
    A transfer that is booked here and withdrawn there is the loss that transactions prevent.

    Scenario: [1] A commit in two namespaces
      Given the topic "payments" in another namespace
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    Scenario: [2] An abort in two namespaces
      Given the topic "payments" in another namespace
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A aborts
      Then readers of orders see nothing
      And readers of payments see nothing

  @PIP471-64 @MUST @commits @aborts
  Rule: Of transactions that write in turn, those that committed are visible, each message once, and no other.
    One transaction's end must not decide another's messages.

    Scenario: [1] Every second of twelve is committed
      Given 12 transactions have written to orders
      When every second of them commits and the others abort
      Then orders agrees with the answers

    Scenario: [2] Two transactions with the same number, of which one is aborted
      Given C and D are transactions with the same number at two coordinators
      And C has written "c1" to orders
      And D has written "d1" to orders
      And C has aborted
      When D commits
      Then readers of orders see "d1"

    Scenario: [3] One has ended before, and the segment is loaded again
      Given B has written "b1" to orders
      And 12 transactions have written to orders
      And B has aborted
      And orders has been unloaded
      When every second of them commits and the others abort
      Then orders agrees with the answers
