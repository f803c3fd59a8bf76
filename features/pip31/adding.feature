Feature: Taking part in a transaction
  A topic or a subscription is added to an open transaction, durably, and then follows its end. Nothing is added to any other.

  Background:
    Given the topics "orders" and "payments"
    And the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs

  @PIP31-15 @MUST
  Rule: Adding a topic to a transaction that does not exist is refused as not found.
    A topic that is added to nothing is never told of an end, and its messages stay undecided.

    Scenario: [1] A topic, and a transaction id that was never given
      Given U is an unknown transaction
      When U adds orders
      Then it is refused with TransactionNotFound
      And the coordinator does not know U

    Scenario: [2] A topic, and a coordinator that does not exist
      Given U is a transaction of an unknown coordinator
      When U adds orders
      Then it is refused with TransactionNotFound or TransactionCoordinatorNotFound

  @PIP31-16 @MUST @recovery
  Rule: A topic that was added to an open transaction is ended with it, also after a crash of the coordinator.
    A topic that the coordinator forgets in a crash keeps its messages undecided for ever.

    Scenario: [1] Two topics in one request
      Given transaction A
      And A has added orders and payments
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A commits
      Then readers of payments see "a2"

    @needs:crash
    Scenario: [2] A crash after a topic was added
      Given transaction A
      And A has added orders
      And the system has crashed and come back
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"

  @PIP31-17 @MUST @fencing
  Rule: Adding a topic to a transaction that is being ended, or has ended, is refused.
    A topic that joins after the decision is not told of it.

    @needs:held-ends
    Scenario Outline: [1] A topic, while the end is incomplete
      Given transaction A
      And the <end> of A is incomplete
      When A adds orders
      Then it is refused
      And orders does not take part in A

      Examples:
        | end    | why                                 |
        | commit | the decision is told to all that is |
        | abort  | the other end is one as well        |

    Scenario Outline: [2] A topic, after the end
      Given transaction A
      And A has <ended>
      When A adds orders
      Then it is refused
      And orders does not take part in A

      Examples:
        | ended     | why                               |
        | committed | nobody will end the topic         |
        | aborted   | the same of the other end         |

  @PIP31-18 @MUST
  Rule: Adding the same topic twice changes nothing.
    A client that lost the answer asks again, and must not lose its transaction over that.

    Scenario: [1] A topic without messages
      Given transaction A
      And A has added orders
      When A adds orders
      Then it is done

    Scenario: [2] A topic that has a message
      Given transaction A
      And A has written "a1" to orders
      And A has added orders
      When A commits
      Then readers of orders see "a1"

    Scenario: [3] A topic beside another topic
      Given transaction A
      And A has written "a2" to payments
      And A has written "a1" to orders
      And A has added orders
      When A commits
      Then readers of payments see "a2"

    Scenario: [4] A topic that is there already and one that is not, in one request
      Given transaction A
      And A has written "a1" to orders
      And A has added orders and payments
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

  @PIP31-19 @MUST
  Rule: Adding a subscription to a transaction that does not exist is refused as not found.
    A subscription that is added to nothing keeps its acknowledgements pending for ever.

    Scenario: [1] A subscription, and a transaction id that was never given
      Given U is an unknown transaction
      When U adds "workers"
      Then it is refused with TransactionNotFound
      And the coordinator does not know U

    Scenario: [2] A subscription, and a coordinator that does not exist
      Given U is a transaction of an unknown coordinator
      When U adds "workers"
      Then it is refused with TransactionNotFound or TransactionCoordinatorNotFound

  @PIP31-20 @MUST @recovery
  Rule: A subscription that was added to an open transaction is ended with it, also after a crash of the coordinator.
    A subscription that the coordinator forgets in a crash never gets its messages back, nor loses them.

    Scenario: [1] Two subscriptions in one request
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And transaction A
      And A has added "workers" and "auditors"
      And A has acknowledged "i1" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2" left

    @needs:crash
    Scenario: [2] A crash after a subscription was added
      Given transaction A
      And A has added "workers"
      And the system has crashed and come back
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [3] A commit of two subscriptions in one request
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And transaction A
      And A has added "workers" and "auditors"
      And A has acknowledged "i1" for "auditors"
      When A commits
      Then nothing of A is pending in "auditors"
      And subscription "auditors" has "i2" left

    @needs:crash @needs:buffer-statistics
    Scenario: [4] A commit behind a crash after a subscription was added
      Given transaction A
      And A has added "workers"
      And the system has crashed and come back
      And A has acknowledged "i1" for "workers"
      When A commits
      Then nothing of A is pending in "workers"
      And subscription "workers" has "i2" left

  @PIP31-21 @MUST @fencing
  Rule: Adding a subscription to a transaction that is being ended, or has ended, is refused.
    A subscription that joins after the decision is not told of it, and its messages are stuck.

    @needs:held-ends
    Scenario Outline: [1] A subscription, while the end is incomplete
      Given transaction A
      And the <end> of A is incomplete
      When A adds "workers"
      Then it is refused
      And "workers" does not take part in A

      Examples:
        | end    | why                                     |
        | commit | its part would be pending for ever      |
        | abort  | the same of the other end               |

    Scenario Outline: [2] A subscription, after the end
      Given transaction A
      And A has <ended>
      When A adds "workers"
      Then it is refused
      And "workers" does not take part in A

      Examples:
        | ended     | why                                     |
        | committed | nobody will end its part                |
        | aborted   | the same of the other end               |
