Feature: Several participants in one request
  A client adds all participants of a transaction in one request, and each of them counts.

  @PIP31-87 @MUST
  Rule: Every topic and subscription that one request adds follows the end of the transaction.
    A transaction over three topics would be committed on one, and block the readers of the others for ever.

    Background:
      Given the topics "orders", "payments" and "refunds"
      And the topic "inputs" with "i1"
      And the consumer of shared subscription "early" has received "i1" from inputs
      And the consumer of shared subscription "late" has received "i1" from inputs
      And transaction A
      And A has added orders and payments and refunds

    Scenario: [1] A transaction with three topics from one request commits
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And A has written "a3" to refunds
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"
      And readers of refunds see "a3"

    @needs:buffer-statistics
    Scenario: [2] A transaction with three topics from one request aborts
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And A has written "a3" to refunds
      When A aborts
      Then nothing of A is pending in orders
      And nothing of A is pending in payments
      And nothing of A is pending in refunds

    @needs:buffer-statistics
    Scenario: [3] A transaction with two subscriptions from one request commits
      Given A has added "early" and "late"
      And A has acknowledged "i1" for "early"
      And A has acknowledged "i1" for "late"
      When A commits
      Then nothing of A is pending in "early"
      And subscription "early" has nothing left
      And subscription "late" has nothing left

    @needs:crash @needs:buffer-statistics
    Scenario Outline: [4] A transaction with two subscriptions from one request commits after a crash
      Given A has added "early" and "late"
      And A has acknowledged "i1" for "early"
      And A has acknowledged "i1" for "late"
      And the system has crashed and restarted
      When A commits
      Then nothing of A is pending in <subscription>
      And subscription <subscription> has nothing left

      Examples:
        | subscription | why                               |
        | "early"      | the first of the list is restored |
        | "late"       | the last of the list is restored  |

    @needs:crash
    Scenario: [5] A transaction with two subscriptions from one request aborts after a crash
      Given A has added "early" and "late"
      And A has acknowledged "i1" for "early"
      And A has acknowledged "i1" for "late"
      And the system has crashed and restarted
      When A aborts
      Then subscription "early" has "i1" left
      And subscription "late" has "i1" left

    @needs:buffer-statistics
    Scenario: [6] A subscription that was added already and a new one are added in one request
      Given A has added "early"
      And A has added "early" and "late"
      And A has acknowledged "i1" for "late"
      When A commits
      Then nothing of A is pending in "late"
      And subscription "late" has nothing left

    Scenario: [7] The coordinator lists the participants of one request
      When A adds "early" and "late"
      Then it is done
      And orders and payments and refunds take part in A
      And "early" and "late" take part in A

    @needs:crash
    Scenario: [8] A transaction with three topics from one request commits after a crash
      Given A has written "a1" to orders
      And A has written "a3" to refunds
      And the system has crashed and restarted
      When A commits
      Then readers of orders see "a1"
      And readers of refunds see "a3"
