Feature: Acknowledging in a transaction
  What a transaction has acknowledged is pending until it ends: withheld from everybody, and neither deleted nor given back.
  A commit deletes it, an abort gives it back, and nothing else ends that state.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs

  @PIP31-54 @MUST
  Rule: A message that is acknowledged in an open transaction is delivered to nobody else.
    A message that two consumers process has its effect twice.

    Scenario: [1] Redelivery of all that a consumer has
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the consumer of "workers" asks for redelivery
      Then the consumer of "workers" receives "i2", "i3" and nothing else

    Scenario: [2] Another consumer with two permits
      Given transaction A
      And A has acknowledged "i1", "i2" for "workers"
      When another consumer takes over "workers" with 2 permits
      Then the consumer of "workers" receives "i3" and nothing else

    Scenario: [3] Redelivery of all beside a pending cumulative acknowledgement
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When the consumer of "auditors" asks for redelivery
      Then the consumer of "auditors" receives "i3" and nothing else

  @PIP31-55 @MUST
  Rule: Acknowledging in a transaction what is pending in another is refused.
    Two transactions that both commit what they made of one message would have processed it twice.

    Scenario: [1] A message that is pending in another transaction
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:batch-index-acknowledgement
    Scenario: [2] A message of a batch on an exclusive subscription
      Given transactions A and B
      And a batch of "b1", "b2" has been written to inputs
      And the consumer of exclusive subscription "packers" has received "i1", "i2", "i3", "b1", "b2" from inputs
      And A has acknowledged "b2" for "packers"
      When B acknowledges "b2" for "packers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [3] A message of a committed transaction
      Given transactions A, B and C
      And A has written "a1", "a2" to inputs
      And A has committed
      And the consumer of shared subscription "others" has received "i1", "i2", "i3", "a1", "a2" from inputs
      And B has acknowledged "a1" for "others"
      When C acknowledges "a1" for "others"
      Then it is refused with TransactionConflict or InvalidTxnStatus

  @PIP31-56 @MUST
  Rule: Acknowledging in a transaction what is deleted already is refused.
    Whoever processes a message that somebody else has finished must hear of it before the commit.

    Scenario: [1] A message that a plain acknowledgement deleted
      Given transaction A
      And "i1" has been acknowledged for "workers" without a transaction
      When A acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [2] A message that a committed transaction deleted
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And A has committed
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [3] Everything up to a message that is deleted
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And everything up to "i2" has been acknowledged for "auditors" without a transaction
      When A acknowledges everything up to "i2" for "auditors"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:batch-index-acknowledgement
    Scenario: [4] Two messages of a batch, of which one is deleted
      Given transaction A
      And a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And "b1" has been acknowledged for "packers" without a transaction
      When A acknowledges "b1", "b2" for "packers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

  @PIP31-57 @MUST
  Rule: A plain acknowledgement does not delete a message that is pending in a transaction.
    A plain acknowledgement that wins over a pending one leaves an abort nothing to give back.

    Scenario: [1] A plain acknowledgement of a pending message, and then an abort
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And "i1" has been acknowledged for "workers" without a transaction
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [2] A plain acknowledgement of a message under a cumulative one, and then an abort
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And "i1" has been acknowledged for "auditors" without a transaction
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [3] A plain cumulative acknowledgement beyond a cumulative one, and then an abort
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And everything up to "i3" has been acknowledged for "auditors" without a transaction
      When A aborts
      Then subscription "auditors" has at least "i1", "i2" left

    Scenario: [4] A plain cumulative acknowledgement over a pending message, and then an abort
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "auditors"
      And everything up to "i2" has been acknowledged for "auditors" without a transaction
      When A aborts
      Then subscription "auditors" has at least "i1" left

    @needs:batch-index-acknowledgement
    Scenario: [5] A plain acknowledgement of another message of the same batch, and then an abort
      Given transaction A
      And a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And A has acknowledged "b1" for "packers"
      And "b2" has been acknowledged for "packers" without a transaction
      When A aborts
      Then subscription "packers" has "i1", "i2", "i3", "b1", "b3" left

  @PIP31-58 @MUST @aborts
  Rule: An abort gives the messages that were acknowledged in it back for delivery.
    Input that an abort does not give back is never processed.

    Scenario: [1] The consumer that has the other messages
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then the consumer of "workers" receives "i1" and nothing else

    Scenario: [2] Another transaction stays open
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B aborts
      Then the consumer of "workers" receives "i2" and nothing else

    Scenario: [3] The time-out aborts
      Given transaction A with a short time-out
      And A has acknowledged "i1" for "workers"
      When A is left open past its time-out
      Then the consumer of "workers" receives "i1" and nothing else

    Scenario: [4] Another consumer has taken over before the abort
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And another consumer has taken over "workers"
      When A aborts
      Then the consumer of "workers" receives at least "i1", "i2", "i3"

  @PIP31-59 @MUST @commits @recovery
  Rule: What was acknowledged in a committed transaction is never delivered again, also not after a crash.
    Input that comes back after its commit is processed twice.

    Scenario: [1] A commit of one of three messages
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2", "i3" left

    @needs:crash
    Scenario: [2] A crash after the commit
      Given transaction A
      And A has acknowledged "i2" for "workers"
      And A has committed
      When the system crashes and comes back
      Then subscription "workers" has "i1", "i3" left

    Scenario: [3] One of two messages of a committed transaction
      Given transactions A and B
      And A has written "a1", "a2" to inputs
      And A has committed
      And the consumer of shared subscription "others" has received "i1", "i2", "i3", "a1", "a2" from inputs
      And B has acknowledged "a2" for "others"
      When B commits
      Then subscription "others" has "i1", "i2", "i3", "a1" left

  @PIP31-60 @MUST @recovery
  Rule: Pending acknowledgements survive a crash of the broker: no redelivery, and a refusal as before.
    A crash that forgets what is pending gives it to others while its transaction may still commit.

    @needs:crash
    Scenario: [1] A crash while a message is pending
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the system crashes and comes back
      Then the consumer of "workers" receives "i2", "i3" and nothing else

    @needs:crash
    Scenario: [2] An acknowledgement in another transaction after the crash
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And the system has crashed and come back
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:crash
    Scenario: [3] A crash while a cumulative acknowledgement is pending
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When the system crashes and comes back
      Then the consumer of "auditors" receives "i3" and nothing else

    @needs:crash
    Scenario: [4] A crash while two acknowledgements of one transaction are pending
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i2" for "workers"
      When the system crashes and comes back
      Then the consumer of "workers" receives "i3" and nothing else

  @PIP31-61 @MUST
  Rule: Only the end of its transaction ends a pending acknowledgement.
    A consumer that goes away must not free what its transaction holds: another would process it, and then the commit comes.

    Scenario: [1] Another consumer takes over
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And another consumer has taken over "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [2] A newer transaction commits
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B commits
      Then subscription "workers" has "i3" left

    @needs:crash
    Scenario: [3] A transaction that begins behind a crash commits
      Given transaction A
      And A has acknowledged "i1" for "workers"
      And the system has crashed and come back
      And transaction B
      And B has acknowledged "i2" for "workers"
      When B commits
      Then subscription "workers" has "i3" left

    @needs:crash
    Scenario: [4] A newer transaction commits behind a crash, and then this one does
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And the system has crashed and come back
      And B has acknowledged "i2" for "workers"
      And B has committed
      When A commits
      Then subscription "workers" has "i3" left

  @PIP31-62 @MUST
  Rule: Asking for redelivery has no effect on a message that is pending in a transaction.
    A consumer that asks for redelivery must not get what a transaction may still commit.

    Scenario: [1] Redelivery of a message that is pending and of one that is not
      Given transaction A
      And A has acknowledged "i1" for "workers"
      When the consumer of "workers" asks for redelivery of "i1", "i2"
      Then the consumer of "workers" receives "i2" and nothing else

  @PIP31-65 @MUST
  Rule: Acknowledgements in a transaction on one subscription leave every other subscription as it was.
    A commit on one subscription must not delete messages that another has not processed.

    Scenario: [1] A message that is pending on another subscription
      Given transactions A and B
      And the consumer of shared subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When B acknowledges "i1" for "others"
      Then it is done

    Scenario: [2] A message that is deleted on another subscription
      Given transaction A
      And the consumer of shared subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "others" has "i1", "i2", "i3" left

  @PIP31-67 @MUST
  Rule: An acknowledgement in a transaction is answered, with success or with its error.
    A client that hears nothing waits before its commit for ever, or commits without what it has processed.

    Scenario: [1] Two messages that nobody else has acknowledged
      Given transaction A
      When A acknowledges "i1", "i2" for "workers"
      Then the acknowledgement for "workers" is answered
      And it is done

    Scenario: [2] One of two messages is pending in another transaction
      Given transactions A and B
      And A has acknowledged "i2" for "workers"
      When B acknowledges "i1", "i2" for "workers"
      Then the acknowledgement for "workers" is answered
      And it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [3] A client that asks for no answer
      Given transaction A
      When A acknowledges "i1", "i2" for "workers" without asking for an answer
      Then the consumer of "workers" is told nothing that it did not ask for

    Scenario: [4] A client that asks for no answer, and would be refused
      Given transactions A and B
      And A has acknowledged "i2" for "workers"
      When B acknowledges "i1", "i2" for "workers" without asking for an answer
      Then the consumer of "workers" is told nothing that it did not ask for

  @PIP31-70 @MUST @aborts
  Rule: A transaction that met a conflict can be aborted, and then nothing of it remains.
    Half of a refused request must not stay behind: nobody would ever free it.

    Scenario: [1] An abort after the conflict
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      When B aborts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [2] Another transaction acknowledges after the abort
      Given transactions A, B and C
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      And B has aborted
      When C acknowledges "i2" for "workers"
      Then it is done

  @PIP31-154 @SHOULD
  Rule: An acknowledgement that was refused withholds none of the messages that it names.
    The message beside the one in conflict would be processed by nobody for as long as the loser is open.

    Scenario: [1] Another transaction acknowledges the message that was free
      Given transactions A, B and C
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      When C acknowledges "i2" for "workers"
      Then it is done

    Scenario: [2] Another consumer takes over from the one that was refused
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i2", "i3" and nothing else
