Feature: Acknowledging in a metadata-driven transaction
  An acknowledgement in a transaction is pending until the transaction ends: the store has a record of each position, or of the last one.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
    And transactions A and B

  @PIP471-28 @MUST @commits
  Rule: A commit deletes what the transaction has acknowledged from the subscription, also after a reload of the subscription.
    Input that is redelivered after the commit is processed twice.

    Scenario: [1] A commit of one of three messages
      Given A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2", "i3" left

    Scenario: [2] The segment is reloaded after the commit
      Given A has acknowledged "i1" for "workers"
      And A has committed
      And inputs has been unloaded
      When B acknowledges "i2" for "workers"
      Then subscription "workers" has "i3" left

    @needs:crash
    Scenario: [3] The system crashes right after the commit
      Given A has acknowledged "i1" for "workers"
      And A has committed
      When the system crashes and restarts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [4] A commit of a cumulative acknowledgement
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then subscription "auditors" has "i3" left

    @needs:batch-index-acknowledgement
    Scenario: [5] A commit of one message of a batch
      Given a batch of "b1", "b2" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2" from inputs
      And A has acknowledged "b1" for "packers"
      When A commits
      Then subscription "packers" has "i1", "i2", "i3", "b2" left

    @needs:store-faults
    Scenario: [6] The store does not answer the deletion of the record, and the segment is reloaded
      Given A has acknowledged "i1" for "workers"
      And the store does not answer the next write of an operation record, and has written it
      And A has committed
      And inputs has been unloaded
      When B acknowledges "i2" for "workers"
      Then subscription "workers" has "i3" left

    @needs:more-brokers @needs:short-retention @needs:crash
    Scenario: [7] The segment has moved to another broker since the acknowledgement
      Given A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And "i2" has been acknowledged for "workers" without a transaction
      And A has committed
      And the retention of A has passed
      When the system crashes and restarts
      Then subscription "workers" has "i3" left

    @needs:more-brokers @needs:store-faults @needs:short-retention
    Scenario: [8] The segment has moved, and the first notification of the commit is lost
      Given A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And "i2" has been acknowledged for "workers" without a transaction
      And A has committed, and the first notification of it is lost
      And the retention of A has passed
      When the system crashes and restarts
      Then subscription "workers" has "i3" left

    Scenario Outline: [9] The consumer seeks backwards after the commit of an acknowledgement
      Given the consumer of <kind> subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "auditors"
      When A commits
      Then the consumer of "auditors" receives "i1", "i2", "i3" after it has gone back to "i1"

      Examples:
        | kind       | why                                            |
        | shared     | what is deleted is received again, not pending |
        | exclusive  | the same for the only consumer                 |
        | failover   | the same for the active consumer               |
        | key-shared | the same for the consumer of the key           |

    Scenario: [10] The consumer seeks backwards after the commit of a cumulative acknowledgement
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then the consumer of "auditors" receives "i1", "i2", "i3" after it has gone back to "i1"

    Scenario Outline: [11] The consumer of one of two subscriptions seeks backwards after the commit of acknowledgements on both
      Given the consumer of shared subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i1" for "others"
      When A commits
      Then the consumer of <subscription> receives "i1", "i2", "i3" after it has gone back to "i1"

      Examples:
        | subscription | why                                      |
        | "workers"    | the first subscription of the segment    |
        | "others"     | the second subscription of the segment   |

    Scenario: [12] A transaction commits a message that another consumer has received, and that one leaves
      Given the consumer of shared subscription "others" has received nothing from inputs, by the name of "workers"
      And A has acknowledged "i2" for "others"
      And A has committed
      When the consumer of "workers" leaves
      Then the consumer of "others" receives "i1", "i3" and nothing else

    Scenario: [13] A commit of a cumulative acknowledgement below a message that was deleted meanwhile
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i1" for "auditors"
      And "i3" has been acknowledged for "auditors" without a transaction
      When A commits
      Then subscription "auditors" has "i2" left

  @PIP471-29 @MUST @aborts
  Rule: An abort redelivers what the transaction has acknowledged.
    The input of an aborted transaction would never be processed.

    Scenario: [1] An abort of one of three messages
      Given A has acknowledged "i1" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [2] An abort of a cumulative acknowledgement
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [3] An abort of the older of two transactions returns only its own message
      Given A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i3" left

    Scenario: [4] A timeout of a transaction with an acknowledgement
      Given transaction C with a short timeout
      And C has acknowledged "i1" for "workers"
      When C is left open past its timeout
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [5] An abort of the younger of two transactions returns only its own message
      Given A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B aborts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [6] A classic transaction with the same number and the same subscription has committed
      Given A and K are transactions with the same number, the second one classic
      And A has acknowledged "i1" for "workers"
      And K has added "workers"
      And K has committed
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    @needs:store-faults
    Scenario: [7] The abort happens between the check of the header and the acknowledgement
      Given A has added "workers"
      And A has aborted
      And the next look at a header sees it as it was before its last change
      When A acknowledges "i1" for "workers"
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [8] The connected consumer receives the message again
      Given A has acknowledged "i1" for "workers"
      When A aborts
      Then the consumer of "workers" receives "i1" before any other write

    Scenario: [9] An abort of a cumulative acknowledgement over a message that was deleted before
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And "i2" has been acknowledged for "auditors" without a transaction
      And A has acknowledged everything up to "i3" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i3" left

    @needs:virtual-time
    Scenario Outline: [10] The consumer requests redelivery after the abort of the younger of two transactions
      Given the consumer of <kind> subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "auditors"
      And B has acknowledged "i2" for "auditors"
      And B has aborted
      When the consumer of "auditors" asks for redelivery
      Then the consumer of "auditors" receives "i2", "i3" and nothing else

      Examples:
        | kind       | why                                    |
        | exclusive  | redelivery reads again from the cursor |
        | failover   | the same for the active consumer       |
        | key-shared | redelivery is sorted by key            |

    Scenario: [11] The consumer that has received a message leaves after another one has acknowledged it
      Given the consumer of shared subscription "others" has received nothing from inputs, by the name of "workers"
      And A has acknowledged "i1" for "others"
      When the consumer of "workers" leaves
      Then the consumer of "others" receives "i2", "i3" and nothing else

    Scenario Outline: [12] A transaction aborts after its consumer has left and another one is attached
      Given the consumer of <kind> subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "auditors"
      And the consumer of <kind> subscription "others" has received nothing from inputs, by the name of "auditors"
      And the consumer of "auditors" has left
      When A aborts
      Then the consumer of "others" receives "i1", "i2", "i3" and nothing else

      Examples:
        | kind       | why                                            |
        | shared     | an abort gives the message to who is there     |
        | failover   | the same for the active consumer               |
        | key-shared | the same for the consumer that has the key now |

    Scenario: [13] Two consumers acknowledge what each has received in one transaction, which aborts
      Given the consumer of shared subscription "auditors" has received "i1" from inputs, with 1 permits
      And the consumer of shared subscription "others" has received "i2", "i3" from inputs, by the name of "auditors"
      And A has acknowledged "i1" for "auditors"
      And A has acknowledged "i2" for "others"
      When A aborts
      Then "auditors" and "others" receive "i1", "i2" between them

    Scenario: [14] Of two transactions with the same number at two coordinators one aborts, and the other commits
      Given C and D are transactions with the same number at two coordinators
      And C has acknowledged "i1" for "workers"
      And D has acknowledged "i2" for "workers"
      And C has aborted
      When D commits
      Then subscription "workers" has "i1", "i3" left

  @PIP471-63 @MUST @commits @aborts
  Rule: The end of a transaction changes only the subscriptions on which the transaction has acknowledged.
    Each subscription reads the whole stream independently of the others.

    Scenario: [1] A commit leaves a second subscription without acknowledgements as it is
      Given the consumer of shared subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "auditors" has "i1", "i2", "i3" left
      And subscription "workers" has "i2", "i3" left

    Scenario: [2] A commit and an abort end transactions on two subscriptions
      Given the consumer of shared subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "auditors"
      And A has aborted
      When B commits
      Then subscription "auditors" has "i1", "i3" left
      And subscription "workers" has "i1", "i2", "i3" left

    Scenario: [3] A commit leaves a second subscription as it is after a reload of the segment
      Given the consumer of shared subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      When A commits
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [4] A reload leaves a subscription whose name is a prefix of another one's as it is
      Given the consumer of shared subscription "work" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      When another consumer takes over "work"
      Then the consumer of "work" receives "i1", "i2", "i3" and nothing else

    Scenario: [5] A subscription is recreated under the name of one that was removed with a pending acknowledgement
      Given A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      And another consumer has taken over "workers"
      When A commits
      Then the consumer of "workers" receives "i1", "i2", "i3" and nothing else
      And subscription "workers" has "i1", "i2", "i3" left

    Scenario: [6] A reload of a segment leaves the namesake of a subscription on a topic of the same name in another namespace as it is
      Given the topic "payments" in another namespace, by the name of inputs
      And "o1" has been written to payments
      And the consumer of exclusive subscription "auditors" has received "o1" from payments, by the name of "workers"
      And B has acknowledged everything up to "o1" for "auditors"
      And inputs has been unloaded
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i1", "i2", "i3" and nothing else

  @PIP471-68 @SHOULD @fencing
  Rule: A broker refuses an acknowledgement in a transaction that has ended.
    After a commit it would delete input without any committed output; if it stayed pending, it would withhold the input from every
    consumer for ever.

    Scenario: [1] An acknowledgement arrives after the commit
      Given A has acknowledged "i1" for "workers"
      And A has committed
      When A acknowledges "i2" for "workers"
      Then it is refused
      And subscription "workers" has "i2", "i3" left

    Scenario: [2] An acknowledgement arrives after the abort
      Given A has acknowledged "i1" for "workers"
      And A has aborted
      When A acknowledges "i2" for "workers"
      Then it is refused
      And subscription "workers" has "i1", "i2", "i3" left

    Scenario: [3] An acknowledgement arrives after the timeout
      Given transaction C with a short timeout
      And C has acknowledged "i1" for "workers"
      And C has been left open past its timeout
      When C acknowledges "i2" for "workers"
      Then it is refused

    Scenario: [4] An acknowledgement arrives after the commit on a subscription that is new to the transaction
      Given A has committed
      When A acknowledges "i1" for "workers"
      Then it is refused
      And subscription "workers" has "i1", "i2", "i3" left

    Scenario: [5] A cumulative acknowledgement arrives after the commit
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i1" for "auditors"
      And A has committed
      When A acknowledges everything up to "i3" for "auditors"
      Then it is refused
      And subscription "auditors" has "i2", "i3" left

    Scenario: [6] An acknowledgement arrives after the commit and a reload of the segment
      Given A has acknowledged "i1" for "workers"
      And A has committed
      And inputs has been unloaded
      When A acknowledges "i2" for "workers"
      Then it is refused
      And subscription "workers" has "i2", "i3" left

    Scenario: [7] The segment is reloaded after an acknowledgement that came after the commit
      Given A has acknowledged "i1" for "workers"
      And A has committed
      And A has tried to acknowledge "i2" for "workers"
      And inputs has been unloaded
      When "i4" is written to inputs
      Then subscription "workers" has "i2", "i3", "i4" left
