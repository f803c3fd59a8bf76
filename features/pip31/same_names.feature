Feature: Equal names in different places
  A name or number is unique only within what it belongs to: a subscription within its topic, a transaction within its coordinator.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs

  @PIP31-131 @MUST
  Rule: Subscriptions with the same name on several topics each follow the end of the transaction to which they were added.
    A service reads all its topics under one name. On all but one, its input would be redelivered after the commit, or never.

    Background:
      Given the topic "payments" with "p1", "p2"
      And the consumer of shared subscription "payers" has received "p1", "p2" from payments, by the name of "workers"
      And transaction A
      And A has acknowledged "i1" for "workers"

    @needs:buffer-statistics
    Scenario: [1] A transaction with two subscriptions of the same name commits
      Given A has acknowledged "p1" for "payers"
      When A commits
      Then nothing of A is pending in "payers"
      And subscription "workers" has "i2", "i3" left
      And subscription "payers" has "p2" left

    Scenario: [2] A transaction with two subscriptions of the same name aborts
      Given A has acknowledged "p1" for "payers"
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left
      And subscription "payers" has "p1", "p2" left

    @needs:crash @needs:buffer-statistics
    Scenario: [3] A transaction with two subscriptions of the same name commits after a crash
      Given A has acknowledged "p1" for "payers"
      And the system has crashed and restarted
      When A commits
      Then nothing of A is pending in "payers"
      And subscription "workers" has "i2", "i3" left
      And subscription "payers" has "p2" left

    @needs:buffer-statistics
    Scenario: [4] A transaction with two subscriptions of the same name on topics of the same name in two namespaces commits
      Given the topic "orders" in another namespace, by the name of inputs
      And "o1" has been written to orders
      And the consumer of shared subscription "others" has received "o1" from orders, by the name of "workers"
      And A has acknowledged "o1" for "others"
      When A commits
      Then nothing of A is pending in "others"
      And subscription "others" has nothing left

  @PIP31-132 @MUST
  Rule: The end of a transaction of one coordinator does not change the open transactions of another coordinator.
    Each coordinator has a separate sequence. A broker that compares them ends open transactions: input is redelivered, output is lost.

    Background:
      Given A is a transaction of the second coordinator, whose number the first one has passed
      And transaction B

    @needs:more-coordinators
    Scenario: [1] A transaction with an acknowledgement commits after one of another coordinator
      Given A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And B has committed
      When A commits
      Then subscription "workers" has "i3" left

    @needs:more-coordinators
    Scenario: [2] A transaction of another coordinator commits while an acknowledgement is pending
      Given A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B commits
      Then subscription "workers" has "i3" left

    @needs:more-coordinators
    Scenario: [3] A transaction with a message commits after one of another coordinator
      Given A has written "a1" to inputs
      And B has committed "b1" to inputs
      When A commits
      Then readers of inputs see "i1", "i2", "i3", "a1", "b1" in some order

    @needs:more-coordinators
    Scenario: [4] The first of two transactions with the same number aborts, and the second commits
      Given C and D are transactions with the same number at two coordinators
      And C has written "c1" to inputs
      And D has written "d1" to inputs
      And C has aborted
      When D commits
      Then readers of inputs see "i1", "i2", "i3", "d1"

    @needs:more-coordinators
    Scenario: [5] The second of two transactions with the same number commits, and the first aborts
      Given C and D are transactions with the same number at two coordinators
      And C has written "c1" to inputs
      And D has written "d1" to inputs
      And D has committed
      When C aborts
      Then readers of inputs see "i1", "i2", "i3", "d1"

    @needs:more-coordinators
    Scenario: [6] The first of two transactions with the same number commits while the second is open
      Given C and D are transactions with the same number at two coordinators
      And C has written "c1" to inputs
      And D has written "d1" to inputs
      When C commits
      Then readers of inputs see "i1", "i2", "i3", "c1"

    @needs:more-coordinators
    Scenario: [7] One of two transactions with the same number aborts, and the other one's acknowledgement is committed
      Given C and D are transactions with the same number at two coordinators
      And C has acknowledged "i1" for "workers"
      And D has acknowledged "i2" for "workers"
      And C has aborted
      When D commits
      Then subscription "workers" has "i1", "i3" left

    @needs:more-coordinators
    Scenario: [8] The topic is reloaded after the first of two transactions with the same number has aborted
      Given C and D are transactions with the same number at two coordinators
      And C has written "c1" to inputs
      And D has written "d1" to inputs
      And C has aborted
      And inputs has been unloaded
      When D commits
      Then readers of inputs see "i1", "i2", "i3", "d1"

    @needs:more-coordinators
    Scenario: [9] One of two transactions with the same number aborts, and the other one's cumulative acknowledgement is committed
      Given C and D are transactions with the same number at two coordinators
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And C has acknowledged everything up to "i1" for "auditors"
      And D has acknowledged "i3" for "auditors"
      And D has aborted
      When C commits
      Then subscription "auditors" has "i2", "i3" left

  @PIP31-180 @MUST @recovery
  Rule: A subscription keeps its pending acknowledgements apart from those of every other one, even if the names of both, joined with their topics' names, are the same text.
    One name is appended to another for what is kept of a subscription. A second subscription would delete what the first one has pending,
    and the input that a transaction has taken is processed again before its commit.

    Background:
      Given the topic "refunds" by the name of inputs followed by "-east" with "r1", "r2"
      And the consumer of exclusive subscription "others" has received "r1", "r2" from refunds, by the name of "workers"
      And the consumer of exclusive subscription "east-workers" has received "i1", "i2", "i3" from inputs
      And transaction A

    @needs:crash @needs:own-broker
    Scenario: [1] The system crashes after the other subscription was removed
      Given A has acknowledged "i1" for "east-workers"
      And subscription "others" has been removed
      When the system crashes and restarts
      Then the consumer of "east-workers" receives "i2", "i3" and nothing else

    Scenario: [2] Another subscription of the same topic is removed before the commit
      Given the consumer of shared subscription "packers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "east-workers"
      And subscription "packers" has been removed
      When A commits
      Then subscription "east-workers" has "i2", "i3" left
