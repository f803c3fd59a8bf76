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

    Scenario Outline: [5] A transaction aborts after its consumer has left and another one is attached
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

    Scenario Outline: [6] A transaction commits after its consumer has left and another one is attached
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

    Scenario Outline: [7] One of two transactions with acknowledgements aborts
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And "i3" has been acknowledged for "workers" without a transaction
      And transaction B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B aborts
      Then the consumer of "workers" receives "i2" and nothing else

      Examples:
        | kind       | why                                             |
        | exclusive  | redelivery reads again from the cursor          |
        | failover   | the same for the active consumer                |
        | key-shared | only what was aborted is redelivered            |

    Scenario Outline: [8] One of two transactions with acknowledgements commits after the other has aborted
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And transaction B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And B has aborted
      When A commits
      Then subscription "workers" has "i2", "i3" left

      Examples:
        | kind       | why                                             |
        | exclusive  | redelivery reads again from the cursor          |
        | failover   | the same for the active consumer                |
        | key-shared | only what was aborted is redelivered            |

    Scenario Outline: [9] A cumulative acknowledgement aborts while another transaction has acknowledged a later message
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And transaction B
      And A has acknowledged "i3" for "workers"
      And B has acknowledged everything up to "i2" for "workers"
      And B has aborted
      When the consumer of "workers" asks for redelivery
      Then the consumer of "workers" receives "i1", "i2" and nothing else

      Examples:
        | kind       | why                                             |
        | exclusive  | redelivery reads again from the cursor          |
        | failover   | the same for the active consumer                |

    Scenario Outline: [10] The consumer that has received a message leaves after another one has acknowledged it
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And the consumer of <kind> subscription "others" has received nothing from inputs, by the name of "workers"
      And A has acknowledged "i1" for "others"
      When the consumer of "workers" leaves
      Then the consumer of "others" receives "i2", "i3" and nothing else

      Examples:
        | kind       | why                                              |
        | shared     | the others receive what the one that left had    |
        | key-shared | the keys of the one that left pass to the others |

    Scenario: [11] The consumer that has received a message requests redelivery after another one has acknowledged it
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And the consumer of shared subscription "others" has received nothing from inputs, by the name of "workers"
      And A has acknowledged "i1" for "others"
      When the consumer of "workers" asks for redelivery
      Then "workers" and "others" receive "i2", "i3" between them

    Scenario Outline: [12] A transaction commits a message that another consumer has received, and that one leaves
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And the consumer of <kind> subscription "others" has received nothing from inputs, by the name of "workers"
      And A has acknowledged "i1" for "others"
      And A has committed
      When the consumer of "workers" leaves
      Then the consumer of "others" receives "i2", "i3" and nothing else

      Examples:
        | kind       | why                                              |
        | shared     | the others receive what the one that left had    |
        | key-shared | the keys of the one that left pass to the others |

    Scenario Outline: [13] A transaction aborts a message whose consumer has left
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And the consumer of <kind> subscription "others" has received nothing from inputs, by the name of "workers"
      And A has acknowledged "i1" for "others"
      And the consumer of "workers" has left
      When A aborts
      Then the consumer of "others" receives "i1", "i2", "i3" and nothing else

      Examples:
        | kind       | why                                              |
        | shared     | an abort gives the message to who is there       |
        | key-shared | the same for the consumer that has the key now   |

    Scenario Outline: [14] The consumer seeks backwards after the commit of an acknowledgement
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And A has committed
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "i1", "i2", "i3" and nothing else

      Examples:
        | kind       | why                                            |
        | shared     | what is deleted is received again, not pending |
        | exclusive  | the same for the only consumer                 |
        | failover   | the same for the active consumer               |
        | key-shared | the same for the consumer of the key           |

    Scenario: [15] Two consumers acknowledge what each has received in one transaction, which aborts
      Given the consumer of shared subscription "workers" has received "i1" from inputs, with 1 permits
      And the consumer of shared subscription "others" has received "i2", "i3" from inputs, by the name of "workers"
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i2" for "others"
      When A aborts
      Then "workers" and "others" receive "i1", "i2" between them

    Scenario: [16] Two consumers acknowledge what each has received in one transaction, which commits, and one leaves
      Given the consumer of shared subscription "workers" has received "i1" from inputs, with 1 permits
      And the consumer of shared subscription "others" has received "i2", "i3" from inputs, by the name of "workers"
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i2" for "others"
      And A has committed
      When the consumer of "workers" leaves
      Then the consumer of "others" receives nothing

    Scenario Outline: [17] A consumer that is attached receives nothing of what one that has left had acknowledged when the transaction commits
      Given the consumer of <kind> subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And the consumer of <kind> subscription "others" has received nothing from inputs, by the name of "workers"
      And the consumer of "workers" has left
      When A commits
      Then the consumer of "others" receives "i2", "i3" and nothing else

      Examples:
        | kind       | why                                                  |
        | shared     | what is to be redelivered is kept in a list          |
        | failover   | the next active consumer reads from the cursor       |
        | key-shared | what is to be redelivered is kept in a list for each key |
