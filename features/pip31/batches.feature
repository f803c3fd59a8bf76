Feature: Batches in several transactions
  Messages that one producer sent in one entry are acknowledged one by one, and each has a state of its own.

  Background:
    Given the topic "inputs"
    And inputs has a batch of "b1", "b2", "b3"
    And subscription "workers" has been given "b1", "b2", "b3" of inputs

  @PIP31-66 @MUST
  Rule: Two transactions may acknowledge different messages of one batch, and an abort gives back only its own.

    Scenario: [1] No conflict
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      When B acknowledges "b2" for "workers"
      Then it is done

    Scenario: [2] One commits, and the other aborts
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And A has committed
      When B aborts
      Then subscription "workers" has "b2", "b3" left

    Scenario: [3] A third takes what was given back
      Given transactions A, B and C
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And B has aborted
      When C acknowledges "b2" for "workers"
      Then it is done
