Feature: Compaction
  A compacted topic has the last message of each key. A message that is not yet readable does not count, and an aborted one never does.

  Background:
    Given the keyed topic "orders"
    And transactions A and B
    And "plain" has been written to orders

  @PIP31-97 @MUST @aborts @retention
  Rule: Compaction removes no message because of an undecided or aborted message with the same key.
    The last committed state of a key would be removed because of a withdrawn one, and could not be restored.

    Scenario: [1] A topic is compacted after an abort of a message of the same key
      Given A has written "a1" to orders
      And A has aborted
      When orders is compacted
      Then readers of compacted orders see "plain" last

    Scenario: [2] A topic is compacted while a transaction with a message of the same key is open
      Given A has written "a1" to orders
      When orders is compacted
      Then readers of compacted orders see "plain" last

    Scenario: [3] A transaction aborts after the compaction
      Given A has written "a1" to orders
      And orders has been compacted
      When A aborts
      Then readers of compacted orders see "plain" last

    Scenario: [4] A transaction commits after the compaction
      Given A has written "a1" to orders
      And orders has been compacted
      When A commits
      Then readers of compacted orders see "a1" last

    Scenario: [5] A topic is compacted after one of two transactions was committed
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And A has committed
      And B has aborted
      When orders is compacted
      Then readers of compacted orders see "a1" last

  @PIP31-149 @SHOULD @retention
  Rule: After compaction, compacted reads return the last message of each key, and all other reads return every message.
    A service that rebuilds its state would read years of history, or an auditor would miss a part of it.

    Scenario: [1] A compacted read does not return a superseded message
      Given A has committed "a1" to orders
      When orders is compacted
      Then readers of compacted orders see "a1"

    Scenario: [2] A read of the whole topic returns a superseded message
      Given A has committed "a1" to orders
      When orders is compacted
      Then readers of orders see "plain", "a1"

    Scenario: [3] A subscription to the whole topic receives a superseded message after a reload
      Given A has committed "a1" to orders
      And the consumer of shared subscription "workers" has received "plain", "a1" from orders
      And orders has been compacted
      And orders has been unloaded
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "plain", "a1" and nothing else

    Scenario: [4] A compacted read returns the last of two transactions
      Given A has written "a1" to orders
      And A has committed
      And B has written "b1" to orders
      And B has committed
      When orders is compacted
      Then readers of compacted orders see "b1"

  @PIP31-156 @MUST @retention
  Rule: Compaction removes no committed message unless a later message with its key supersedes it.
    If a transaction sets the state of two keys and one of them is set again, the last state of the other would be removed with it.

    Scenario: [1] A plain message supersedes one of two keys of a transaction
      Given the letter-keyed topic "payments"
      And A has written "x1", "y1" to payments
      And A has committed
      And "x2" has been written to payments
      When payments is compacted
      Then readers of compacted payments see "y1", "x2" last

    Scenario: [2] Another transaction supersedes one of two keys of a transaction
      Given the letter-keyed topic "payments"
      And A has written "x1", "y1" to payments
      And A has committed
      And B has committed "x2" to payments
      When payments is compacted
      Then readers of compacted payments see "y1", "x2" last
