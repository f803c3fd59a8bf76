@needs:batch-index-acknowledgement
Feature: Acknowledging a batch in several transactions
  Messages that one producer sent in one entry are acknowledged individually, and each has a separate state.

  Background:
    Given the topic "inputs"
    And a batch of "b1", "b2", "b3" has been written to inputs
    And the consumer of shared subscription "workers" has received "b1", "b2", "b3" from inputs

  @PIP31-66 @MUST @aborts
  Rule: Two transactions may acknowledge different messages of one batch, and the end of each applies only to those that it acknowledged.
    The messages of a batch share one entry; an end that applies to whole entries also ends those of another transaction.

    Scenario: [1] A transaction acknowledges a second message of a batch
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      When B acknowledges "b2" for "workers"
      Then it is done

    Scenario: [2] One transaction commits and the other aborts a message of a batch
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And A has committed
      When B aborts
      Then subscription "workers" has "b2", "b3" left

    Scenario: [3] A third transaction acknowledges a message of a batch after an abort
      Given transactions A, B and C
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And B has aborted
      When C acknowledges "b2" for "workers"
      Then it is done

    @needs:crash
    Scenario: [4] The system crashes after the commit of one message of a batch
      Given transaction A
      And A has acknowledged "b1" for "workers"
      And A has committed
      When the system crashes and restarts
      Then subscription "workers" has "b2", "b3" left

    @needs:crash
    Scenario: [5] The system crashes between the commit of one message of a batch and the abort of another
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And B has committed
      And the system has crashed and restarted
      When A aborts
      Then subscription "workers" has "b1", "b3" left

    @needs:crash
    Scenario: [6] The system crashes while two messages of a batch are pending in two transactions
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And the system has crashed and restarted
      And A has committed
      When B commits
      Then subscription "workers" has "b3" left

    @needs:buffer-statistics
    Scenario: [7] Nothing is pending after the commits of two messages of a batch
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And A has committed
      When B commits
      Then nothing of B is pending in "workers"
      And subscription "workers" has "b3" left

    Scenario: [8] The last message of a batch of seventy is acknowledged in a transaction that commits
      Given the topic "orders"
      And transaction A
      And A has acknowledged the last of 70 messages of orders for "packers", which are one batch
      When A commits
      Then "packers" agrees with the answers

    Scenario: [9] The last message of a batch of seventy is acknowledged in a transaction that aborts
      Given the topic "orders"
      And transaction A
      And A has acknowledged the last of 70 messages of orders for "packers", which are one batch
      When A aborts
      Then "packers" agrees with the answers

    @needs:crash
    Scenario: [10] The system crashes after the commit of the last message of a batch
      Given transaction A
      And A has acknowledged "b3" for "workers"
      And A has committed
      When the system crashes and restarts
      Then subscription "workers" has "b1", "b2" left

    Scenario Outline: [11] Another transaction acknowledges a pending message of a batch after a transaction with another message of it has ended
      Given transactions A, B and C
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And A has <ended>
      When C acknowledges "b2" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

      Examples:
        | ended     | why                                          |
        | aborted   | the abort releases only what was acknowledged |
        | committed | the commit deletes only what was acknowledged |

    @needs:crash
    Scenario: [12] The system crashes after the abort of one message of a batch while another one is pending
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And A has aborted
      When the system crashes and restarts
      Then the consumer of "workers" receives "b1", "b3" and nothing else

    Scenario: [13] One transaction commits a message of a batch after another one has aborted
      Given transactions A and B
      And A has acknowledged "b1" for "workers"
      And B has acknowledged "b2" for "workers"
      And A has aborted
      When B commits
      Then subscription "workers" has "b1", "b3" left

    Scenario: [14] A consumer requests redelivery while a message of a batch is pending
      Given transaction A
      And A has acknowledged "b1" for "workers"
      When the consumer of "workers" asks for redelivery
      Then the consumer of "workers" receives "b2", "b3" and nothing else
