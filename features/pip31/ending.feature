Feature: The end of a transaction
  Decided once, and asked for again without harm. What was decided stays so, whatever is asked for later or at the same time.

  Background:
    Given the topics "orders" and "payments"
    And transaction A

  @PIP31-24 @MUST
  Rule: Committing a transaction again after it was committed succeeds.

    Scenario: [1] A commit that is complete
      Given A has committed "a1" to orders
      When A commits again
      Then it is done
      And readers of orders see "a1"

  @PIP31-27 @MUST
  Rule: Aborting a transaction that is being committed, or was, is refused and changes nothing.

    Scenario: [1] A commit that is held back, and an abort
      Given A has written "a1" to orders
      And the end of A is held back
      And A has committed
      When A aborts
      Then it is refused
      And A is COMMITTING

    Scenario: [2] A commit that is complete, and an abort
      Given A has committed "a1" to orders
      When A aborts
      Then it is refused
      And readers of orders see "a1"

  @PIP31-73 @MUST
  Rule: A transaction without any operation can be committed and aborted.

    Scenario: [1] An empty commit
      When A commits
      Then it is done
      And A is COMMITTED

    Scenario: [2] An empty abort
      When A aborts
      Then it is done
      And A is ABORTED
