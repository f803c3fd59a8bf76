Feature: Both kinds of transactions beside each other
  Both kinds number their transactions from 0, and one broker has both.

  Background:
    Given the topic "orders"
    And transaction A

  @PIP471-56 @MUST
  Rule: Transactions of PIP-31 on other topics work as before, beside.
    A request or a topic that is taken for the other kind ends somebody else's transaction.

    Scenario: [1] The same number in both kinds: one commits, the other stays open
      Given the classic topic "ledger"
      And classic transaction K
      And K has written "k1" to ledger
      And A has written "a1" to orders
      When K commits
      Then readers of ledger see "k1"
      And readers of orders see nothing

    Scenario: [2] The other way round
      Given the classic topic "ledger"
      And classic transaction K
      And K has written "k1" to ledger
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"
      And readers of ledger see nothing

    Scenario: [3] A classic transaction to which the segment of another one was added
      Given the classic topic "ledger"
      And classic transaction K
      And A has written "a1" to orders
      And K has added orders
      When K commits
      Then readers of orders see nothing

    @needs:own-broker
    Scenario: [4] An end of a transaction that only the other kind has
      Given the classic topic "ledger"
      And classic transactions K, L and M
      And M has written "m1" to ledger
      And N has the numbers of classic M
      When N commits
      Then it is refused
      And readers of ledger see nothing

    Scenario: [5] A classic transaction to which the subscription of another one was added
      Given the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A and classic K are transactions with the same number
      And A has acknowledged "i1" for "workers"
      And K has added "workers"
      When K aborts
      Then subscription "workers" has nothing left

  @PIP471-57 @MUST
  Rule: A message of a transaction of this kind on a topic of the other kind is refused, or at least holds up nobody.
    A message that waits for an end which nobody tells stops its topic for everybody.

    Scenario: [1] A message on a classic topic
      Given the classic topic "ledger"
      And A has tried to write "a1" to ledger, which it has not added
      And A has committed
      When "p1" is written to ledger
      Then readers of ledger get as far as "p1"
