Feature: The end of a cumulative acknowledgement
  A cumulative acknowledgement is pending until its transaction ends, and then shares the outcome as a whole.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
    And transactions A and B

  @PIP31-83 @MUST @commits
  Rule: A commit deletes every message up to the one that the transaction has acknowledged cumulatively.
    A stream processor acknowledges its position: what its commit does not delete is processed twice.

    Scenario: [1] A cumulative acknowledgement of two of three messages commits
      Given A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then subscription "auditors" has "i3" left

    Scenario: [2] A second cumulative acknowledgement of the same transaction commits
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then subscription "auditors" has "i3" left

    @needs:crash
    Scenario: [3] The system crashes after the commit of a cumulative acknowledgement
      Given A has acknowledged everything up to "i2" for "auditors"
      And A has committed
      When the system crashes and restarts
      Then subscription "auditors" has "i3" left

    Scenario: [4] A commit leaves the other subscription of the topic as it is
      Given the consumer of exclusive subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then subscription "others" has "i1", "i2", "i3" left

    Scenario: [5] A cumulative acknowledgement up to the first of three messages of a committed transaction commits
      Given A has written "a1", "a2", "a3" to inputs
      And A has committed
      And the consumer of exclusive subscription "others" has received "i1", "i2", "i3", "a1", "a2", "a3" from inputs
      And B has acknowledged everything up to "a1" for "others"
      When B commits
      Then subscription "others" has "a2", "a3" left

    Scenario: [6] A transaction commits a cumulative acknowledgement and an individual one after it
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged "i3" for "auditors"
      When A commits
      Then subscription "auditors" has "i2" left

    @needs:buffer-statistics
    Scenario: [7] Nothing is pending after the commit of a cumulative and an individual acknowledgement
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged "i3" for "auditors"
      When A commits
      Then nothing of A is pending in "auditors"

    Scenario: [8] A cumulative acknowledgement up to the first of three messages of a batch commits
      Given a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of exclusive subscription "others" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And A has acknowledged everything up to "b1" for "others"
      When A commits
      Then subscription "others" has at least "b2", "b3" left

    Scenario: [9] A transaction commits an individual acknowledgement and a cumulative one of earlier messages after it
      Given A has acknowledged "i3" for "auditors"
      And A has tried to acknowledge everything up to "i1" for "auditors"
      When A commits
      Then "auditors" agrees with the answers

    Scenario: [10] A transaction commits an individual acknowledgement and a cumulative one that covers it
      Given A has acknowledged "i1" for "auditors"
      And A has tried to acknowledge everything up to "i2" for "auditors"
      When A commits
      Then "auditors" agrees with the answers

    Scenario: [11] The consumer seeks backwards after the commit of a cumulative acknowledgement
      Given A has acknowledged everything up to "i2" for "auditors"
      And A has committed
      When the consumer of "auditors" goes back to "i1"
      Then the consumer of "auditors" receives "i1", "i2", "i3" and nothing else

    @needs:crash
    Scenario: [12] The consumer seeks backwards after a crash and the commit of a cumulative acknowledgement
      Given A has acknowledged everything up to "i2" for "auditors"
      And the system has crashed and restarted
      And A has committed
      When the consumer of "auditors" goes back to "i1"
      Then the consumer of "auditors" receives "i1", "i2", "i3" and nothing else

    Scenario: [13] A transaction commits its cumulative acknowledgement after one that was refused a later one has aborted
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge everything up to "i3" for "auditors"
      And B has aborted
      When A commits
      Then subscription "auditors" has "i3" left

    Scenario: [14] Another consumer has taken over before the commit of a cumulative acknowledgement
      Given A has acknowledged everything up to "i2" for "auditors"
      And another consumer has taken over "auditors"
      When A commits
      Then subscription "auditors" has "i3" left

    Scenario: [15] A cumulative acknowledgement commits below two messages that another transaction has acknowledged
      Given B has acknowledged "i2", "i3" for "auditors"
      And B has committed
      And A has acknowledged everything up to "i1" for "auditors"
      When A commits
      Then subscription "auditors" has nothing left

  @PIP31-84 @MUST @aborts
  Rule: An abort redelivers every message up to the one that the transaction has acknowledged cumulatively.
    The input of an aborted transaction would never be processed.

    Scenario: [1] A cumulative acknowledgement of two of three messages aborts
      Given A has acknowledged everything up to "i2" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [2] Another transaction acknowledges cumulatively after the abort
      Given A has acknowledged everything up to "i2" for "auditors"
      And A has aborted
      When B acknowledges everything up to "i1" for "auditors"
      Then it is done

    Scenario: [3] Another consumer has taken over before the abort of a cumulative acknowledgement
      Given A has acknowledged everything up to "i2" for "auditors"
      And another consumer has taken over "auditors"
      When A aborts
      Then the consumer of "auditors" receives "i1", "i2", "i3" and perhaps others

    Scenario: [4] The consumer has requested redelivery before the abort of a cumulative acknowledgement
      Given A has acknowledged everything up to "i2" for "auditors"
      And the consumer of "auditors" has asked for redelivery
      When A aborts
      Then the consumer of "auditors" receives "i1", "i2" and perhaps others

    Scenario: [5] The consumer requests redelivery after the abort of a cumulative acknowledgement
      Given A has acknowledged everything up to "i2" for "auditors"
      And A has aborted
      When the consumer of "auditors" asks for redelivery
      Then the consumer of "auditors" receives "i1", "i2", "i3" and nothing else

    Scenario: [6] A transaction aborts a cumulative acknowledgement and an individual one after it
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged "i3" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [7] A transaction aborts an individual acknowledgement and a cumulative one of earlier messages after it
      Given A has acknowledged "i3" for "auditors"
      And A has tried to acknowledge everything up to "i1" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [8] A transaction with two cumulative acknowledgements aborts
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged everything up to "i2" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

  @PIP31-85 @MUST @commits @aborts
  Rule: While another transaction's cumulative acknowledgement is pending, an individual one is refused, or follows the outcome of the transaction that sent it.
    One of the two transactions would lose what it was granted, or delete what was redelivered.

    Scenario: [1] The message is below the cumulative acknowledgement, which aborts
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i1" for "auditors"
      And A has aborted
      When B commits
      Then "auditors" agrees with the answers

    Scenario: [2] The message is beyond the cumulative acknowledgement, which aborts
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i3" for "auditors"
      And A has aborted
      When B commits
      Then "auditors" agrees with the answers

    Scenario: [3] The message is beyond the cumulative acknowledgement, which commits
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i3" for "auditors"
      And B has aborted
      When A commits
      Then "auditors" agrees with the answers

    @needs:buffer-statistics
    Scenario: [4] The message is beyond the cumulative acknowledgement, and both commit
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i3" for "auditors"
      And B has committed
      When A commits
      Then nothing of B is pending in "auditors"
      And "auditors" agrees with the answers

    @needs:crash
    Scenario: [5] The message is beyond the cumulative acknowledgement, and the system crashes between the two commits
      Given A has acknowledged everything up to "i1" for "auditors"
      And B has tried to acknowledge "i3" for "auditors"
      And B has committed
      And the system has crashed and restarted
      When A commits
      Then "auditors" agrees with the answers

  @PIP31-173 @MUST @aborts
  Rule: An abort of a cumulative acknowledgement does not redeliver a message that was deleted before.
    The cumulative acknowledgement names only its last message. A broker that begins again at the cursor has deleted work done twice.

    Scenario: [1] A plain acknowledgement has deleted the second of three messages
      Given "i2" has been acknowledged for "auditors" without a transaction
      And A has acknowledged everything up to "i3" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i3" left

    Scenario: [2] A commit has deleted the second of three messages
      Given B has acknowledged "i2" for "auditors"
      And B has committed
      And A has acknowledged everything up to "i3" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i3" left

    Scenario: [3] A plain acknowledgement has deleted the message at which the cumulative acknowledgement ends
      Given "i3" has been acknowledged for "auditors" without a transaction
      And A has tried to acknowledge everything up to "i3" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2" left

    Scenario: [4] The topic is reloaded before the abort
      Given "i2" has been acknowledged for "auditors" without a transaction
      And A has acknowledged everything up to "i3" for "auditors"
      And inputs has been unloaded
      When A aborts
      Then subscription "auditors" has "i1", "i3" left

    @needs:batch-index-acknowledgement
    Scenario: [5] A plain acknowledgement has deleted the second message of a batch
      Given a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of exclusive subscription "others" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And "b2" has been acknowledged for "others" without a transaction
      And A has acknowledged everything up to "b3" for "others"
      When A aborts
      Then subscription "others" has "i1", "i2", "i3", "b1", "b3" left
