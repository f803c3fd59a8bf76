Feature: Those who take part
  The topics and subscriptions of a transaction are told how it ended until each has answered, be it more than once. One that does not
  answer holds up the completion, and nobody else.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And transaction A

  @PIP31-29 @SHOULD @commits
  Rule: The end of a transaction is answered when the decision is durable, also while a participant is not available.
    One topic that is away must not hold up every client that commits to it.

    @needs:held-ends
    Scenario: [1] A commit while a participant is not available
      Given A has written "a1" to orders
      And the end of A is held up
      When A commits
      Then it is done
      And A is COMMITTING

    @needs:held-ends
    Scenario: [2] An abort while a participant is not available
      Given A has written "a1" to orders
      And the end of A is held up
      When A aborts
      Then it is done
      And A is ABORTING

  @PIP31-34 @MUST @commits
  Rule: A transaction counts as committed only when every participant has answered.
    A transaction that counts as done too early is forgotten before its last topic has followed.

    @needs:held-ends
    Scenario: [1] One participant has answered and another has not
      Given A has written "a1" to orders
      And the end of A is held up
      When A commits
      Then readers of orders see "a1"
      And A is COMMITTING

    @needs:held-ends
    Scenario: [2] The last participant answers
      Given A has written "a1" to orders
      And the commit of A is incomplete
      When the end of A is held up no longer
      Then A is COMMITTED
      And readers of orders see "a1"

  @PIP31-35 @MUST
  Rule: The participants of an end are the topics and the subscriptions that were added.
    An end that is told to topics only leaves the input pending; one that is told to subscriptions only leaves the output hidden.

    Scenario: [1] A commit of a topic and a subscription
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"
      And subscription "workers" has "i2" left

    Scenario: [2] An abort of a topic and a subscription
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A aborts
      Then readers of orders see nothing
      And subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [3] A commit behind which nothing of the subscription is undecided
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then nothing of A is pending in "workers"
      And subscription "workers" has "i2" left

  @PIP31-36 @MUST @commits
  Rule: Committing on a participant again shows no message twice.
    A coordinator that lost the answer tells a topic again; messages that show twice are processed twice.

    @needs:participant-ends
    Scenario: [1] A topic is asked before the transaction commits
      Given A has written "a1", "a2" to orders
      And orders has been asked to commit A
      When A commits
      Then readers of orders see "a1", "a2"

    @needs:participant-ends
    Scenario: [2] A topic is asked after the transaction committed
      Given A has written "a1", "a2" to orders
      And A has committed
      When orders is asked to commit A
      Then readers of orders see "a1", "a2"

    @needs:participant-ends
    Scenario: [3] A subscription is asked before the transaction commits
      Given A has acknowledged "i1" for "workers"
      And "workers" has been asked to commit A
      When A commits
      Then subscription "workers" has "i2" left

  @PIP31-37 @MUST @aborts
  Rule: Aborting on a participant again is harmless.
    A second abort must not take messages from the consumer that got them back after the first.

    @needs:participant-ends
    Scenario: [1] A topic is asked before the transaction aborts
      Given A has written "a1" to orders
      And orders has been asked to abort A
      And "plain" has been written to orders
      When A aborts
      Then readers of orders see "plain"

    @needs:participant-ends
    Scenario: [2] A subscription is asked before the transaction aborts
      Given A has acknowledged "i1" for "workers"
      And "workers" has been asked to abort A
      When A aborts
      Then the consumer of "workers" receives "i1" and nothing else

  @PIP31-38 @MUST @commits
  Rule: A participant that is not available delays only itself: what is committed on the others is delivered.
    One slow topic must not keep committed messages from the consumers of all others.

    @needs:held-ends @needs:buffer-statistics
    Scenario: [1] Another topic and a subscription of the transaction
      Given the end of A is held up
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"
      And nothing of A is pending in "workers"

    @needs:held-ends
    Scenario: [2] Another transaction on the topic
      Given transaction B
      And the commit of A is incomplete
      When B commits "b1" to orders
      Then readers of orders see "b1"
      And A is COMMITTING

    @needs:held-ends
    Scenario: [3] Another transaction that is told again
      Given transaction B
      And B has written "b1" to orders
      And the commit of A is incomplete
      And the commit of B is incomplete
      When the end of B is held up no longer
      Then B went from COMMITTING to COMMITTED
      And readers of orders see "b1"

    @needs:held-ends @needs:more-coordinators
    Scenario: [4] A transaction of another coordinator that is told again
      Given B is a transaction of the second coordinator
      And B has written "b1" to orders
      And the commit of B is incomplete
      When the end of B is held up no longer
      Then B went from COMMITTING to COMMITTED
      And readers of orders see "b1"
