Feature: Batches in several transactions
  Messages that one producer sent in one entry are acknowledged one by one, and each has a state of its own.

  Background:
    Given the topic "inputs"
    And a batch of "b1", "b2", "b3" has been written to inputs
    And the consumer of shared subscription "workers" has received "b1", "b2", "b3" from inputs

  @PIP31-66 @MUST
  Rule: Two transactions may acknowledge different messages of one batch, and an abort gives back only its own.

    Scenario: [1] Another message of the batch is pending
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      When B acknowledges "b2" for "workers"
      Then it is done

    Scenario: [2] One transaction commits and the other aborts
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And A has committed
      When B aborts
      Then subscription "workers" has "b2", "b3" left

    Scenario: [3] A third transaction acknowledges what an abort gave back
      Given transactions A, B and C
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And B has aborted
      When C acknowledges "b2" for "workers"
      Then it is done
