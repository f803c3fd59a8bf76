Feature: Participants of a transaction
  The coordinator notifies the topics and subscriptions of a transaction of its end until each has answered, more than once if need be. A
  participant that does not answer delays the completion, and nothing else.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And transaction A

  @PIP31-29 @SHOULD @commits
  Rule: A coordinator answers END_TXN when the decision is durable, even while a participant is unavailable.
    One unavailable topic must not block every client that commits to it.

    @needs:held-ends
    Scenario: [1] A client commits while a participant is unavailable
      Given A has written "a1" to orders
      And the end of A is held up
      When A commits
      Then it is done
      And A is COMMITTING

    @needs:held-ends
    Scenario: [2] A client aborts while a participant is unavailable
      Given A has written "a1" to orders
      And the end of A is held up
      When A aborts
      Then it is done
      And A is ABORTING

  @PIP31-34 @MUST @commits
  Rule: A coordinator reports a transaction as committed only when every participant has answered.
    A transaction that is complete too early is removed before its last topic has applied the end.

    @needs:held-ends
    Scenario: [1] One participant has answered the commit and another has not
      Given A has written "a1" to orders
      And the end of A is held up
      When A commits
      Then readers of orders see "a1"
      And A is COMMITTING

    @needs:held-ends
    Scenario: [2] The last participant answers the commit
      Given A has written "a1" to orders
      And the commit of A is incomplete
      When the end of A is held up no longer
      Then A is COMMITTED
      And readers of orders see "a1"

  @PIP31-35 @MUST
  Rule: A coordinator sends the end of a transaction to the topics and to the subscriptions that were added to it.
    If only topics are notified, the input stays pending; if only subscriptions are, the output stays hidden.

    Scenario: [1] A transaction with a topic and a subscription commits
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"
      And subscription "workers" has "i2" left

    Scenario: [2] A transaction with a topic and a subscription aborts
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A aborts
      Then readers of orders see nothing
      And subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [3] Nothing is pending on the subscription after the commit of a topic and a subscription
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then nothing of A is pending in "workers"
      And subscription "workers" has "i2" left

    Scenario: [4] A transaction that writes to the topic of its input commits
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to inputs
      When A commits
      Then readers of inputs see "i1", "i2", "a1"
      And the consumer of "workers" receives "a1" and nothing else
      And subscription "workers" has "a1", "i2" left

    Scenario: [5] A transaction that writes to the topic of its input aborts
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to inputs
      When A aborts
      Then readers of inputs see "i1", "i2"
      And subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [6] Nothing is pending after the commit of a transaction that writes to the topic of its input
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to inputs
      When A commits
      Then nothing of A is pending in inputs
      And nothing of A is pending in "workers"
      And the consumer of "workers" receives "a1" and nothing else

  @PIP31-36 @MUST @commits
  Rule: A participant that receives a commit twice makes no message visible twice.
    A coordinator that lost the answer notifies a topic again; messages that become visible twice are processed twice.

    @needs:participant-ends
    Scenario: [1] A topic receives the commit before the transaction commits
      Given A has written "a1", "a2" to orders
      And orders has been asked to commit A
      When A commits
      Then readers of orders see "a1", "a2"

    @needs:participant-ends
    Scenario: [2] A topic receives the commit again after the transaction committed
      Given A has written "a1", "a2" to orders
      And A has committed
      When orders is asked to commit A
      Then readers of orders see "a1", "a2"

    @needs:participant-ends
    Scenario: [3] A subscription receives the commit before the transaction commits
      Given A has acknowledged "i1" for "workers"
      And "workers" has been asked to commit A
      When A commits
      Then subscription "workers" has "i2" left

    @needs:participant-ends
    Scenario: [4] A topic receives a commit again while a later transaction is open
      Given transaction B
      And A has written "a1" to orders
      And A has committed
      And B has written "b1" to orders
      And orders has been asked to commit A
      When B aborts
      Then readers of orders see "a1"

    @needs:participant-ends
    Scenario: [5] A topic receives the commit again after it was reloaded
      Given A has written "a1", "a2" to orders
      And A has committed
      And orders has been unloaded
      When orders is asked to commit A
      Then readers of orders see "a1", "a2"

    @needs:participant-ends
    Scenario: [6] A topic that was reloaded receives the commit again while a later transaction is open
      Given transaction B
      And A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      And orders has been asked to commit A
      When B aborts
      Then readers of orders see "a1"

  @PIP31-37 @MUST @aborts
  Rule: A participant that receives an abort twice changes nothing the second time.
    A second abort must not take messages away from the consumer that received them after the first.

    @needs:participant-ends
    Scenario: [1] A topic receives the abort before the transaction aborts
      Given A has written "a1" to orders
      And orders has been asked to abort A
      And "plain" has been written to orders
      When A aborts
      Then readers of orders see "plain"

    @needs:participant-ends
    Scenario: [2] A subscription receives the abort before the transaction aborts
      Given A has acknowledged "i1" for "workers"
      And "workers" has been asked to abort A
      And the consumer of "workers" has received "i1" again
      When A aborts
      Then the consumer of "workers" receives nothing

    @needs:participant-ends
    Scenario: [3] A topic receives an abort again while a later transaction is open
      Given transaction B
      And A has written "a1" to orders
      And A has aborted
      And B has written "b1" to orders
      And orders has been asked to abort A
      When B commits
      Then readers of orders see "b1"

  @PIP31-38 @MUST @commits
  Rule: An unavailable participant does not delay the others: consumers receive the committed messages there.
    One slow topic must not withhold committed messages from the consumers of all others.

    @needs:held-ends @needs:buffer-statistics
    Scenario: [1] The other topic and subscription of the transaction follow the commit
      Given the end of A is held up
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"
      And nothing of A is pending in "workers"

    @needs:held-ends
    Scenario: [2] Another transaction on the topic commits
      Given transaction B
      And the commit of A is incomplete
      When B commits "b1" to orders
      Then readers of orders see "b1"
      And A is COMMITTING

    @needs:held-ends
    Scenario: [3] Another transaction on the topic is notified again of its commit
      Given transaction B
      And B has written "b1" to orders
      And the commit of A is incomplete
      And the commit of B is incomplete
      When the end of B is held up no longer
      Then B went from COMMITTING to COMMITTED
      And readers of orders see "b1"

    @needs:held-ends @needs:more-coordinators
    Scenario: [4] A transaction of another coordinator is notified again of its commit
      Given B is a transaction of the second coordinator
      And B has written "b1" to orders
      And the commit of B is incomplete
      When the end of B is held up no longer
      Then B went from COMMITTING to COMMITTED
      And readers of orders see "b1"
