Feature: Deciding once
  A transaction is committed or aborted, once and for ever; to ask again does no harm.

  Background:
    Given the logs "orders" and "payments"

  @CORE-10 @MUST
  Rule: A transaction in which nothing was written can be aborted.

    Scenario: [1] An abort of nothing
      Given a writer A
      And A has begun a transaction
      When A aborts
      Then it is done
      And the transaction of A is over

  @CORE-11 @MUST
  Rule: To commit again does no harm: nothing appears twice, and nothing disappears.

    Scenario: [1] A second commit
      Given a writer A
      And A has committed "a1" to orders
      When A commits the same transaction again
      Then readers of orders see "a1"

    Scenario: [2] The transaction after it
      Given a writer A
      And A has committed "a1" to orders
      And A has committed the same transaction again
      When A writes "a2" to orders and commits
      Then readers of orders see "a1", "a2"

  @CORE-12 @MUST
  Rule: To abort again does no harm: nothing of the transaction appears.

    Scenario: [1] A second abort
      Given a writer A
      And A has written "a1" to orders
      And A has aborted
      When A aborts the same transaction again
      Then readers of orders see nothing

  @CORE-13 @MUST
  Rule: A committed transaction cannot be aborted: the attempt is refused, and its writes stay visible.

    Scenario: [1] An abort after the commit
      Given a writer A
      And A has committed "a1" to orders
      When A aborts the same transaction again
      Then it is refused
      And readers of orders see "a1"

  @CORE-14 @MUST
  Rule: An aborted transaction cannot be committed: the attempt is refused, and none of its writes appears.

    Scenario: [1] A commit after the abort
      Given a writer A
      And A has written "a1" to orders
      And A has aborted
      When A commits the same transaction again
      Then it is refused
      And readers of orders see nothing
