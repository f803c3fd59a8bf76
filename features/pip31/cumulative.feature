Feature: Cumulative acknowledgements in a transaction
  One transaction at a time has a cumulative acknowledgement on a subscription, and it takes nothing from others.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
    And transactions A and B

  @PIP31-63 @MUST
  Rule: A broker refuses a transaction's cumulative acknowledgement while another transaction has one on the same subscription.
    Two pending cumulative acknowledgements overlap, and the second end undoes the first.

    Scenario: [1] The second cumulative acknowledgement goes further than the first
      Given A has acknowledged everything up to "i1" for "auditors"
      When B acknowledges everything up to "i2" for "auditors"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [2] The first cumulative acknowledgement goes further than the second
      Given A has acknowledged everything up to "i2" for "auditors"
      When B acknowledges everything up to "i1" for "auditors"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:more-coordinators
    Scenario: [3] The second cumulative acknowledgement is of a transaction with the same number at another coordinator
      Given C and D are transactions with the same number at two coordinators
      And C has acknowledged everything up to "i1" for "auditors"
      When D acknowledges everything up to "i2" for "auditors"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:crash
    Scenario: [4] The system crashes between the two cumulative acknowledgements
      Given A has acknowledged everything up to "i1" for "auditors"
      And the system has crashed and restarted
      When B acknowledges everything up to "i2" for "auditors"
      Then it is refused with TransactionConflict or InvalidTxnStatus

  @PIP31-64 @SHOULD
  Rule: A broker refuses a cumulative acknowledgement that covers a message pending in another transaction, or lets that transaction decide over the message.
    A cumulative acknowledgement over a pending message would delete what the other transaction may redeliver.

    Scenario: [1] The cumulative acknowledgement commits, and the other transaction aborts
      Given A has acknowledged "i1" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And B has committed
      When A aborts
      Then subscription "auditors" has at least "i1" left

    Scenario: [2] The cumulative acknowledgement ends exactly at the pending message, and commits
      Given A has acknowledged "i2" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And B has committed
      When A aborts
      Then subscription "auditors" has at least "i2" left

    Scenario: [3] The pending message is beyond the cumulative acknowledgement
      Given A has acknowledged "i3" for "auditors"
      When B acknowledges everything up to "i2" for "auditors"
      Then it is done

    Scenario: [4] The cumulative acknowledgement aborts, and the other transaction commits
      Given A has acknowledged "i1" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And B has aborted
      When A commits
      Then subscription "auditors" has "i2", "i3" left

  @PIP31-121 @MUST
  Rule: If one transaction acknowledges a message individually and another one cumulatively, at most one of the acknowledgements succeeds and commits.
    The message would be processed in two transactions, and the output of both would count.

    Scenario: [1] The individual acknowledgement is sent first, and its transaction commits first
      Given A has acknowledged "i1" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And A has tried to commit
      When B commits
      Then at most one of A and B has acknowledged "i1" for "auditors" and committed

    Scenario: [2] The individual acknowledgement is sent first, and its transaction commits last
      Given A has acknowledged "i1" for "auditors"
      And B has tried to acknowledge everything up to "i2" for "auditors"
      And B has tried to commit
      When A commits
      Then at most one of A and B has acknowledged "i1" for "auditors" and committed

    Scenario: [3] The cumulative acknowledgement is sent first, and its transaction commits first
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i1" for "auditors"
      And A has tried to commit
      When B commits
      Then at most one of A and B has acknowledged "i1" for "auditors" and committed

    Scenario: [4] The cumulative acknowledgement is sent first, and its transaction commits last
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i2" for "auditors"
      And B has tried to commit
      When A commits
      Then at most one of A and B has acknowledged "i2" for "auditors" and committed
