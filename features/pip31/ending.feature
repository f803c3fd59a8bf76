Feature: The end of a transaction
  Decided once, told to all that took part, and asked for again without harm.

  Background:
    Given topics "orders" and "payments"

  @PIP31-24 @MUST
  Rule: Committing a transaction again after it was committed succeeds.

    Scenario: [1] A commit that is complete
      Given transaction T
      And "a1" was sent to orders in T
      And T was committed
      When T is committed again
      Then the request succeeds
      And consumers of orders get "a1"

  @PIP31-27 @MUST
  Rule: Aborting a transaction that is being committed, or was, is refused and changes nothing.

    Scenario: [1] A commit that is held back, and an abort
      Given transaction T
      And the end of T is held back
      And T was committed without waiting
      When T is aborted
      Then the request is refused
      And T is COMMITTING

    Scenario: [2] A commit that is complete, and an abort
      Given transaction T
      And "a1" was sent to orders in T
      And T was committed
      When T is aborted
      Then the request is refused
      And consumers of orders get "a1"

  @PIP31-73 @MUST
  Rule: A transaction without any operation can be committed and aborted.

    Scenario: [1] An empty commit
      Given transaction T
      When T is committed
      Then the request succeeds
      And T is COMMITTED

    Scenario: [2] An empty abort
      Given transaction T
      When T is aborted
      Then the request succeeds
      And T is ABORTED
