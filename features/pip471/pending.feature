Feature: Pending acknowledgements of a subscription that is reloaded
  The positions are in the operation records and recovery restores them: with the ids of the transactions alone, a commit would do
  nothing.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
    And transactions A and B
    And A has acknowledged "i1" for "workers"

  @PIP471-30 @MUST @commits @recovery
  Rule: A commit deletes what the transaction had acknowledged before the subscription was reloaded.
    The output of the transaction is committed and its input redelivered: it is processed twice.

    Scenario: [1] The segment is reloaded before the commit
      Given inputs has been unloaded
      When A commits
      Then subscription "workers" has "i2", "i3" left

    @needs:crash
    Scenario: [2] The system crashes before the commit
      Given the system has crashed and restarted
      When A commits
      Then subscription "workers" has "i2", "i3" left

    Scenario: [3] The segment is reloaded before the commit of a cumulative acknowledgement
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And B has acknowledged everything up to "i2" for "auditors"
      And inputs has been unloaded
      When B commits
      Then subscription "auditors" has "i3" left

    Scenario: [4] A commit covers acknowledgements from before and after a reload
      Given inputs has been unloaded
      And another consumer has taken over "workers"
      And A has acknowledged "i2" for "workers"
      When A commits
      Then subscription "workers" has "i3" left

    Scenario: [5] A subscription of the same name is on another segment that is not loaded at the commit
      Given the topic "payments" with "o1", "o2"
      And the consumer of shared subscription "auditors" has received "o1", "o2" from payments, by the name of "workers"
      And A has acknowledged "o1" for "auditors"
      And payments has been unloaded
      When A commits
      Then subscription "workers" has "i2", "i3" left
      And subscription "auditors" has "o2" left

    Scenario: [6] Another subscription of the transaction is removed before the commit
      Given the consumer of shared subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i2" for "auditors"
      And subscription "auditors" has been removed
      And inputs has been unloaded
      When A commits
      Then subscription "workers" has "i2", "i3" left

    @needs:batch-index-acknowledgement
    Scenario: [7] Two messages of a batch were acknowledged separately before the reload
      Given a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And B has acknowledged "b1" for "packers"
      And B has acknowledged "b2" for "packers"
      And inputs has been unloaded
      When B commits
      Then subscription "packers" has "i1", "i2", "i3", "b3" left

    @needs:batch-index-acknowledgement
    Scenario: [8] Only the last message of a batch was acknowledged before the reload
      Given a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And B has acknowledged "b3" for "packers"
      And inputs has been unloaded
      When B commits
      Then subscription "packers" has "i1", "i2", "i3", "b1", "b2" left

    Scenario: [9] Two cumulative acknowledgements were sent before the reload
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And B has acknowledged everything up to "i1" for "auditors"
      And B has acknowledged everything up to "i2" for "auditors"
      And inputs has been unloaded
      When B commits
      Then subscription "auditors" has "i3" left

    @needs:store-faults
    Scenario: [10] A message was acknowledged cumulatively, and the reloaded segment has not yet applied the commit of the message
      Given A has committed "a1" to inputs, and the store lacks the note of it
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3", "a1" from inputs
      And B has acknowledged everything up to "a1" for "auditors"
      And inputs has been unloaded, and will be loaded without a look at the end of A
      When B commits
      Then subscription "auditors" has nothing left

    @needs:store-faults
    Scenario Outline: [11] An acknowledgement was refused because the store did not answer
      Given the store does not answer the next write of an operation record, <failure>
      And A was refused the acknowledgement of "i2" for "workers"
      And inputs has been unloaded
      When A commits
      Then subscription "workers" has "i2", "i3" left

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    Scenario: [12] A later message was acknowledged individually and earlier ones cumulatively
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And B has acknowledged "i3" for "auditors"
      And B has acknowledged everything up to "i1" for "auditors"
      And inputs has been unloaded
      When B commits
      Then subscription "auditors" has "i2" left

    Scenario: [13] Two messages were acknowledged separately before the reload
      Given A has acknowledged "i2" for "workers"
      And inputs has been unloaded
      When A commits
      Then subscription "workers" has "i3" left

    Scenario Outline: [14] Another transaction has ended on the subscription before the reload
      Given B has acknowledged "i2" for "workers"
      And B has <ended>
      And inputs has been unloaded
      When A commits
      Then subscription "workers" has <left> left

      Examples:
        | ended     | left       | why                                     |
        | aborted   | "i2", "i3" | the returned message is available again |
        | committed | "i3"       | the deleted message is not redelivered  |

    Scenario: [15] A transaction with acknowledgements on two subscriptions commits before the reload
      Given the consumer of shared subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "auditors"
      And inputs has been unloaded
      And A has been asked to commit
      When "i4" is written to inputs
      Then subscription "auditors" has "i2", "i3", "i4" left

    Scenario: [16] The segment is reloaded before and after the commit
      Given inputs has been unloaded
      And A has committed
      And B has acknowledged "i2" for "workers"
      And inputs has been unloaded
      When "i4" is written to inputs
      Then subscription "workers" has "i3", "i4" left

    @needs:store-faults
    Scenario: [17] The segment is reloaded twice before the commit
      Given inputs has been unloaded
      And A has acknowledged "i2" for "workers"
      And inputs has been unloaded
      When A commits
      Then subscription "workers" has "i3" left

    @needs:store-faults
    Scenario Outline: [18] An acknowledgement of two messages was refused because the store did not answer at the second
      Given the store does not answer the next write of a second operation record, <failure>
      And A was refused the acknowledgement of "i2", "i3" for "workers"
      And inputs has been unloaded
      When A commits
      Then subscription "workers" has "i2", "i3" left

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:store-faults
    Scenario: [19] The store does not answer a look at the header when the segment is reloaded
      Given the store does not answer the next look at a header
      And inputs has been unloaded
      And "i4" has been written to inputs
      When A commits
      Then subscription "workers" has "i2", "i3", "i4" left

  @PIP471-31 @MUST @aborts @recovery
  Rule: An abort redelivers what the transaction had acknowledged before the subscription was reloaded.
    The input of an aborted transaction would never be processed.

    Scenario: [1] The segment is reloaded before the abort
      Given inputs has been unloaded
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    @needs:crash
    Scenario: [2] The system crashes before the abort
      Given the system has crashed and restarted
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [3] Two transactions had acknowledged on one subscription before the reload
      Given B has acknowledged "i2" for "workers"
      And inputs has been unloaded
      And A has aborted
      When B aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [4] The segment is reloaded before the abort of a cumulative acknowledgement
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And B has acknowledged everything up to "i2" for "auditors"
      And inputs has been unloaded
      When B aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [5] An acknowledgement of two messages was refused because another transaction had acknowledged one of them
      Given B has tried to acknowledge "i2", "i1" for "workers"
      And inputs has been unloaded
      And B has committed
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [6] An acknowledgement of two messages was refused because one of them was deleted
      Given "i3" has been acknowledged for "workers" without a transaction
      And B has tried to acknowledge "i2", "i3" for "workers"
      And inputs has been unloaded
      And B has committed
      When A aborts
      Then subscription "workers" has "i1", "i2" left

    Scenario: [7] A cumulative acknowledgement was refused because another transaction had sent one
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i1" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And inputs has been unloaded
      And B has committed
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

  @PIP471-32 @MUST @recovery
  Rule: A pending acknowledgement stays pending after the subscription is reloaded.
    If two transactions both commit the results of one message, the message is processed twice.

    Scenario: [1] Another transaction acknowledges the message after a reload
      Given inputs has been unloaded
      When B acknowledges "i1" for "workers"
      Then it is refused

    Scenario: [2] Another consumer does not receive the message after a reload
      Given inputs has been unloaded
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i2", "i3" and nothing else

    @needs:crash
    Scenario: [3] Another transaction acknowledges the message after a crash
      Given the system has crashed and restarted
      When B acknowledges "i1" for "workers"
      Then it is refused

    Scenario: [4] Another transaction acknowledges three messages of which the last is pending after a reload
      Given inputs has been unloaded
      When B acknowledges "i3", "i2", "i1" for "workers"
      Then it is refused
      And B is OPEN

    Scenario: [5] Another transaction acknowledges cumulatively what is pending cumulatively after a reload
      Given the consumer of failover subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And inputs has been unloaded
      And another consumer has taken over "auditors"
      When B acknowledges everything up to "i3" for "auditors"
      Then it is refused

    Scenario: [6] Another consumer does not receive what is pending cumulatively after a reload
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And inputs has been unloaded
      When another consumer takes over "auditors"
      Then the consumer of "auditors" receives "i3" and nothing else
