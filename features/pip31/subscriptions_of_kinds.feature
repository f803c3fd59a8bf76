Feature: Subscription types
  A subscription has one of four types, and acknowledgements in a transaction are pending on all of them.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And transaction A

  @PIP31-93 @MUST @commits @aborts
  Rule: Every subscription type withholds messages acknowledged in a transaction until its end, then deletes them at a commit or redelivers them at an abort.
    A broker that supports transactions on shared subscriptions only would process the input of all others twice, or never.

    Scenario Outline: [1] A consumer requests redelivery of everything while a transaction is open
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When the consumer of "workers" asks for redelivery
      Then the consumer of "workers" receives "i2", "i3" and nothing else

      Examples:
        | kind       | why                                    |
        | exclusive  | redelivery reads again from the cursor |
        | failover   | the same for the active consumer       |
        | key-shared | redelivery is sorted by key            |

    Scenario Outline: [2] A transaction with an acknowledgement commits
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2", "i3" left

      Examples:
        | kind       | why                                     |
        | exclusive  | the next consumer reads from the cursor |
        | failover   | the same for the next active consumer   |
        | key-shared | the same for the next consumer          |

    Scenario Outline: [3] A transaction with an acknowledgement aborts
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

      Examples:
        | kind       | why                                     |
        | exclusive  | the next consumer reads from the cursor |
        | failover   | the same for the next active consumer   |
        | key-shared | the same for the next consumer          |
