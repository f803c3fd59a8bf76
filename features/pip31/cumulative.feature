Feature: Acknowledging everything up to a message in a transaction
  One transaction at a time has such an acknowledgement on a subscription, and it takes nothing from others.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
    And transactions A and B

  @PIP31-63 @MUST
  Rule: Cumulative acknowledgements in two transactions on one subscription are a conflict.
    Two cumulative acknowledgements that both hold overlap, and the second end undoes the first.

    Scenario: [1] The second acknowledgement goes further
      Given A has acknowledged everything up to "i1" for "auditors"
      When B acknowledges everything up to "i2" for "auditors"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [2] The first acknowledgement goes further
      Given A has acknowledged everything up to "i2" for "auditors"
      When B acknowledges everything up to "i1" for "auditors"
      Then it is refused with TransactionConflict or InvalidTxnStatus

  @PIP31-64 @SHOULD
  Rule: A cumulative acknowledgement that covers what is pending in another transaction is a conflict, or leaves that alone.
    A cumulative acknowledgement over a pending message would delete what the other transaction may give back.

    Scenario: [1] The cumulative one is committed, and the other aborts
      Given A has acknowledged "i1" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And B has committed
      When A aborts
      Then subscription "auditors" has at least "i1" left

    Scenario: [2] The cumulative one ends at that very message
      Given A has acknowledged "i2" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And B has committed
      When A aborts
      Then subscription "auditors" has at least "i2" left

    Scenario: [3] The message that is pending lies behind the cumulative one
      Given A has acknowledged "i3" for "auditors"
      When B acknowledges everything up to "i2" for "auditors"
      Then it is done
