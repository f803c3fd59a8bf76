Feature: Acknowledging everything up to a message in a transaction
  One transaction at a time has such an acknowledgement on a subscription, and it takes nothing from others.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
    And transactions A and B

  @PIP31-63 @MUST
  Rule: Cumulative acknowledgements in two transactions on one subscription are a conflict.

    Scenario: [1] The second acknowledgement goes further
      Given A has acknowledged everything up to "i1" for "auditors"
      When B acknowledges everything up to "i2" for "auditors"
      Then it is refused with TransactionConflict

    Scenario: [2] The first acknowledgement goes further
      Given A has acknowledged everything up to "i2" for "auditors"
      When B acknowledges everything up to "i1" for "auditors"
      Then it is refused with TransactionConflict

  @PIP31-64 @SHOULD
  Rule: A cumulative acknowledgement that covers what is pending in another transaction is a conflict, or leaves that alone.

    Scenario: [1] The cumulative one is committed, and the other aborts
      Given A has acknowledged "i1" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And B has committed
      When A aborts
      Then subscription "auditors" has at least "i1" left
