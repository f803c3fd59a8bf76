Feature: Acknowledging in a transaction
  What a transaction has acknowledged is pending until it ends: withheld from everybody, and neither deleted nor given back.
  A commit deletes it, an abort gives it back, and nothing else ends that state.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And subscription "workers" has been given "i1", "i2", "i3" of inputs

  @PIP31-54 @MUST
  Rule: A message that is acknowledged in an open transaction is delivered to nobody else.

    Scenario: [1] The consumer asks for everything again
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the consumer of "workers" asks for everything again
      Then the consumer of "workers" is given "i2", "i3" and nothing else

    Scenario: [2] Another consumer with little room
      Given transaction A
      And A has acknowledged "i1", "i2" for "workers"
      When another consumer takes over "workers", with room for 2 messages
      Then the consumer of "workers" is given "i3" and nothing else

    Scenario: [3] Everything up to a message
      Given transaction A
      And exclusive subscription "auditors" has been given "i1", "i2", "i3" of inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When the consumer of "auditors" asks for everything again
      Then the consumer of "auditors" is given "i3" and nothing else

  @PIP31-55 @MUST
  Rule: Acknowledging in a transaction what is pending in another is refused as a conflict.

    Scenario: [1] A message
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused as a conflict

    Scenario: [2] A message of a batch, on a subscription for one consumer
      Given transactions A and B
      And inputs has a batch of "b1", "b2"
      And exclusive subscription "packers" has been given "i1", "i2", "i3", "b1", "b2" of inputs
      And A has acknowledged "b2" for "packers"
      When B acknowledges "b2" for "packers"
      Then it is refused as a conflict

  @PIP31-56 @MUST
  Rule: Acknowledging in a transaction what is deleted already is refused as a conflict.

    Scenario: [1] By a plain acknowledgement
      Given transaction A
      And "i1" has been acknowledged for "workers" in no transaction
      When A acknowledges "i1" for "workers"
      Then it is refused as a conflict

    Scenario: [2] By a transaction that was committed
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And A has committed
      When B acknowledges "i1" for "workers"
      Then it is refused as a conflict

  @PIP31-57 @MUST
  Rule: A plain acknowledgement does not delete a message that is pending in a transaction.

    Scenario: [1] The transaction is aborted
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And "i1" has been acknowledged for "workers" in no transaction
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

  @PIP31-58 @MUST
  Rule: An abort gives the messages that were acknowledged in it back for delivery.

    Scenario: [1] To the consumer that has the others
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then the consumer of "workers" is given "i1" and nothing else

    Scenario: [2] Beside another transaction
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B aborts
      Then the consumer of "workers" is given "i2" and nothing else

    Scenario: [3] The time-out is the abort
      Given transaction A with a short time-out
      And A has acknowledged "i1" for "workers"
      When A is left open past its time-out
      Then the consumer of "workers" is given "i1" and nothing else

  @PIP31-59 @MUST
  Rule: What was acknowledged in a committed transaction is never delivered again, also not after a crash.

    Scenario: [1] A commit
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2", "i3" left

    @needs:crash
    Scenario: [2] A commit, and a crash
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And A has committed
      When the system crashes and comes back
      Then subscription "workers" has "i2", "i3" left

  @PIP31-60 @MUST
  Rule: Pending acknowledgements survive a crash of the broker: no redelivery, and a conflict as before.

    @needs:crash
    Scenario: [1] No redelivery
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the system crashes and comes back
      Then the consumer of "workers" is given "i2", "i3" and nothing else

    @needs:crash
    Scenario: [2] A conflict as before
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And the system has crashed and come back
      When B acknowledges "i1" for "workers"
      Then it is refused as a conflict

    @needs:crash
    Scenario: [3] The same of everything up to a message
      Given transaction A
      And exclusive subscription "auditors" has been given "i1", "i2", "i3" of inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When the system crashes and comes back
      Then the consumer of "auditors" is given "i3" and nothing else

  @PIP31-61 @MUST
  Rule: Only the end of its transaction ends a pending acknowledgement.

    Scenario: [1] Another consumer comes
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And another consumer has taken over "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused as a conflict

    Scenario: [2] A newer transaction ends
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B commits
      Then subscription "workers" has "i3" left

  @PIP31-62 @MUST
  Rule: Asking for redelivery has no effect on a message that is pending in a transaction.

    Scenario: [1] One that is pending and one that is not
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the consumer of "workers" asks for "i1", "i2" again
      Then the consumer of "workers" is given "i2" and nothing else

  @PIP31-65 @MUST
  Rule: Acknowledgements in a transaction on one subscription leave every other subscription as it was.

    Scenario: [1] What is pending on one can be acknowledged on another
      Given transactions A and B
      And subscription "others" has been given "i1", "i2", "i3" of inputs
      And A has acknowledged "i1" for "workers"
      When B acknowledges "i1" for "others"
      Then it is done

    Scenario: [2] What is deleted on one is left on another
      Given transaction A
      And subscription "others" has been given "i1", "i2", "i3" of inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "others" has "i1", "i2", "i3" left

  @PIP31-67 @MUST
  Rule: An acknowledgement in a transaction is answered, with success or with its error.

    Scenario: [1] With success
      Given transaction A
      When A acknowledges "i1", "i2" for "workers"
      Then it is done

    Scenario: [2] With its error
      Given transactions A and B
      And A has acknowledged "i2" for "workers"
      When B acknowledges "i1", "i2" for "workers"
      Then it is refused as a conflict

  @PIP31-70 @MUST
  Rule: A transaction that met a conflict can be aborted, and then nothing of it remains.

    Scenario: [1] All that it had asked for is left
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      When B aborts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [2] Another transaction can have it
      Given transactions A, B and C
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      And B has aborted
      When C acknowledges "i2" for "workers"
      Then it is done
