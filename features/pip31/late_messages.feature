Feature: Messages that nobody waits for
  The end of a transaction is a fence on each of its topics. What comes behind it, or where nobody had announced it, stands in nobody's way.

  Background:
    Given the topic "orders"

  @PIP31-49 @MUST @fencing
  Rule: A message of a transaction that has ended is refused.
    A message that is receipted after the end is neither committed nor aborted, and its producer believes that it is there.

    Scenario: [1] A message after the commit
      Given transaction A
      And A has committed "a1" to orders
      When A writes "late" to orders
      Then it is refused

    Scenario: [2] A message after the abort
      Given transaction A
      And A has written "a1" to orders
      And A has aborted
      When A writes "late" to orders
      Then it is refused

    Scenario: [3] A first message to a topic that was added and left empty, after the commit
      Given transaction A
      And A has added orders
      And A has committed
      When A writes "late" to orders
      Then it is refused

    Scenario: [4] A first message to a topic that was added and left empty, after the abort
      Given transaction A
      And A has added orders
      And A has aborted
      When A writes "late" to orders
      Then it is refused

  @PIP31-50 @MUST @fencing
  Rule: A message that comes after the end of its transaction is never delivered, and delays and hides no other.
    A late message must not appear, and must not hold up or hide what comes behind it.

    Scenario: [1] A plain message behind the late one
      Given transaction A
      And A has committed "a1" to orders
      And A has tried to write "late" to orders
      When "plain" is written to orders
      Then readers of orders see "a1", "plain"

    @alone
    Scenario: [2] A newer transaction behind the late message
      Given transactions A and B
      And A has committed "a1" to orders
      And A has tried to write "late" to orders
      And B has written "b1" to orders
      When B commits
      Then readers of orders see "a1", "b1"

    @alone
    Scenario: [3] A newer transaction after a late message that was refused
      Given transactions A, B and C
      And A has committed "a1" to orders
      And B has committed "b1" to orders
      And A has tried to write "late" to orders
      When C commits "c1" to orders
      Then readers of orders see "a1", "b1", "c1"

  @PIP31-51 @SHOULD
  Rule: A message for a topic that was never added to its transaction does not stay pending for ever.
    It would withhold from every reader what is written behind it.

    @needs:buffer-statistics
    Scenario: [1] The transaction commits without the topic
      Given the topic "payments"
      And transaction A
      And A has tried to write "stray" to payments, which it has not added
      And A has committed "a1" to orders
      When "plain" is written to payments
      Then nothing of A is pending in payments

    Scenario: [2] A message behind the one that nobody will end
      Given the topic "payments"
      And transaction A
      And A has tried to write "stray" to payments, which it has not added
      And A has committed "a1" to orders
      When "plain" is written to payments
      Then readers of payments get as far as "plain"

    @alone
    Scenario: [3] A newer transaction is committed on the topic
      Given the topic "payments"
      And transactions A and B
      And A has tried to write "stray" to payments, which it has not added
      And A has committed "a1" to orders
      When B commits "b1" to payments
      Then readers of payments get as far as "b1"
