Feature: Acknowledging in a metadata-driven transaction
  What a transaction has acknowledged is pending until it ends: each position, or all up to one, is a record in the store.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
    And transactions A and B

  @PIP471-28 @MUST @commits
  Rule: A commit takes away what the transaction acknowledged, also when the subscription is loaded again.
    Input that comes again behind a commit is processed twice.

    Scenario: [1] A commit of one of three
      Given A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2", "i3" left

    Scenario: [2] The segment is loaded again
      Given A has acknowledged "i1" for "workers"
      And A has committed
      And inputs has been unloaded
      When B acknowledges "i2" for "workers"
      Then subscription "workers" has "i3" left

    @needs:crash
    Scenario: [3] A crash right behind the commit
      Given A has acknowledged "i1" for "workers"
      And A has committed
      When the system crashes and comes back
      Then subscription "workers" has "i2", "i3" left

    Scenario: [4] A commit of everything up to a message
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then subscription "auditors" has "i3" left

    @needs:batch-index-acknowledgement
    Scenario: [5] A message of a batch
      Given a batch of "b1", "b2" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2" from inputs
      And A has acknowledged "b1" for "packers"
      When A commits
      Then subscription "packers" has "i1", "i2", "i3", "b2" left

    @needs:store-faults
    Scenario: [6] The store does not answer that the record is deleted, and the segment is loaded again
      Given A has acknowledged "i1" for "workers"
      And the store does not answer the next write of an operation record, and has written it
      And A has committed
      And inputs has been unloaded
      When B acknowledges "i2" for "workers"
      Then subscription "workers" has "i3" left

    @needs:more-brokers @needs:short-retention @needs:crash
    Scenario: [7] Another broker had the segment when it was acknowledged
      Given A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And "i2" has been acknowledged for "workers" without a transaction
      And A has committed
      And the retention of A has passed
      When the system crashes and comes back
      Then subscription "workers" has "i3" left

    @needs:more-brokers @needs:store-faults @needs:short-retention
    Scenario: [8] Another broker had the segment then, and the first that would be told of the commit is not
      Given A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And "i2" has been acknowledged for "workers" without a transaction
      And A has committed, and the first to be told of it was not
      And the retention of A has passed
      When the system crashes and comes back
      Then subscription "workers" has "i3" left

  @PIP471-29 @MUST @aborts
  Rule: An abort gives back what the transaction acknowledged.
    What an aborted transaction had read would never be processed.

    Scenario: [1] An abort of one of three
      Given A has acknowledged "i1" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [2] An abort of everything up to a message
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [3] Only what was the transaction's
      Given A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i3" left

    Scenario: [4] Behind a time-out
      Given transaction C with a short time-out
      And C has acknowledged "i1" for "workers"
      When C is left open past its time-out
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [5] Only what was the younger transaction's
      Given A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B aborts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [6] A classic transaction with the same number has committed, to which the subscription was added
      Given A and classic K are transactions with the same number
      And A has acknowledged "i1" for "workers"
      And K has added "workers"
      And K has committed
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    @needs:store-faults
    Scenario: [7] The abort comes between the look at the header and the acknowledgement
      Given A has added "workers"
      And A has aborted
      And the next look at a header sees it as it was before its last change
      When A acknowledges "i1" for "workers"
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [8] The consumer that was there is given it again
      Given A has acknowledged "i1" for "workers"
      When A aborts
      Then the consumer of "workers" receives "i1" before anybody writes again

  @PIP471-63 @MUST @commits @aborts
  Rule: An end of acknowledgements on one subscription leaves the others alone.
    Each subscription is somebody's work of its own.

    Scenario: [1] A commit beside a subscription that has acknowledged nothing
      Given the consumer of shared subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "auditors" has "i1", "i2", "i3" left
      And subscription "workers" has "i2", "i3" left

    Scenario: [2] A commit and an abort on two subscriptions
      Given the consumer of shared subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "auditors"
      And A has aborted
      When B commits
      Then subscription "auditors" has "i1", "i3" left
      And subscription "workers" has "i1", "i2", "i3" left

    Scenario: [3] A commit behind a load of the segment
      Given the consumer of shared subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      When A commits
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [4] A subscription whose name is the beginning of that one's, behind a load of the segment
      Given the consumer of shared subscription "work" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      When another consumer takes over "work"
      Then the consumer of "work" receives "i1", "i2", "i3" and nothing else

    Scenario: [5] A new subscription under the name of one that was removed with something pending
      Given A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      And another consumer has taken over "workers"
      When A commits
      Then the consumer of "workers" receives "i1", "i2", "i3" and nothing else
      And subscription "workers" has "i1", "i2", "i3" left

  @PIP471-68 @SHOULD @fencing
  Rule: An acknowledgement in a transaction that has ended is refused.
    Behind a commit it would take input away whose output nobody has committed; pending, it would keep that from everybody for ever.

    Scenario: [1] A late acknowledgement behind a commit
      Given A has acknowledged "i1" for "workers"
      And A has committed
      When A acknowledges "i2" for "workers"
      Then it is refused
      And subscription "workers" has "i2", "i3" left

    Scenario: [2] A late one behind an abort
      Given A has acknowledged "i1" for "workers"
      And A has aborted
      When A acknowledges "i2" for "workers"
      Then it is refused
      And subscription "workers" has "i1", "i2", "i3" left

    Scenario: [3] A late one behind a time-out
      Given transaction C with a short time-out
      And C has acknowledged "i1" for "workers"
      And C has been left open past its time-out
      When C acknowledges "i2" for "workers"
      Then it is refused

    Scenario: [4] On a subscription of which the transaction had acknowledged nothing
      Given A has committed
      When A acknowledges "i1" for "workers"
      Then it is refused
      And subscription "workers" has "i1", "i2", "i3" left

    Scenario: [5] A late one of everything up to a message
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i1" for "auditors"
      And A has committed
      When A acknowledges everything up to "i3" for "auditors"
      Then it is refused
      And subscription "auditors" has "i2", "i3" left

    Scenario: [6] The segment is loaded again behind the commit
      Given A has acknowledged "i1" for "workers"
      And A has committed
      And inputs has been unloaded
      When A acknowledges "i2" for "workers"
      Then it is refused
      And subscription "workers" has "i2", "i3" left
