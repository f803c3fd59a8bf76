@needs:participant-ends
Feature: Ends that are repeated
  A coordinator that lost an answer notifies a subscription again how a transaction ended. By then another transaction may have
  acknowledged the same messages.

  Background:
    Given the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And transactions A and B
    And A has acknowledged "i1" for "workers"

  @PIP31-153 @MUST @commits @aborts
  Rule: A repeated end on a subscription does not change what another transaction has acknowledged in the meantime.
    The repeated end would redeliver or delete what an open transaction has to decide.

    Scenario: [1] An abort is repeated after another transaction acknowledged the message
      Given A has aborted
      And B has acknowledged "i1" for "workers"
      And "workers" has been asked to abort A
      When B commits
      Then subscription "workers" has "i2" left

    Scenario: [2] A commit is repeated after another transaction acknowledged the message
      Given A has committed
      And the consumer of "workers" has gone back to "i1"
      And B has acknowledged "i1" for "workers"
      And "workers" has been asked to commit A
      When B aborts
      Then subscription "workers" has "i1", "i2" left

    Scenario: [3] An abort is repeated after another transaction acknowledged the message and the topic was reloaded
      Given A has aborted
      And B has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And "workers" has been asked to abort A
      When B commits
      Then subscription "workers" has "i2" left

    Scenario: [4] An abort is repeated after another transaction acknowledged cumulatively what it had
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2" from inputs
      And A has acknowledged everything up to "i1" for "auditors"
      And A has aborted
      And B has acknowledged everything up to "i1" for "auditors"
      And "auditors" has been asked to abort A
      When B commits
      Then subscription "auditors" has "i2" left
