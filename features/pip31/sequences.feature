Feature: Sequence ids in transactions
  What a producer repeats is stored once. What is repeated is told within one transaction, which stands for the producer there.

  Background:
    Given the deduplicated topic "orders"

  @PIP31-90 @MUST
  Rule: A sequence id that was used in one transaction is free in another.
    A producer that begins anew after an abort would be told that its message is stored, and nobody would ever see it.

    Scenario: [1] Both transactions commit
      Given transactions A and B
      And producer P has written "a1" to orders in A
      And producer P has written "b1" to orders in B, with the same sequence id
      And A has committed
      When B commits
      Then readers of orders see "a1", "b1"

    Scenario: [2] The first transaction was aborted
      Given transactions A and B
      And producer P has written "a1" to orders in A
      And A has aborted
      And producer P has written "b1" to orders in B, with the same sequence id
      When B commits
      Then readers of orders see "b1"

    Scenario: [3] The topic is unloaded in between
      Given transactions A and B
      And producer P has written "a1" to orders in A
      And A has aborted
      And orders has been unloaded
      And producer P has written "b1" to orders in B, with the same sequence id
      When B commits
      Then readers of orders see "b1"

    @needs:more-coordinators
    Scenario: [4] The transactions have one number at two coordinators
      Given A and B are transactions with the same number at two coordinators
      And producer P has written "a1" to orders in A
      And producer P has written "b1" to orders in B, with the same sequence id
      And A has committed
      When B commits
      Then readers of orders see "a1", "b1"
