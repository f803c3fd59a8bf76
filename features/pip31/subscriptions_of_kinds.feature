Feature: Kinds of subscriptions
  Consumers share a subscription in four ways, and what they acknowledge in a transaction is pending in all of them.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And transaction A

  @PIP31-93 @MUST @commits @aborts
  Rule: On every kind of subscription, what is acknowledged in a transaction is withheld until its end, and then taken away or given back.
    A broker that knows transactions on shared subscriptions alone would process the input of all others twice, or never.

    Scenario Outline: [1] An open transaction, and redelivery of all
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When the consumer of "workers" asks for redelivery
      Then the consumer of "workers" receives "i2", "i3" and nothing else

      Examples:
        | kind       | why                                    |
        | exclusive  | redelivery reads anew from the cursor  |
        | failover   | the same of the active consumer        |
        | key-shared | redelivery is sorted by key            |

    Scenario Outline: [2] A commit
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2", "i3" left

      Examples:
        | kind       | why                                    |
        | exclusive  | the next consumer reads from the cursor |
        | failover   | the same of the next active consumer   |
        | key-shared | the same of the next consumer          |

    Scenario Outline: [3] An abort
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

      Examples:
        | kind       | why                                    |
        | exclusive  | the next consumer reads from the cursor |
        | failover   | the same of the next active consumer   |
        | key-shared | the same of the next consumer          |
