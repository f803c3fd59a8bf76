Feature: Taking part in a transaction
  A topic or a subscription is added to an open transaction, durably, and then follows its end. Nothing is added to any other.

  Background:
    Given the topics "orders" and "payments"
    And the topic "inputs" with "i1", "i2"
    And subscription "workers" has been given "i1", "i2" of inputs

  @PIP31-15 @MUST
  Rule: Adding a topic to a transaction that does not exist is refused as not found.

    Scenario: [1] A number that was never given
      Given a transaction U that does not exist
      When U adds orders
      Then it is refused as not found
      And there is still no transaction U

    Scenario: [2] A coordinator that there is none of
      Given a transaction U of a coordinator that does not exist
      When U adds orders
      Then it is refused as not found, or for want of a coordinator

  @PIP31-16 @MUST
  Rule: A topic that was added to an open transaction is ended with it, also after a crash of the coordinator.

    Scenario: [1] Two in one request
      Given transaction A
      And A has added orders and payments
      And A has written "a1" to orders, without adding it
      And A has written "a2" to payments, without adding it
      When A commits
      Then readers of payments see "a2"

    @needs:crash
    Scenario: [2] A crash right after the answer
      Given transaction A
      And A has added orders, and the system has crashed right after the answer
      And A has written "a1" to orders, without adding it
      When A commits
      Then readers of orders see "a1"

  @PIP31-17 @MUST
  Rule: Adding a topic to a transaction that is being ended, or has ended, is refused.

    Scenario Outline: [1] While the end is held back
      Given transaction A
      And the end of A is held back
      And A has <ended>
      When A adds orders
      Then it is refused
      And orders does not take part in A

      Examples:
        | ended     | why                                 |
        | committed | the decision is told to all that is |
        | aborted   | the other end is one as well        |

    Scenario Outline: [2] After the end
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

    Scenario: [1] It is no error
      Given transaction A
      And A has added orders
      When A adds orders
      Then it is done

    Scenario: [2] Its messages are shown once
      Given transaction A
      And A has written "a1" to orders
      And A has added orders
      When A commits
      Then readers of orders see "a1"

    Scenario: [3] Another topic stays in
      Given transaction A
      And A has written "a2" to payments
      And A has written "a1" to orders
      And A has added orders
      When A commits
      Then readers of payments see "a2"

  @PIP31-19 @MUST
  Rule: Adding a subscription to a transaction that does not exist is refused as not found.

    Scenario: [1] A subscription, and a number that was never given
      Given a transaction U that does not exist
      When U adds "workers"
      Then it is refused as not found
      And there is still no transaction U

    Scenario: [2] A subscription, and a coordinator that there is none of
      Given a transaction U of a coordinator that does not exist
      When U adds "workers"
      Then it is refused as not found, or for want of a coordinator

  @PIP31-20 @MUST
  Rule: A subscription that was added to an open transaction is ended with it, also after a crash of the coordinator.

    Scenario: [1] Two subscriptions in one request
      Given subscription "auditors" has been given "i1", "i2" of inputs
      And transaction A
      And A has added "workers" and "auditors"
      And A has acknowledged "i1" for "auditors", without adding it
      When A aborts
      Then subscription "auditors" has "i1", "i2" left

    @needs:crash
    Scenario: [2] A subscription, and a crash right after the answer
      Given transaction A
      And A has added "workers", and the system has crashed right after the answer
      And A has acknowledged "i1" for "workers", without adding it
      When A aborts
      Then subscription "workers" has "i1", "i2" left

  @PIP31-21 @MUST
  Rule: Adding a subscription to a transaction that is being ended, or has ended, is refused.

    Scenario Outline: [1] A subscription, while the end is held back
      Given transaction A
      And the end of A is held back
      And A has <ended>
      When A adds "workers"
      Then it is refused
      And "workers" does not take part in A

      Examples:
        | ended     | why                                     |
        | committed | its part would be pending for ever      |
        | aborted   | the same of the other end               |

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
