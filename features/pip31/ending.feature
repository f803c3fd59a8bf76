Feature: The end of a transaction
  Decided once, and asked for again without harm. What was decided stays so, whatever is asked for later or at the same time.

  Background:
    Given the topics "orders" and "payments"
    And transaction A

  @PIP31-22 @MUST
  Rule: Ending a transaction that does not exist is refused as not found.

    Scenario: [1] A commit
      Given a transaction U that does not exist
      When U commits
      Then it is refused as not found
      And there is still no transaction U

    Scenario: [2] An abort
      Given a transaction U that does not exist
      When U aborts
      Then it is refused as not found
      And there is still no transaction U

  @PIP31-23 @MUST
  Rule: Committing a transaction again while it is being committed succeeds.

    Scenario: [1] A commit that is held back
      Given A has written "a1" to orders
      And the end of A is held back
      And A has committed
      When A commits again
      Then it is done
      And A is COMMITTING

  @PIP31-24 @MUST
  Rule: Committing a transaction again after it was committed succeeds.

    Scenario: [1] A commit that is complete
      Given A has committed "a1" to orders
      When A commits again
      Then it is done
      And readers of orders see "a1"

  @PIP31-25 @MUST
  Rule: Aborting a transaction again while it is being aborted, or after it was, succeeds.

    Scenario: [1] An abort that is held back
      Given A has written "a1" to orders
      And the end of A is held back
      And A has aborted
      When A aborts again
      Then it is done
      And A is ABORTING

    Scenario: [2] An abort that is complete
      Given A has written "a1" to orders
      And A has aborted
      When A aborts again
      Then it is done
      And readers of orders see nothing

  @PIP31-26 @MUST
  Rule: Committing a transaction that is being aborted, or was, is refused and changes nothing.

    Scenario: [1] An abort that is held back, and a commit
      Given A has written "a1" to orders
      And the end of A is held back
      And A has aborted
      When A commits
      Then it is refused
      And A is ABORTING

    Scenario: [2] An abort that is complete, and a commit
      Given A has written "a1" to orders
      And A has aborted
      When A commits
      Then it is refused
      And readers of orders see nothing

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

  @PIP31-74 @MUST
  Rule: Of two opposite ends at the same time exactly one wins, and every participant follows it.

    Scenario: [1] The commit is sent first
      Given A has written "a1" to orders
      And A has written "a2" to payments
      When A commits and aborts at once, on two connections
      Then exactly one of the two has succeeded
      And readers of orders see "a1" just if that was the commit
      And readers of payments see "a2" just if that was the commit

    Scenario: [2] The abort is sent first
      Given A has written "a1" to orders
      And A has written "a2" to payments
      When A aborts and commits at once, on two connections
      Then exactly one of the two has succeeded
      And readers of orders see "a1" just if that was the commit
      And readers of payments see "a2" just if that was the commit

    Scenario: [3] What was acknowledged follows as well
      Given the topic "inputs" with "i1", "i2"
      And subscription "workers" has been given "i1", "i2" of inputs
      And A has acknowledged "i1" for "workers"
      When A commits and aborts at once, on two connections
      Then exactly one of the two has succeeded
      And "i1" is left for subscription "workers" just if that was the abort
