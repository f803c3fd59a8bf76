Feature: Adding participants to a transaction
  A topic or a subscription is added to an open transaction, durably, and then follows its end. Nothing is added to a transaction that has
  ended.

  Background:
    Given the topics "orders" and "payments"
    And the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs

  @PIP31-15 @MUST
  Rule: A coordinator answers ADD_PARTITION_TO_TXN for an unknown transaction with TransactionNotFound, or for an unknown coordinator with that or TransactionCoordinatorNotFound, and neither opens it nor changes another one.
    A topic that is added to a missing transaction is never notified of an end, and its messages stay undecided.

    Scenario: [1] A topic is added to a transaction id that was never assigned
      Given U is an unknown transaction
      When U adds orders
      Then it is refused with TransactionNotFound
      And the coordinator does not know U

    Scenario: [2] A topic is added to a transaction of a coordinator that does not exist
      Given U is a transaction of an unknown coordinator
      When U adds orders
      Then it is refused with TransactionNotFound or TransactionCoordinatorNotFound

    Scenario: [3] A topic is added to an unknown transaction while another one is open
      Given transaction A
      And A has written "a1" to orders
      And U is an unknown transaction
      When U adds orders
      Then it is refused with TransactionNotFound
      And A is OPEN

    Scenario: [4] A topic is added to a transaction of a coordinator that does not exist, with the number of an open one
      Given transaction A
      And A has written "a1" to orders
      And U is a transaction of an unknown coordinator, with the number of A
      When U adds payments
      Then it is refused with TransactionNotFound or TransactionCoordinatorNotFound
      And payments does not take part in A

  @PIP31-16 @MUST @recovery
  Rule: A topic that was added to an open transaction follows the end of the transaction, even after a crash of the coordinator.
    A topic that the coordinator forgets in a crash keeps its messages undecided for ever.

    Scenario: [1] Two topics are added in one request
      Given transaction A
      And A has added orders and payments
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A commits
      Then readers of payments see "a2"

    @needs:crash
    Scenario: [2] The system crashes after a topic was added
      Given transaction A
      And A has added orders
      And the system has crashed and restarted
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"

  @PIP31-17 @MUST @fencing
  Rule: A coordinator refuses ADD_PARTITION_TO_TXN for a transaction that is being ended or has ended.
    A topic that is added after the decision is not notified of it.

    @needs:held-ends
    Scenario Outline: [1] A topic is added while the end is incomplete
      Given transaction A
      And the <end> of A is incomplete
      When A adds orders
      Then it is refused
      And orders does not take part in A

      Examples:
        | end    | why                                                     |
        | commit | the decision is sent to the participants of this moment |
        | abort  | the same for an abort                                   |

    Scenario Outline: [2] A topic is added after the end
      Given transaction A
      And A has <ended>
      When A adds orders
      Then it is refused
      And orders does not take part in A

      Examples:
        | ended     | why                            |
        | committed | the topic would never be ended |
        | aborted   | the same for an abort          |

    @needs:crash @needs:held-ends
    Scenario Outline: [3] A topic is added while the end is incomplete after a crash
      Given transaction A
      And the <end> of A is incomplete
      And the system has crashed and restarted
      When A adds orders
      Then it is refused
      And orders does not take part in A

      Examples:
        | end    | why                                                          |
        | commit | a recovered decision is sent to the participants of the log  |
        | abort  | the same for an abort                                        |

  @PIP31-18 @MUST
  Rule: A coordinator answers a repeated ADD_PARTITION_TO_TXN with success, and the repetition changes nothing.
    A client that lost the answer retries, and must not lose its transaction because of that.

    Scenario: [1] A topic without messages is added twice
      Given transaction A
      And A has added orders
      When A adds orders
      Then it is done

    Scenario: [2] A topic that has a message is added again
      Given transaction A
      And A has written "a1" to orders
      And A has added orders
      When A commits
      Then readers of orders see "a1"

    Scenario: [3] A topic is added again to a transaction of two topics
      Given transaction A
      And A has written "a2" to payments
      And A has written "a1" to orders
      And A has added orders
      When A commits
      Then readers of payments see "a2"

    Scenario: [4] A topic that was added already and a new one are added in one request
      Given transaction A
      And A has written "a1" to orders
      And A has added orders and payments
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

  @PIP31-19 @MUST
  Rule: A coordinator answers ADD_SUBSCRIPTION_TO_TXN for an unknown transaction with TransactionNotFound, or for an unknown coordinator with that or TransactionCoordinatorNotFound, and neither opens it nor changes another one.
    A subscription that is added to a missing transaction keeps its acknowledgements pending for ever.

    Scenario: [1] A subscription is added to a transaction id that was never assigned
      Given U is an unknown transaction
      When U adds "workers"
      Then it is refused with TransactionNotFound
      And the coordinator does not know U

    Scenario: [2] A subscription is added to a transaction of a coordinator that does not exist
      Given U is a transaction of an unknown coordinator
      When U adds "workers"
      Then it is refused with TransactionNotFound or TransactionCoordinatorNotFound

    Scenario: [3] A subscription is added to an unknown transaction while another one is open
      Given transaction A
      And A has written "a1" to orders
      And U is an unknown transaction
      When U adds "workers"
      Then it is refused with TransactionNotFound
      And A is OPEN

    Scenario: [4] A subscription is added to a transaction of a coordinator that does not exist, with the number of an open one
      Given transaction A
      And A has written "a1" to orders
      And U is a transaction of an unknown coordinator, with the number of A
      When U adds "workers"
      Then it is refused with TransactionNotFound or TransactionCoordinatorNotFound
      And "workers" does not take part in A

  @PIP31-20 @MUST @recovery
  Rule: A subscription that was added to an open transaction follows the end of the transaction, even after a crash of the coordinator.
    The messages of a subscription that the coordinator forgets in a crash are neither redelivered nor deleted.

    Scenario: [1] A transaction with two subscriptions from one request aborts
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And transaction A
      And A has added "workers" and "auditors"
      And A has acknowledged "i1" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2" left

    @needs:crash
    Scenario: [2] The system crashes after a subscription was added, and the transaction aborts
      Given transaction A
      And A has added "workers"
      And the system has crashed and restarted
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [3] A transaction with two subscriptions from one request commits
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And transaction A
      And A has added "workers" and "auditors"
      And A has acknowledged "i1" for "auditors"
      When A commits
      Then nothing of A is pending in "auditors"
      And subscription "auditors" has "i2" left

    @needs:crash @needs:buffer-statistics
    Scenario: [4] The system crashes after a subscription was added, and the transaction commits
      Given transaction A
      And A has added "workers"
      And the system has crashed and restarted
      And A has acknowledged "i1" for "workers"
      When A commits
      Then nothing of A is pending in "workers"
      And subscription "workers" has "i2" left

  @PIP31-21 @MUST @fencing
  Rule: A coordinator refuses ADD_SUBSCRIPTION_TO_TXN for a transaction that is being ended or has ended.
    A subscription that is added after the decision is not notified of it, and its messages stay pending.

    @needs:held-ends
    Scenario Outline: [1] A subscription is added while the end is incomplete
      Given transaction A
      And the <end> of A is incomplete
      When A adds "workers"
      Then it is refused
      And "workers" does not take part in A

      Examples:
        | end    | why                                |
        | commit | its part would be pending for ever |
        | abort  | the same for an abort              |

    Scenario Outline: [2] A subscription is added after the end
      Given transaction A
      And A has <ended>
      When A adds "workers"
      Then it is refused
      And "workers" does not take part in A

      Examples:
        | ended     | why                           |
        | committed | its part would never be ended |
        | aborted   | the same for an abort         |

    @needs:crash @needs:held-ends
    Scenario Outline: [3] A subscription is added while the end is incomplete after a crash
      Given transaction A
      And the <end> of A is incomplete
      And the system has crashed and restarted
      When A adds "workers"
      Then it is refused
      And "workers" does not take part in A

      Examples:
        | end    | why                                                         |
        | commit | a recovered decision is sent to the participants of the log |
        | abort  | the same for an abort                                       |
