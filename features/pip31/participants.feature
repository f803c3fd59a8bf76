Feature: Those who take part
  The topics and subscriptions of a transaction are told how it ended until each has answered, be it more than once. One that does not
  answer holds up the completion, and nobody else.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1", "i2"
    And subscription "workers" has been given "i1", "i2" of inputs
    And transaction A

  @PIP31-29 @SHOULD
  Rule: The end of a transaction is answered when the decision is durable, also while a participant is not available.

    Scenario: [1] A commit
      Given A has written "a1" to orders
      And the end of A is held back
      When A commits
      Then it is done
      And A is COMMITTING

    Scenario: [2] An abort
      Given A has written "a1" to orders
      And the end of A is held back
      When A aborts
      Then it is done
      And A is ABORTING

  @PIP31-34 @MUST
  Rule: A transaction counts as committed only when every participant has answered.

    Scenario: [1] One topic follows, and another does not answer
      Given A has written "a1" to orders
      And the end of A is held back
      When A commits
      Then readers of orders see "a1"
      And A is COMMITTING

    Scenario: [2] The last participant is done
      Given A has written "a1" to orders
      And the end of A is held back
      And A has committed
      When the end of A is held back no longer
      Then A is COMMITTED
      And readers of orders see "a1"

  @PIP31-35 @MUST
  Rule: The participants of an end are the topics and the subscriptions that were added.

    Scenario: [1] A commit is told to both
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"
      And nothing is pending for "workers"
      And subscription "workers" has "i2" left

    Scenario: [2] An abort is told to both
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A aborts
      Then readers of orders see nothing
      And nothing is pending for "workers"
      And subscription "workers" has "i1", "i2" left

  @PIP31-36 @MUST
  Rule: Committing on a participant again shows no message twice.

    Scenario: [1] A topic is told before the transaction commits
      Given A has written "a1", "a2" to orders
      And orders has been told that A is committed
      When A commits
      Then readers of orders see "a1", "a2"

    Scenario: [2] A topic is told after the transaction committed
      Given A has written "a1", "a2" to orders
      And A has committed
      When orders is told that A is committed
      Then readers of orders see "a1", "a2"

    Scenario: [3] A subscription
      Given A has acknowledged "i1" for "workers"
      And "workers" has been told that A is committed
      When A commits
      Then nothing is pending for "workers"
      And subscription "workers" has "i2" left

  @PIP31-37 @MUST
  Rule: Aborting on a participant again is harmless.

    Scenario: [1] A topic
      Given A has written "a1" to orders
      And orders has been told that A is aborted
      And "plain" has been written to orders
      When A aborts
      Then readers of orders see "plain"

    Scenario: [2] A subscription
      Given A has acknowledged "i1" for "workers"
      And "workers" has been told that A is aborted
      When A aborts
      Then the consumer of "workers" is given "i1" and nothing else

  @PIP31-38 @MUST
  Rule: A participant that is not available delays only itself: what is committed on the others is delivered.

    Scenario: [1] Another topic and a subscription
      Given the end of A is held back
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"
      And nothing is pending for "workers"

    Scenario: [2] Another transaction
      Given transaction B
      And the end of A is held back
      And A has committed
      When B writes "b1" to orders and commits
      Then readers of orders see "b1"
      And A is COMMITTING
