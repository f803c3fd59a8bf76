@needs:buffer-statistics
Feature: Acknowledgements outside of the transaction's end
  A transaction ends on the subscriptions that were added while it was open, and on no other. An acknowledgement elsewhere, or after the
  end, waits for an end that does not come.

  Background:
    Given the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And transaction A

  @PIP31-89 @SHOULD @fencing
  Rule: A message does not stay pending for ever if the transaction that acknowledged it never ends on the subscription.
    The message would be neither delivered nor deleted: its work is lost without an error.

    Scenario: [1] An acknowledgement arrives after the abort
      Given A has acknowledged "i2" for "workers"
      And A has aborted
      And A has tried to acknowledge "i1" for "workers"
      When another consumer takes over "workers"
      Then nothing of A is pending in "workers"
      And subscription "workers" has "i1", "i2" left

    Scenario: [2] An acknowledgement arrives in a transaction that never existed
      Given U is an unknown transaction
      And U has tried to acknowledge "i1" for "workers", which it has not added
      When another consumer takes over "workers"
      Then nothing of U is pending in "workers"
      And subscription "workers" has "i1", "i2" left

    Scenario: [3] A transaction commits without the subscription on which it acknowledged
      Given A has tried to acknowledge "i1" for "workers", which it has not added
      When A commits
      Then nothing of A is pending in "workers"

    @alone
    Scenario: [4] A newer transaction commits on a subscription with a stray acknowledgement
      Given transaction B
      And A has tried to acknowledge "i1" for "workers", which it has not added
      And A has aborted
      And B has acknowledged "i2" for "workers"
      When B commits
      Then nothing of A is pending in "workers"
      And subscription "workers" has "i1" left

    Scenario: [5] A transaction commits without two subscriptions of one topic on which it acknowledged
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And A has tried to acknowledge "i1" for "workers", which it has not added
      And A has tried to acknowledge "i1" for "auditors", which it has not added
      When A commits
      Then nothing of A is pending in "workers"
      And nothing of A is pending in "auditors"
