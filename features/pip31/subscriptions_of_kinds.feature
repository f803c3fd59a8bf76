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

    Scenario Outline: [4] The consumer that acknowledged leaves while another one is attached
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And the consumer of <kind> subscription "others" has received nothing from inputs, by the name of "workers"
      When the consumer of "workers" leaves
      Then the consumer of "others" receives "i2", "i3" and nothing else

      Examples:
        | kind       | why                                             |
        | shared     | the others receive what the one that left had   |
        | failover   | the next active consumer reads from the cursor  |
        | key-shared | the keys of the one that left pass to the others |

    Scenario Outline: [5] A transaction aborts whose consumer has left while another one is attached
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And the consumer of <kind> subscription "others" has received nothing from inputs, by the name of "workers"
      And the consumer of "workers" has left
      When A aborts
      Then the consumer of "others" receives "i1", "i2", "i3" and nothing else

      Examples:
        | kind       | why                                             |
        | shared     | an abort gives the message to who is there      |
        | failover   | the same for the active consumer                |
        | key-shared | the same for the consumer that has the key now  |

    Scenario Outline: [6] A transaction commits whose consumer has left while another one is attached
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And the consumer of <kind> subscription "others" has received nothing from inputs, by the name of "workers"
      And the consumer of "workers" has left
      When A commits
      Then subscription "others" has "i2", "i3" left

      Examples:
        | kind       | why                                             |
        | shared     | a commit deletes what no consumer has            |
        | failover   | the next active consumer reads from the cursor  |
        | key-shared | a commit deletes what no consumer has            |
