Feature: Acknowledging in a transaction
  An acknowledgement in a transaction is pending until the transaction ends: the message is withheld from every consumer, and neither
  deleted nor redelivered. A commit deletes it, an abort redelivers it, and nothing else ends that state.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs

  @PIP31-54 @MUST
  Rule: A broker delivers a message that is acknowledged in an open transaction to no consumer.
    A message that two consumers process has its effect twice.

    Scenario: [1] A consumer requests redelivery of everything
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the consumer of "workers" asks for redelivery
      Then the consumer of "workers" receives "i2", "i3" and nothing else

    Scenario: [2] Another consumer with two permits takes over
      Given transaction A
      And A has acknowledged "i1", "i2" for "workers"
      When another consumer takes over "workers" with 2 permits
      Then the consumer of "workers" receives "i3" and nothing else

    Scenario: [3] A consumer requests redelivery of everything with a cumulative acknowledgement pending
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When the consumer of "auditors" asks for redelivery
      Then the consumer of "auditors" receives "i3" and nothing else

  @PIP31-57 @MUST
  Rule: A plain acknowledgement deletes the messages that it names, except those that are pending in a transaction.
    If a plain acknowledgement overrides a pending one, an abort has no message left to redeliver.

    Scenario: [1] A transaction aborts after a plain acknowledgement of its pending message
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And "i1" has been acknowledged for "workers" without a transaction
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [2] A transaction aborts after a plain acknowledgement below its cumulative one
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And "i1" has been acknowledged for "auditors" without a transaction
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [3] A transaction aborts after a plain cumulative acknowledgement beyond its own
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And everything up to "i3" has been acknowledged for "auditors" without a transaction
      When A aborts
      Then subscription "auditors" has at least "i1", "i2" left

    Scenario: [4] A transaction aborts after a plain cumulative acknowledgement beyond its pending message
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "auditors"
      And everything up to "i2" has been acknowledged for "auditors" without a transaction
      When A aborts
      Then subscription "auditors" has at least "i1" left

    @needs:batch-index-acknowledgement
    Scenario: [5] A transaction aborts after a plain acknowledgement of another message of the same batch
      Given transaction A
      And a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And A has acknowledged "b1" for "packers"
      And "b2" has been acknowledged for "packers" without a transaction
      When A aborts
      Then subscription "packers" has "i1", "i2", "i3", "b1", "b3" left

    Scenario: [6] A plain acknowledgement names a pending message and a later one, and the transaction aborts
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And "i1", "i2" has been acknowledged for "workers" without a transaction
      When A aborts
      Then subscription "workers" has "i1", "i3" left

    Scenario: [7] A plain acknowledgement names a pending message and an earlier one, and the transaction aborts
      Given transaction A
      And A has acknowledged "i2" for "workers"
      And "i1", "i2" has been acknowledged for "workers" without a transaction
      When A aborts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [8] A plain acknowledgement is sent again after the transaction has aborted
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And "i1" has been acknowledged for "workers" without a transaction
      And A has aborted
      When "i1" is acknowledged for "workers" without a transaction
      Then subscription "workers" has "i2", "i3" left

  @PIP31-58 @MUST @aborts
  Rule: An abort redelivers the messages that the transaction has acknowledged.
    Input that is not redelivered after an abort is never processed.

    Scenario: [1] The consumer receives the aborted message and no other
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then the consumer of "workers" receives "i1" and nothing else

    Scenario: [2] Another transaction stays open when one aborts
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B aborts
      Then the consumer of "workers" receives "i2" and nothing else

    Scenario: [3] The timeout aborts a transaction with an acknowledgement
      Given transaction A with a short timeout
      And A has acknowledged "i1" for "workers"
      When A is left open past its timeout
      Then the consumer of "workers" receives "i1" and nothing else

    Scenario: [4] Another consumer has taken over before the abort
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And another consumer has taken over "workers"
      When A aborts
      Then the consumer of "workers" receives "i1", "i2", "i3" and perhaps others

  @PIP31-59 @MUST @commits @recovery
  Rule: A broker never redelivers a message that was acknowledged in a committed transaction, even after a crash.
    Input that is redelivered after the commit is processed twice.

    Scenario: [1] A transaction commits the acknowledgement of one of three messages
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2", "i3" left

    @needs:crash
    Scenario: [2] The system crashes after the commit of an acknowledgement
      Given transaction A
      And A has acknowledged "i2" for "workers"
      And A has committed
      When the system crashes and restarts
      Then subscription "workers" has "i1", "i3" left

    Scenario: [3] A transaction commits the acknowledgement of one of two messages of another transaction
      Given transactions A and B
      And A has written "a1", "a2" to inputs
      And A has committed
      And the consumer of shared subscription "others" has received "i1", "i2", "i3", "a1", "a2" from inputs
      And B has acknowledged "a2" for "others"
      When B commits
      Then subscription "others" has "i1", "i2", "i3", "a1" left

    @needs:crash
    Scenario: [4] The system crashes after the commit of what an aborted transaction had acknowledged
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And A has aborted
      And B has acknowledged "i1" for "workers"
      And B has committed
      When the system crashes and restarts
      Then subscription "workers" has "i2", "i3" left

    @needs:crash
    Scenario: [5] The system crashes after the commit of two acknowledgements after a message that is left
      Given transaction A
      And A has acknowledged "i2", "i3" for "workers"
      And A has committed
      When the system crashes and restarts
      Then subscription "workers" has "i1" left

    Scenario: [6] A consumer has requested redelivery of a message that is committed later
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And the consumer of "workers" has asked for redelivery
      When A commits
      Then the consumer of "workers" receives "i2", "i3" and nothing else

    Scenario: [7] A plain cumulative acknowledgement of earlier messages follows the commit
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i3" for "auditors"
      And A has committed
      When everything up to "i1" is acknowledged for "auditors" without a transaction
      Then subscription "auditors" has "i2" left

  @PIP31-60 @MUST @recovery
  Rule: After a crash a broker neither redelivers a message that is pending in a transaction nor accepts its acknowledgement in another one.
    A broker that loses pending acknowledgements in a crash delivers the messages to others while the transaction may still commit.

    @needs:crash
    Scenario: [1] The system crashes while a message is pending
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the system crashes and restarts
      Then the consumer of "workers" receives "i2", "i3" and nothing else

    @needs:crash
    Scenario: [2] Another transaction acknowledges a pending message after a crash
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:crash
    Scenario: [3] The system crashes while a cumulative acknowledgement is pending
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When the system crashes and restarts
      Then the consumer of "auditors" receives "i3" and nothing else

    @needs:crash
    Scenario: [4] The system crashes while two acknowledgements of one transaction are pending
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i2" for "workers"
      When the system crashes and restarts
      Then the consumer of "workers" receives "i3" and nothing else

    @needs:crash
    Scenario: [5] The system crashes while acknowledgements of two transactions are pending
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When the system crashes and restarts
      Then the consumer of "workers" receives "i3" and nothing else

  @PIP31-61 @MUST
  Rule: A pending acknowledgement stays pending until its transaction ends: no other consumer, no other transaction and no crash releases it.
    A consumer that closes must not release what its transaction has acknowledged: another consumer would process it before the commit.

    Scenario: [1] Another transaction acknowledges a pending message after another consumer took over
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And another consumer has taken over "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [2] A newer transaction commits while a message is pending
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B commits
      Then subscription "workers" has "i3" left

    @needs:crash
    Scenario: [3] A transaction that began after a crash commits while a message is pending
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      And transaction B
      And B has acknowledged "i2" for "workers"
      When B commits
      Then subscription "workers" has "i3" left

    @needs:crash
    Scenario: [4] A newer transaction commits after a crash, and then the older one
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      And B has acknowledged "i2" for "workers"
      And B has committed
      When A commits
      Then subscription "workers" has "i3" left

    Scenario Outline: [5] Another transaction acknowledges a pending message after a third one has ended
      Given transactions A, B and C
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And B has <ended>
      When C acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

      Examples:
        | ended     | why                                                    |
        | aborted   | the abort releases nothing of the transaction that is open |
        | committed | the same for a commit                                  |

    Scenario: [6] Another transaction acknowledges a pending message after one that was refused has aborted
      Given transactions A, B and C
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i1" for "workers"
      And B has aborted
      When C acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [7] A transaction commits after one that was refused its message has aborted
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i1" for "workers"
      When B aborts
      Then subscription "workers" has "i2", "i3" left

    @needs:crash
    Scenario: [8] A transaction that was refused a pending message aborts after a crash
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i1" for "workers"
      And the system has crashed and restarted
      When B aborts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [9] Another transaction acknowledges a pending message after a plain acknowledgement of it
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And "i1" has been acknowledged for "workers" without a transaction
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [10] Another transaction acknowledges a pending message after its owner has acknowledged it once more
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And A has tried to acknowledge "i1" for "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

  @PIP31-62 @MUST
  Rule: A broker does not redeliver a message that is pending in a transaction when its consumer requests redelivery.
    A consumer that requests redelivery must not receive what a transaction may still commit.

    Scenario: [1] A consumer requests redelivery of a pending message and of another one
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the consumer of "workers" asks for redelivery of "i1", "i2"
      Then the consumer of "workers" receives "i2" and nothing else

  @PIP31-65 @MUST
  Rule: A transaction's acknowledgement on one subscription changes no other subscription.
    A commit on one subscription must not delete messages that another one has not processed.

    Scenario: [1] A message that is pending on one subscription is acknowledged on another
      Given transactions A and B
      And the consumer of shared subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When B acknowledges "i1" for "others"
      Then it is done

    Scenario: [2] A message that is committed on one subscription remains on another
      Given transaction A
      And the consumer of shared subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "others" has "i1", "i2", "i3" left

    Scenario: [3] An abort returns a message on one subscription that is pending on another
      Given transactions A and B
      And the consumer of shared subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i1" for "others"
      And A has aborted
      When the consumer of "others" asks for redelivery
      Then the consumer of "others" receives "i2", "i3" and nothing else

    Scenario: [4] An abort on one subscription redelivers nothing on another
      Given transaction A
      And the consumer of shared subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then the consumer of "others" receives nothing

  @PIP31-67 @MUST
  Rule: A broker answers each acknowledgement in a transaction with success or with an error.
    A client without an answer never commits, or commits without what it has processed.

    Scenario: [1] A transaction acknowledges two free messages
      Given transaction A
      When A acknowledges "i1", "i2" for "workers"
      Then the acknowledgement for "workers" is answered
      And it is done

    Scenario: [2] A transaction acknowledges a free message and one that is pending in another transaction
      Given transactions A and B
      And A has acknowledged "i2" for "workers"
      When B acknowledges "i1", "i2" for "workers"
      Then the acknowledgement for "workers" is answered
      And it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [3] A client acknowledges without requesting an answer
      Given transaction A
      When A acknowledges "i1", "i2" for "workers" without asking for an answer
      Then the consumer of "workers" learns nothing that it did not ask for

    Scenario: [4] A client acknowledges a pending message without requesting an answer
      Given transactions A and B
      And A has acknowledged "i2" for "workers"
      When B acknowledges "i1", "i2" for "workers" without asking for an answer
      Then the consumer of "workers" learns nothing that it did not ask for
