Feature: Acknowledging everything up to a message in a transaction
  One transaction at a time has such an acknowledgement on a subscription, and it takes nothing from others.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And exclusive subscription "auditors" has been given "i1", "i2", "i3" of inputs
    And transactions A and B

  @PIP31-63 @MUST
  Rule: Cumulative acknowledgements in two transactions on one subscription are a conflict.

    Scenario: [1] The second goes further
      Given A has acknowledged everything up to "i1" for "auditors"
      When B acknowledges everything up to "i2" for "auditors"
      Then it is refused as a conflict

    Scenario: [2] The first goes further
      Given A has acknowledged everything up to "i2" for "auditors"
      When B acknowledges everything up to "i1" for "auditors"
      Then it is refused as a conflict

  @PIP31-64 @SHOULD
  Rule: A cumulative acknowledgement that covers what is pending in another transaction is a conflict, or leaves that alone.

    Scenario: [1] The cumulative one is over, and the other aborts
      Given A has acknowledged "i1" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And B has committed
      When A aborts
      Then "i1" is left for subscription "auditors"
