Feature: The end of a transaction
  The end is decided once, and can be requested again without harm. What was decided remains so, whatever is requested later or
  concurrently.

  Background:
    Given the topics "orders" and "payments"
    And transaction A

  @PIP31-22 @MUST
  Rule: A coordinator answers END_TXN for an unknown transaction with TransactionNotFound, and neither opens it nor changes another one.
    A client that receives a success for an unknown transaction believes that its data is stored.

    Scenario: [1] A client commits a transaction id that was never assigned
      Given U is an unknown transaction
      When U commits
      Then it is refused with TransactionNotFound
      And the coordinator does not know U

    Scenario: [2] A client aborts a transaction id that was never assigned
      Given U is an unknown transaction
      When U aborts
      Then it is refused with TransactionNotFound
      And the coordinator does not know U

    Scenario: [3] A client commits an unknown transaction while another one is open
      Given transaction A
      And A has written "a1" to orders
      And U is an unknown transaction
      When U commits
      Then it is refused with TransactionNotFound
      And A is OPEN
      And readers of orders see nothing

    Scenario: [4] A client has committed a transaction of a coordinator that does not exist, with the number of an open one
      Given transaction A
      And A has written "a1" to orders
      And U is a transaction of an unknown coordinator, with the number of A
      And U has tried to commit
      When A aborts
      Then it is done
      And readers of orders see nothing

  @PIP31-23 @MUST @commits
  Rule: A coordinator answers a repeated commit with success while the first commit is in progress.
    A client that lost the answer retries during the commit, and has to learn that the commit is in progress.

    @needs:held-ends
    Scenario: [1] A client repeats a commit while it is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      When A commits
      Then it is done
      And A is COMMITTING

    @needs:crash @needs:held-ends
    Scenario: [2] A client repeats a commit that is incomplete after a crash
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And the system has crashed and restarted
      When A commits
      Then it is done
      And A is COMMITTING

  @PIP31-24 @MUST @commits
  Rule: A coordinator answers a repeated commit of a committed transaction with success or with TransactionNotFound.
    A client that lost the answer retries; if its commit were refused, it would do everything once more.

    Scenario: [1] A client repeats a commit after it is complete
      Given A has committed "a1" to orders
      When A commits
      Then it is done, or refused with TransactionNotFound
      And readers of orders see "a1"

    @needs:crash
    Scenario: [2] A client repeats a commit after a refused abort and a crash
      Given A has committed "a1" to orders
      And A has tried to abort
      And the system has crashed and restarted
      When A commits
      Then it is done, or refused with TransactionNotFound
      And readers of orders see "a1"

  @PIP31-25 @MUST @aborts
  Rule: A coordinator answers a repeated abort with success, or with TransactionNotFound once the abort is complete.
    A client that lost the answer retries; if its abort were refused, it would believe its messages committed.

    @needs:held-ends
    Scenario: [1] A client repeats an abort while it is incomplete
      Given A has written "a1" to orders
      And the abort of A is incomplete
      When A aborts
      Then it is done
      And A is ABORTING

    Scenario: [2] A client repeats an abort after it is complete
      Given A has written "a1" to orders
      And A has aborted
      When A aborts
      Then it is done, or refused with TransactionNotFound
      And readers of orders see nothing

    @needs:crash @needs:held-ends
    Scenario: [3] A client repeats an abort that is incomplete after a crash
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And the system has crashed and restarted
      When A aborts
      Then it is done
      And A is ABORTING

    @needs:crash
    Scenario: [4] A client aborts after a complete abort and a crash
      Given A has written "a1" to orders
      And A has aborted
      And the system has crashed and restarted
      When A aborts
      Then it is done, or refused with TransactionNotFound
      And readers of orders see nothing

  @PIP31-26 @MUST @aborts
  Rule: A coordinator refuses END_TXN with COMMIT for a transaction that is ABORTING or ABORTED, and the transaction ends as aborted.
    A client that receives a success for an aborted transaction continues, and its data is lost.

    @needs:held-ends
    Scenario: [1] A client commits while the abort is incomplete
      Given A has written "a1" to orders
      And the abort of A is incomplete
      When A commits
      Then it is refused
      And A is ABORTING

    Scenario: [2] A client commits after the abort is complete
      Given A has written "a1" to orders
      And A has aborted
      When A commits
      Then it is refused
      And readers of orders see nothing

    @needs:held-ends
    Scenario: [3] An incomplete abort is completed after a commit was refused
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And A has tried to commit
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

    @needs:crash
    Scenario: [4] A client commits after a complete abort and a crash
      Given A has written "a1" to orders
      And A has aborted
      And the system has crashed and restarted
      When A commits
      Then it is refused
      And readers of orders see nothing

    Scenario: [5] A client repeats a commit that was refused
      Given A has written "a1" to orders
      And A has aborted
      And A has tried to commit
      When A commits
      Then it is refused
      And readers of orders see nothing

    @needs:crash @needs:held-ends
    Scenario: [6] The system crashes after it refused a commit while the abort is incomplete
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And A has tried to commit
      And the system has crashed and restarted
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

    @needs:crash @needs:held-ends
    Scenario: [7] A client commits while the abort is incomplete after a crash
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And the system has crashed and restarted
      When A commits
      Then it is refused
      And A is ABORTING

  @PIP31-27 @MUST @commits
  Rule: A coordinator refuses to abort a transaction that is being committed or was committed, and changes nothing.
    A client that is answered that its committed transaction was aborted writes everything once more.

    @needs:held-ends
    Scenario: [1] A client aborts while the commit is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      When A aborts
      Then it is refused
      And A is COMMITTING

    Scenario: [2] A client aborts after the commit is complete
      Given A has committed "a1" to orders
      When A aborts
      Then it is refused
      And readers of orders see "a1"

    @needs:held-ends
    Scenario: [3] An incomplete commit is completed after an abort was refused
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And A has tried to abort
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

    @needs:crash
    Scenario: [4] A client aborts after a complete commit and a crash
      Given A has committed "a1" to orders
      And the system has crashed and restarted
      When A aborts
      Then it is refused
      And readers of orders see "a1"

    Scenario: [5] A client repeats an abort that was refused
      Given A has committed "a1" to orders
      And A has tried to abort
      When A aborts
      Then it is refused
      And readers of orders see "a1"

    @needs:crash @needs:held-ends
    Scenario: [6] The system crashes after it refused an abort while the commit is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And A has tried to abort
      And the system has crashed and restarted
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

    @needs:crash @needs:held-ends
    Scenario: [7] A client aborts while the commit is incomplete after a crash
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And the system has crashed and restarted
      When A aborts
      Then it is refused
      And A is COMMITTING

  @PIP31-73 @MUST @commits @aborts
  Rule: A coordinator commits and aborts a transaction without any operation.
    A client that opened a transaction and found nothing to do must be able to end it.

    Scenario: [1] A transaction without operations commits
      When A commits
      Then it is done
      And A is COMMITTED

    Scenario: [2] A transaction without operations aborts
      When A aborts
      Then it is done
      And A is ABORTED

    Scenario: [3] A transaction that has added a topic and a subscription commits without operations
      Given the consumer of shared subscription "workers" has received nothing from payments
      And A has added orders
      And A has added "workers"
      When A commits
      Then it is done
      And A is COMMITTED

    Scenario: [4] A transaction that has added a topic and a subscription aborts without operations
      Given the consumer of shared subscription "workers" has received nothing from payments
      And A has added orders
      And A has added "workers"
      When A aborts
      Then it is done
      And A is ABORTED

  @PIP31-74 @MUST @commits @aborts
  Rule: If a commit and an abort of one transaction race, exactly one succeeds, and every participant follows it.
    If both ends return success, the data of one client is lost or duplicated.

    Scenario: [1] A commit and an abort are requested concurrently, and the commit is sent first
      Given A has written "a1" to orders
      And A has written "a2" to payments
      When A is asked to commit and to abort at the same time
      Then exactly one end of A succeeded
      And orders agrees with the answers
      And payments agrees with the answers

    Scenario: [2] A commit and an abort are requested concurrently, and the abort is sent first
      Given A has written "a1" to orders
      And A has written "a2" to payments
      When A is asked to abort and to commit at the same time
      Then exactly one end of A succeeded
      And orders agrees with the answers
      And payments agrees with the answers

    Scenario: [3] A commit and an abort of an acknowledgement are requested concurrently
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      When A is asked to commit and to abort at the same time
      Then exactly one end of A succeeded
      And "workers" agrees with the answers

    Scenario: [4] Commits and aborts of twelve transactions are requested concurrently
      Given 12 transactions have written to orders
      When each of them is asked to commit and to abort at the same time
      Then exactly one end of each of them succeeded
      And orders agrees with the answers
