Feature: Several transactions in a topic, and many messages in a transaction
  What holds for one transaction of a topic holds for the second one, and what holds for three messages holds for a hundred.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP31-170 @MUST @commits @aborts
  Rule: A commit shows every message of its transaction and an abort hides every one, however many there are.
    A broker that processes only the first page of messages loses acknowledged messages without an error.

    Scenario: [1] A commit of a hundred messages
      Given A has written 100 messages to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

    Scenario: [2] The topic is reloaded before a commit of a hundred messages
      Given A has written 100 messages to orders
      And orders has been unloaded
      When A commits
      Then readers of orders see exactly what of A was receipted

    Scenario: [3] An abort of a hundred messages
      Given A has written 100 messages to orders
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [4] A commit of six hundred messages
      Given A has written 600 messages to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

  @PIP31-174 @MUST @commits @aborts
  Rule: A commit deletes every message that its transaction has acknowledged and an abort redelivers every one, however many there are.
    A broker that processes only the first page of acknowledgements redelivers input after a commit, or loses it after an abort.

    Scenario: [1] A commit of a hundred and fifty acknowledgements
      Given A has acknowledged 150 messages of orders for "workers", one by one
      When A commits
      Then subscription "workers" has nothing left

    @needs:buffer-statistics
    Scenario: [2] The topic is reloaded before a commit of a hundred and fifty acknowledgements
      Given A has acknowledged 150 messages of orders for "workers", one by one
      And orders has been unloaded
      When A commits
      Then nothing of A is pending in "workers"
      And subscription "workers" has nothing left

    Scenario: [3] An abort of a hundred and fifty acknowledgements
      Given A has acknowledged 150 messages of orders for "workers", one by one
      When A aborts
      Then "workers" agrees with the answers

    Scenario: [4] The topic is reloaded before an abort of a hundred and fifty acknowledgements
      Given A has acknowledged 150 messages of orders for "workers", one by one
      And orders has been unloaded
      When A aborts
      Then "workers" agrees with the answers

    @needs:batch-index-acknowledgement
    Scenario: [5] An abort of the acknowledgement of a whole batch whose consumer stays attached
      Given a batch of "b1", "b2", "b3" has been written to orders
      And the consumer of shared subscription "workers" has received "b1", "b2", "b3" from orders
      And A has acknowledged "b1", "b2", "b3" for "workers"
      When A aborts
      Then the consumer of "workers" receives "b1", "b2", "b3" and nothing else

    @needs:buffer-statistics
    Scenario: [6] The topic is terminated before a commit of an acknowledgement
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And the consumer of shared subscription "workers" has received "i1", "i2" from orders
      And A has acknowledged "i1" for "workers"
      And orders has been terminated
      When A commits
      Then nothing of A is pending in "workers"

    Scenario: [7] The topic is terminated before an abort of an acknowledgement
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And the consumer of shared subscription "workers" has received "i1", "i2" from orders
      And A has acknowledged "i1" for "workers"
      And orders has been terminated
      When A aborts
      Then the consumer of "workers" receives "i1" before any other write

  @PIP31-171 @MUST @aborts @recovery
  Rule: A topic that is reloaded hides the messages of every transaction that was aborted in it.
    A topic that remembers only the last abort delivers messages that were aborted before it.

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

    Scenario: [3] A committed message is between those of an aborted transaction
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      And A has written "a2" to orders
      And A has aborted
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "b1", "p1"

  @PIP31-122 @MUST @commits @aborts
  Rule: The end of a transaction reaches every topic and every subscription that was added, however many there are.
    A coordinator that notifies only the first page of participants leaves the others undecided for ever.

    Scenario: [1] A transaction over forty topics commits
      Given A has written a message to each of 40 topics
      When A commits
      Then each of the 40 topics shows its readers the message of A

    Scenario: [2] A transaction over forty subscriptions commits
      Given "i1" has been written to orders
      And A has acknowledged "i1" of orders for each of 40 subscriptions
      When A commits
      Then each of the 40 subscriptions has consumed "i1"

    Scenario: [3] A transaction over a hundred and thirty subscriptions commits
      Given "i1" has been written to orders
      And A has acknowledged "i1" of orders for each of 130 subscriptions
      When A commits
      Then each of the 130 subscriptions has consumed "i1"

  @PIP31-172 @MUST @commits
  Rule: A topic and a subscription on which a transaction has ended accept an older transaction that is still open.
    A broker that takes every older transaction for a finished one refuses the work of a slow client, or loses it after the commit.

    Background:
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs

    Scenario: [1] An older transaction writes for the first time after a younger one has committed
      Given B has committed "b1" to orders
      When A commits "a1" to orders
      Then readers of orders see "b1", "a1"

    Scenario: [2] An older transaction writes for the first time after a younger one has aborted
      Given B has written "b1" to orders
      And B has aborted
      When A commits "a1" to orders
      Then readers of orders see "a1"

    Scenario: [3] An older transaction writes once more after a younger one has committed
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      When A commits "a2" to orders
      Then readers of orders see "a1", "b1", "a2" in some order

    Scenario: [4] The topic is reloaded before the older transaction writes
      Given B has committed "b1" to orders
      And orders has been unloaded
      When A commits "a1" to orders
      Then readers of orders see "b1", "a1"

    Scenario: [5] An older transaction acknowledges for the first time after a younger one has committed
      Given B has acknowledged "i2" for "workers"
      And B has committed
      And A has tried to acknowledge "i1" for "workers"
      When A commits
      Then subscription "workers" has nothing left

    Scenario: [6] An older transaction acknowledges for the first time after a younger one has aborted
      Given B has acknowledged "i2" for "workers"
      And B has aborted
      And A has tried to acknowledge "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2" left

    Scenario Outline: [7] An older transaction that has written commits after a younger one has ended
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And B has <ended>
      When A commits
      Then readers of orders see <content> in some order

      Examples:
        | ended     | content    | why                                           |
        | aborted   | "a1"       | the abort hides only what the younger one wrote |
        | committed | "a1", "b1" | the commit of the older one is not lost       |

    Scenario: [8] An older transaction that has written commits after the timeout of a younger one
      Given transaction C with a short timeout
      And A has written "a1" to orders
      And C has written "c1" to orders
      And C has been left open past its timeout
      When A commits
      Then readers of orders see "a1"
