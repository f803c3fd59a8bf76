Feature: Compaction
  Of each key, a compacted topic has the last message. What nobody may read is no message yet, and what is aborted never will be.

  Background:
    Given the keyed topic "orders"
    And transactions A and B
    And "plain" has been written to orders

  @PIP31-97 @MUST @aborts
  Rule: What is undecided or aborted supersedes no message when a topic is compacted.
    The last committed state of a key would be thrown away for one that is withdrawn, and nobody could bring it back.

    Scenario: [1] An aborted message of the same key
      Given A has written "a1" to orders
      And A has aborted
      When orders is compacted
      Then who reads orders compacted sees "plain" last

    Scenario: [2] An open transaction with a message of the same key
      Given A has written "a1" to orders
      When orders is compacted
      Then who reads orders compacted sees "plain" last

    Scenario: [3] An abort after the compaction
      Given A has written "a1" to orders
      And orders has been compacted
      When A aborts
      Then who reads orders compacted sees "plain" last

    Scenario: [4] A commit after the compaction
      Given A has written "a1" to orders
      And orders has been compacted
      When A commits
      Then who reads orders compacted sees "a1" last

    Scenario: [5] Two transactions, of which one was committed
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And A has committed
      And B has aborted
      When orders is compacted
      Then who reads orders compacted sees "a1" last

  @PIP31-149 @SHOULD
  Rule: Compaction leaves the last message of each key to who asks for that, and every message to all others.
    A service that rebuilds its state would read years of it, or an auditor would miss what was there.

    Scenario: [1] A message that is superseded
      Given A has committed "a1" to orders
      When orders is compacted
      Then who reads orders compacted sees "a1" and nothing else

    Scenario: [2] Readers of the whole topic
      Given A has committed "a1" to orders
      When orders is compacted
      Then readers of orders see "plain", "a1"

    Scenario: [3] A subscription of the whole topic, when that is loaded anew
      Given A has committed "a1" to orders
      And the consumer of shared subscription "workers" has received "plain", "a1" from orders
      And orders has been compacted
      And orders has been unloaded
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "plain", "a1" and nothing else

    Scenario: [4] Two transactions behind one another
      Given A has written "a1" to orders
      And A has committed
      And B has written "b1" to orders
      And B has committed
      When orders is compacted
      Then who reads orders compacted sees "b1" and nothing else

  @PIP31-156 @MUST
  Rule: Compaction takes away no committed message that no later one of its key has superseded.
    A transaction sets the state of two keys; when one of them is set again, the other one's last state would be thrown away with it.

    Scenario: [1] A transaction of two keys, one of which is set again
      Given the letter-keyed topic "payments"
      And A has written "x1", "y1" to payments
      And A has committed
      And "x2" has been written to payments
      When payments is compacted
      Then who reads payments compacted sees "y1", "x2" last

    Scenario: [2] Another transaction sets one of them again
      Given the letter-keyed topic "payments"
      And A has written "x1", "y1" to payments
      And A has committed
      And B has committed "x2" to payments
      When payments is compacted
      Then who reads payments compacted sees "y1", "x2" last
