Feature: Ends that come again
  A coordinator that lost an answer tells a subscription once more how a transaction ended. By then others may have acknowledged what that
  transaction had acknowledged.

  Background:
    Given the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And transactions A and B
    And A has acknowledged "i1" for "workers"

  @PIP31-153 @MUST @commits @aborts
  Rule: An end that comes to a subscription again leaves alone what another transaction has acknowledged since.
    The second telling of an end would give back, or delete, what a transaction that is open now has to decide about.

    @needs:participant-ends
    Scenario: [1] An abort that comes again
      Given A has aborted
      And B has acknowledged "i1" for "workers"
      And "workers" has been asked to abort A
      When B commits
      Then subscription "workers" has "i2" left

    @needs:participant-ends
    Scenario: [2] A commit that comes again
      Given A has committed
      And the consumer of "workers" has gone back to "i1"
      And B has acknowledged "i1" for "workers"
      And "workers" has been asked to commit A
      When B aborts
      Then subscription "workers" has "i1", "i2" left
