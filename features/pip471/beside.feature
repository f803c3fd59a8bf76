Feature: Both kinds of transactions on one broker
  Both kinds number their transactions from 0, and one broker serves both.

  Background:
    Given the topic "orders"
    And transaction A

  @PIP471-56 @MUST
  Rule: PIP-31 transactions on classic topics work as before on a broker that also has metadata-driven transactions.
    A request or a topic that is attributed to the other kind ends another client's transaction.

    Scenario: [1] A classic transaction commits while a metadata-driven one with the same number is open
      Given the classic topic "ledger"
      And classic transaction K
      And K has written "k1" to ledger
      And A has written "a1" to orders
      When K commits
      Then readers of ledger see "k1"
      And readers of orders see nothing

    Scenario: [2] A metadata-driven transaction commits while a classic one with the same number is open
      Given the classic topic "ledger"
      And classic transaction K
      And K has written "k1" to ledger
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"
      And readers of ledger see nothing

    Scenario: [3] A classic transaction commits to which a segment of a metadata-driven one was added
      Given the classic topic "ledger"
      And classic transaction K
      And A has written "a1" to orders
      And K has added orders
      When K commits
      Then readers of orders see nothing

    @needs:own-broker
    Scenario: [4] A client ends a transaction with a number that only a classic transaction has
      Given the classic topic "ledger"
      And classic transactions K, L and M
      And M has written "m1" to ledger
      And N is an unknown transaction with the numbers of classic M
      When N commits
      Then it is refused
      And readers of ledger see nothing

    Scenario: [5] A classic transaction aborts to which a subscription of a metadata-driven one was added
      Given the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A and K are transactions with the same number, the second one classic
      And A has acknowledged "i1" for "workers"
      And K has added "workers"
      When K aborts
      Then subscription "workers" has nothing left

    Scenario Outline: [6] A metadata-driven transaction commits after a classic one with the same number has <ended>
      Given the classic topic "ledger"
      And A and K are transactions with the same number, the second one classic
      And A has written "a1" to orders
      And K has written "k1" to ledger
      And K has <ended>
      When A commits
      Then readers of orders see "a1"

      Examples:
        | ended     | why                                             |
        | aborted   | an abort of one kind hides nothing of the other |
        | committed | an end of one kind ends nothing of the other    |

    Scenario Outline: [7] A classic transaction commits after a metadata-driven one with the same number has <ended>
      Given the classic topic "ledger"
      And A and K are transactions with the same number, the second one classic
      And A has written "a1" to orders
      And K has written "k1" to ledger
      And A has <ended>
      When K commits
      Then readers of ledger see "k1"

      Examples:
        | ended     | why                                             |
        | aborted   | an abort of one kind hides nothing of the other |
        | committed | an end of one kind ends nothing of the other    |

    Scenario: [8] A classic transaction with the number of a committed metadata-driven one aborts
      Given the classic topic "ledger"
      And A and K are transactions with the same number, the second one classic
      And A has committed "a1" to orders
      And K has written "k1" to ledger
      And K has aborted
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

    Scenario: [9] A metadata-driven transaction with the number of a committed classic one aborts
      Given the classic topic "ledger"
      And A and K are transactions with the same number, the second one classic
      And K has committed "k1" to ledger
      And A has written "a1" to orders
      And A has aborted
      When "p1" is written to ledger
      Then readers of ledger see "k1", "p1"

  @PIP471-57 @MUST
  Rule: A broker refuses a message of a metadata-driven transaction on a classic topic, or accepts it without blocking any reader.
    A message that waits for an end of which the topic is never notified stops the topic for all its consumers.

    Scenario: [1] A metadata-driven transaction writes to a classic topic
      Given the classic topic "ledger"
      And A has tried to write "a1" to ledger, which it has not added
      And A has committed
      When "p1" is written to ledger
      Then readers of ledger get as far as "p1"
