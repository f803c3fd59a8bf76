Feature: Messages outside of the transaction's end
  The end of a transaction is a fence on each of its topics. A message after it, or to a topic that was not added, blocks no reader.

  Background:
    Given the topic "orders"

  @PIP31-49 @MUST @fencing
  Rule: A topic refuses a message of a transaction that has ended.
    A message that is acknowledged after the end is neither committed nor aborted, and its producer believes that it is stored.

    Scenario: [1] A message arrives after the commit
      Given transaction A
      And A has committed "a1" to orders
      When A writes "late" to orders
      Then it is refused

    Scenario: [2] A message arrives after the abort
      Given transaction A
      And A has written "a1" to orders
      And A has aborted
      When A writes "late" to orders
      Then it is refused

    Scenario: [3] A first message arrives after the commit in a topic that was added and left empty
      Given transaction A
      And A has added orders
      And A has committed
      When A writes "late" to orders
      Then it is refused

    Scenario: [4] A first message arrives after the abort in a topic that was added and left empty
      Given transaction A
      And A has added orders
      And A has aborted
      When A writes "late" to orders
      Then it is refused

    Scenario Outline: [5] A message arrives after the end when the topic has been reloaded
      Given transaction A
      And A has written "a1" to orders
      And A has <ended>
      And orders has been unloaded
      When A writes "late" to orders
      Then it is refused

      Examples:
        | ended     | why                                                   |
        | committed | the topic has to find the commit in what it has stored |
        | aborted   | the same for an abort                                 |

    Scenario Outline: [6] A message of the first of two transactions that have ended arrives when the topic has been reloaded
      Given transactions A and B
      And A has written "a1" to orders
      And A has <ended>
      And B has committed "b1" to orders
      And orders has been unloaded
      When A writes "late" to orders
      Then it is refused

      Examples:
        | ended     | why                                               |
        | committed | the topic knows every end again, not the last one |
        | aborted   | the same for an abort before a commit             |

  @PIP31-50 @MUST @fencing
  Rule: A broker never delivers a message that arrives after the end of its transaction, and the message neither delays nor hides another one.
    A late message must not become visible, and must not block or hide later messages.

    Scenario: [1] A plain message follows a late message
      Given transaction A
      And A has committed "a1" to orders
      And A has tried to write "late" to orders
      When "plain" is written to orders
      Then readers of orders see "a1", "plain"

    @alone
    Scenario: [2] A newer transaction follows a late message
      Given transactions A and B
      And A has committed "a1" to orders
      And A has tried to write "late" to orders
      And B has written "b1" to orders
      When B commits
      Then readers of orders see "a1", "b1"

    @alone
    Scenario: [3] A newer transaction follows a late message that was refused
      Given transactions A, B and C
      And A has committed "a1" to orders
      And B has committed "b1" to orders
      And A has tried to write "late" to orders
      When C commits "c1" to orders
      Then readers of orders see "a1", "b1", "c1"

    Scenario: [4] A plain message follows a late message when the topic has been reloaded
      Given transaction A
      And A has committed "a1" to orders
      And orders has been unloaded
      And A has tried to write "late" to orders
      When "plain" is written to orders
      Then readers of orders see "a1", "plain"

    Scenario: [5] A plain message follows a late message of an aborted transaction
      Given transaction A
      And A has written "a1" to orders
      And A has aborted
      And A has tried to write "late" to orders
      When "plain" is written to orders
      Then readers of orders see "plain"

  @PIP31-51 @SHOULD
  Rule: A message to a topic that was never added to its transaction does not stay pending for ever.
    The pending message would withhold all later messages from every reader.

    @needs:buffer-statistics
    Scenario: [1] A transaction commits without a topic to which it wrote
      Given the topic "payments"
      And transaction A
      And A has tried to write "stray" to payments, which it has not added
      And A has committed "a1" to orders
      When "plain" is written to payments
      Then nothing of A is pending in payments

    Scenario: [2] A plain message follows a message whose transaction was committed without the topic
      Given the topic "payments"
      And transaction A
      And A has tried to write "stray" to payments, which it has not added
      And A has committed "a1" to orders
      When "plain" is written to payments
      Then readers of payments get as far as "plain"

    @alone
    Scenario: [3] A newer transaction follows a message whose transaction was committed without the topic
      Given the topic "payments"
      And transactions A and B
      And A has tried to write "stray" to payments, which it has not added
      And A has committed "a1" to orders
      When B commits "b1" to payments
      Then readers of payments get as far as "b1"

    @needs:buffer-statistics
    Scenario: [4] A transaction commits without two topics to which it wrote
      Given the topics "payments" and "refunds"
      And transaction A
      And A has tried to write "stray" to payments, which it has not added
      And A has tried to write "stray" to refunds, which it has not added
      When A commits
      Then nothing of A is pending in payments
      And nothing of A is pending in refunds
