Feature: Sequence ids in transactions
  A message that a producer repeats is stored once. Repetitions are recognised within one transaction, which stands for the producer
  there.

  Background:
    Given the deduplicated topic "orders"

  @PIP31-90 @MUST
  Rule: A topic accepts a sequence id in one transaction that the same producer has used in another.
    All messages of a producer that restarts after an abort would be acknowledged as duplicates, and never become visible.

    Scenario: [1] Two transactions with the same sequence id commit
      Given transactions A and B
      And producer P has written "a1" to orders in A
      And producer P has written "b1" to orders in B, with the same sequence id
      And A has committed
      When B commits
      Then readers of orders see "a1", "b1"

    Scenario: [2] A transaction with the sequence id of an aborted one commits
      Given transactions A and B
      And producer P has written "a1" to orders in A
      And A has aborted
      And producer P has written "b1" to orders in B, with the same sequence id
      When B commits
      Then readers of orders see "b1"

    Scenario: [3] A transaction with the sequence id of an aborted one commits after the topic was unloaded
      Given transactions A and B
      And producer P has written "a1" to orders in A
      And A has aborted
      And orders has been unloaded
      And producer P has written "b1" to orders in B, with the same sequence id
      When B commits
      Then readers of orders see "b1"

    @needs:more-coordinators
    Scenario: [4] Two transactions with the same number at two coordinators use the same sequence id
      Given A and B are transactions with the same number at two coordinators
      And producer P has written "a1" to orders in A
      And producer P has written "b1" to orders in B, with the same sequence id
      And A has committed
      When B commits
      Then readers of orders see "a1", "b1"
