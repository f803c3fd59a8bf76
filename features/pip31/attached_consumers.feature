Feature: Consumers that stay attached
  A consumer that is attached before a transaction begins receives of it what a new subscription receives: its broker serves it from
  memory, and must check there, too, how the transaction ended.

  Background:
    Given the topic "orders" with "before"
    And transactions A and B

  @PIP31-80 @MUST @commits
  Rule: The only consumer of a subscription that stays attached receives no message of a transaction before the commit, and all of them after it.
    A service that never detaches would act on an order that is withdrawn later, or would wait for ever for one that was committed.

    Scenario Outline: [1] An attached consumer receives nothing of an open transaction
      Given the consumer of <kind> subscription "watchers" has received "before" from orders
      When A writes "a1" to orders
      Then the consumer of "watchers" receives nothing

      Examples:
        | kind       | why                                       |
        | shared     | messages go to any consumer with permits  |
        | exclusive  | one consumer reads from the cursor        |
        | failover   | the active consumer does                  |
        | key-shared | messages are sorted by key before they go |

    Scenario Outline: [2] An attached consumer receives the messages of a committed transaction
      Given the consumer of <kind> subscription "watchers" has received "before" from orders
      And A has written "a1", "a2" to orders
      When A commits
      Then the consumer of "watchers" receives "a1", "a2" and nothing else

      Examples:
        | kind       | why                                       |
        | shared     | the end has to wake up waiting consumers  |
        | exclusive  | its reads continue where they had stopped |
        | failover   | the same for the active consumer          |
        | key-shared | the same for each key                     |

    Scenario: [3] An attached consumer receives the committed one of two transactions
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And A has written "a1" to orders
      And "plain" has been written to orders
      And B has written "b1" to orders
      When A commits
      Then the consumer of "watchers" receives "a1", "plain" and nothing else

    Scenario: [4] An attached consumer receives the messages when nothing is written after the commit
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And A has written "a1" to orders
      When A commits
      Then the consumer of "watchers" receives "a1" before any other write

    Scenario: [5] An attached consumer receives the messages after two unloads of the topic
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And orders has been unloaded
      And A has written "a1" to orders
      And orders has been unloaded
      When A commits
      Then the consumer of "watchers" receives "before", "a1" before any other write

    Scenario: [6] An attached reader receives the messages when nothing is written after the commit
      Given a reader "tail" has begun behind all that is in orders
      And A has written "a1" to orders
      When A commits
      Then the consumer of "tail" receives "a1" before any other write

    Scenario: [7] Consumers of two subscriptions receive the messages when nothing is written after the commit
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And the consumer of shared subscription "others" has received "before" from orders
      And A has written "a1" to orders
      When A commits
      Then the consumer of "watchers" receives "a1" before any other write
      And the consumer of "others" receives "a1" before any other write

    Scenario: [8] An attached consumer has acknowledged everything else before the commit
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And A has written "a1" to orders
      And "before" has been acknowledged for "watchers" without a transaction
      When A commits
      Then the consumer of "watchers" receives "a1" before any other write
      And subscription "watchers" has "a1" left

  @PIP31-81 @MUST @aborts
  Rule: A consumer that stays attached receives no message of an aborted transaction, and every message after it.
    A service would act on an order that was withdrawn, or receive nothing after it.

    Scenario Outline: [1] An attached consumer receives a plain message after an abort
      Given the consumer of <kind> subscription "watchers" has received "before" from orders
      And A has written "a1" to orders
      And A has aborted
      When "plain" is written to orders
      Then the consumer of "watchers" receives "plain" and nothing else

      Examples:
        | kind       | why                                           |
        | shared     | an abort has to wake up waiting consumers     |
        | exclusive  | its reads continue after the aborted messages |
        | failover   | the same for the active consumer              |
        | key-shared | the same for each key                         |

    Scenario: [2] An attached consumer receives the other transaction when one is aborted
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And A has written "a1" to orders
      And B has written "b1" to orders
      And A has aborted
      When B commits
      Then the consumer of "watchers" receives "b1" and nothing else

    Scenario: [3] An attached consumer requests redelivery after an abort
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And A has written a batch of "a1", "a2" to orders
      And A has aborted
      When the consumer of "watchers" asks for redelivery
      Then the consumer of "watchers" receives "before" and nothing else

    Scenario: [4] An attached consumer receives a plain message from before the abort when nothing is written after it
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And A has written "a1" to orders
      And "plain" has been written to orders
      When A aborts
      Then the consumer of "watchers" receives "plain" before any other write

    Scenario: [5] An attached consumer receives a plain message from before a timeout when nothing is written after it
      Given the consumer of shared subscription "watchers" has received "before" from orders
      And transaction C with a short timeout
      And C has written "c1" to orders
      And "plain" has been written to orders
      When C is left open past its timeout
      Then the consumer of "watchers" receives "plain" before any other write

    Scenario: [6] An attached reader receives a plain message from before the abort when nothing is written after it
      Given a reader "tail" has begun behind all that is in orders
      And A has written "a1" to orders
      And "plain" has been written to orders
      When A aborts
      Then the consumer of "tail" receives "plain" before any other write
