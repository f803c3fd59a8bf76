Feature: Acknowledgements that no end will come for
  A transaction ends on the subscriptions that it has added while it was open, and on no other. What is acknowledged in it elsewhere, or
  afterwards, waits for an end that does not come.

  Background:
    Given the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And transaction A

  @PIP31-89 @SHOULD @fencing
  Rule: An acknowledgement in a transaction that does not end on its subscription any more withholds no message for ever.
    The message would be delivered to nobody and deleted by nobody: work that is lost without a word.

    @needs:buffer-statistics
    Scenario: [1] The transaction was aborted before
      Given A has acknowledged "i2" for "workers"
      And A has aborted
      And A has tried to acknowledge "i1" for "workers"
      When another consumer takes over "workers"
      Then nothing of A is pending in "workers"
      And subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [2] There never was such a transaction
      Given U is an unknown transaction
      And U has tried to acknowledge "i1" for "workers", which it has not added
      When another consumer takes over "workers"
      Then nothing of U is pending in "workers"
      And subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [3] The transaction commits without the subscription
      Given A has tried to acknowledge "i1" for "workers", which it has not added
      When A commits
      Then nothing of A is pending in "workers"

    @needs:buffer-statistics @alone
    Scenario: [4] A newer transaction commits on the subscription
      Given transaction B
      And A has tried to acknowledge "i1" for "workers", which it has not added
      And A has aborted
      And B has acknowledged "i2" for "workers"
      When B commits
      Then nothing of A is pending in "workers"
      And subscription "workers" has "i1" left
