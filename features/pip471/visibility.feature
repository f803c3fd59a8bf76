Feature: What readers see of metadata-driven transactions
  Readers of a segment receive messages up to the first undecided one, without those of aborted transactions.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-18 @MUST
  Rule: A segment delivers its messages up to the first message of an open transaction, or up to the last message if none is open.
    A limit too late shows messages that may be aborted; a limit too early withholds decided ones.

    Scenario: [1] Readers stop before the first of two open transactions
      Given "p1" has been written to orders
      And B has written "b1" to orders
      When A writes "a1" to orders
      Then readers of orders see "p1"

    Scenario: [2] A second transaction begins between the messages of the first, and the first commits
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And A has written "a2" to orders
      When A commits
      Then readers of orders see "a1"

    Scenario: [3] Readers see everything that is decided before an open transaction
      Given A has committed "a1" to orders
      And "p1" has been written to orders
      When B writes "b1" to orders
      Then readers of orders see "a1", "p1"

    Scenario: [4] The younger of two transactions wrote first and commits first
      Given B has written "b1" to orders
      And A has written "a1" to orders
      When B commits
      Then readers of orders see "b1"

    Scenario: [5] Readers see a plain message before an open transaction after a reload
      Given A has committed "a1" to orders
      And "p1" has been written to orders
      And B has written "b1" to orders
      And orders has been unloaded
      When "p2" is written to orders
      Then readers of orders see "a1", "p1"

    Scenario: [6] Of two open transactions, one wrote before a reload and the other after it
      Given transaction C
      And C has committed "c1" to orders
      And the consumer of shared subscription "workers" has received "c1" from orders
      And A has written "a1" to orders
      And orders has been unloaded
      When B writes "b1" to orders
      Then readers of orders see "c1"

    @needs:crash-points
    Scenario: [7] A transaction writes again after a crash left a record without its message
      Given "p1" has been written to orders
      And the system will crash after-op-record
      And A has tried to write "a1" to orders
      And the system has restarted
      When A writes "a2" to orders
      Then readers of orders see "p1"

    Scenario: [8] The first two of three open transactions commit
      Given transaction C
      And A has written "a1" to orders
      And B has written "b1" to orders
      And C has written "c1" to orders
      And A has committed
      When B commits
      Then readers of orders see "a1", "b1"

  @PIP471-19 @MUST
  Rule: A segment withholds all messages after the first message of an open transaction, whichever producer wrote them.
    Readers receive a segment in order, and never return to what they have passed.

    Scenario: [1] A plain message follows an open transaction
      Given A has written "a1" to orders
      When "p1" is written to orders
      Then readers of orders see nothing

    Scenario: [2] A committed transaction follows an open one
      Given A has written "a1" to orders
      When B commits "b1" to orders
      Then readers of orders see nothing

    Scenario: [3] A connected consumer receives nothing after the start of an open transaction
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      When B commits "b1" to orders
      Then the consumer of "workers" receives nothing

    Scenario: [4] The open transaction writes again after a plain message
      Given A has written "a1" to orders
      And "p1" has been written to orders
      When A writes "a2" to orders
      Then readers of orders see nothing

  @PIP471-20 @MUST
  Rule: An open transaction blocks readers only in the segments to which it has written.
    One slow client would stop the topic for all its consumers.

    Scenario: [1] A transaction is open in one of two segments of a topic
      Given the topics "low" and "high" as segments of one topic
      And A has written "a1" to low
      When "p1" is written to high
      Then readers of high see "p1"
      And readers of low see nothing

    Scenario: [2] A transaction is open in another topic
      Given the topic "payments"
      And A has written "a1" to orders
      When "p1" is written to payments
      Then readers of payments see "p1"

  @PIP471-21 @MUST @commits
  Rule: A commit makes all messages of the transaction visible in all its segments.
    A partial result is what transactions have to prevent.

    Scenario: [1] A transaction with two messages in one segment commits
      Given A has written "a1", "a2" to orders
      When A commits
      Then readers of orders see "a1", "a2"

    Scenario: [2] A transaction with messages in two segments of one topic commits
      Given the topics "low" and "high" as segments of one topic
      And A has written "a1" to low
      And A has written "a2" to high
      When A commits
      Then readers of low see "a1"
      And readers of high see "a2"

    Scenario: [3] A connected consumer receives the messages at the commit
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
      Then the consumer of "workers" receives "a1" before any other write

    @needs:store-faults
    Scenario: [5] The store does not answer a look at the header when the segment is reloaded with the open transaction
      Given A has written "a1" to orders
      And the store does not answer the next look at a header
      And orders has been unloaded
      And "p1" has been written to orders
      When A commits
      Then readers of orders see "a1", "p1"

  @PIP471-23 @MUST @aborts
  Rule: A segment does not deliver the messages of an aborted transaction, and delivers the messages after them.
    Consumers must not act on aborted messages, which in turn must not block other messages.

    Scenario: [1] A plain message follows an aborted transaction
      Given A has written "a1" to orders
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [2] An aborted message is between those of a committed transaction
      Given B has written "b1" to orders
      And A has written "a1" to orders
      And B has written "b2" to orders
      And A has aborted
      When B commits
      Then readers of orders see "b1", "b2"

    Scenario: [3] A connected consumer receives only the later committed message
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And A has aborted
      When B commits "b1" to orders
      Then the consumer of "workers" receives "b1" and nothing else

    Scenario: [4] A transaction with messages in two segments of one topic aborts
      Given the topics "low" and "high" as segments of one topic
      And A has written "a1" to low
      And A has written "a2" to high
      When A aborts
      Then readers of low see nothing
      And readers of high see nothing

    Scenario: [5] Messages of others are between those of an aborted transaction
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And "p1" has been written to orders
      And A has written "a2" to orders
      And A has aborted
      When B commits
      Then readers of orders see "b1", "p1"

    Scenario: [6] A waiting consumer receives a plain message when the earlier transaction aborts
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And "p1" has been written to orders
      When A aborts
      Then the consumer of "workers" receives "p1" before any other write

    Scenario: [7] An aborted transaction has written a batch
      Given A has written a batch of "a1", "a2" to orders
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"

  @PIP471-24 @MUST @aborts
  Rule: A subscription that is created after an abort receives no message of the aborted transaction.
    A later consumer reads the same segment and must find the same messages.

    Scenario: [1] A subscription starts after further transactions
      Given A has written "a1" to orders
      And A has aborted
      And 3 transactions have committed
      When B commits "b1" to orders
      Then readers of orders see "b1"

  @PIP471-55 @MUST @commits @aborts
  Rule: A transaction over several topics and namespaces has the same outcome in all of them.
    A transfer that is booked in one place and withdrawn in another is the loss that transactions prevent.

    Scenario: [1] A transaction over two namespaces commits
      Given the topic "payments" in another namespace
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    Scenario: [2] A transaction over two namespaces aborts
      Given the topic "payments" in another namespace
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A aborts
      Then readers of orders see nothing
      And readers of payments see nothing

  @PIP471-64 @MUST @commits @aborts
  Rule: If transactions are interleaved, exactly the messages of the committed ones are visible, each once.
    The end of one transaction must not decide the messages of another.

    Scenario: [1] Every second of twelve interleaved transactions commits
      Given 12 transactions have written to orders
      When each of them is committed and aborted in turn
      Then orders agrees with the answers

    Scenario: [2] Two transactions have the same number at two coordinators, and one aborts
      Given C and D are transactions with the same number at two coordinators
      And C has written "c1" to orders
      And D has written "d1" to orders
      And C has aborted
      When D commits
      Then readers of orders see "d1"

    Scenario: [3] A segment is reloaded after the abort of one of thirteen interleaved transactions
      Given B has written "b1" to orders
      And 12 transactions have written to orders
      And B has aborted
      And orders has been unloaded
      When each of them is committed and aborted in turn
      Then orders agrees with the answers

    Scenario: [4] Every second of sixty interleaved transactions commits
      Given 60 transactions have written to orders
      When each of them is committed and aborted in turn
      Then orders agrees with the answers
