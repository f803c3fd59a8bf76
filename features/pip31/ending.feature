Feature: The end of a transaction
  Decided once, and asked for again without harm. What was decided stays so, whatever is asked for later or at the same time.

  Background:
    Given the topics "orders" and "payments"
    And transaction A

  @PIP31-22 @MUST
  Rule: Ending a transaction that does not exist is refused as not found.
    A client that is told success for an unknown transaction believes that its data is there.

    Scenario: [1] A commit of a transaction id that was never given
      Given U is an unknown transaction
      When U commits
      Then it is refused with TransactionNotFound
      And the coordinator does not know U

    Scenario: [2] An abort of a transaction id that was never given
      Given U is an unknown transaction
      When U aborts
      Then it is refused with TransactionNotFound
      And the coordinator does not know U

  @PIP31-23 @MUST @commits
  Rule: Committing a transaction again while it is being committed succeeds.
    A client that lost the answer asks again while the commit is on its way, and has to learn that it is.

    @needs:held-ends
    Scenario: [1] A commit while the commit is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      When A commits
      Then it is done
      And A is COMMITTING

  @PIP31-24 @MUST @commits
  Rule: Committing a transaction again after it was committed succeeds, or finds no transaction any more.
    A client that lost the answer asks again; told that its commit is refused, it would do everything once more.

    Scenario: [1] A commit after the commit is complete
      Given A has committed "a1" to orders
      When A commits
      Then it is done, or refused with TransactionNotFound
      And readers of orders see "a1"

  @PIP31-25 @MUST @aborts
  Rule: Aborting a transaction again succeeds; after it was aborted, it may find no transaction any more.
    A client that lost the answer asks again; told that its abort is refused, it would take its messages for committed.

    @needs:held-ends
    Scenario: [1] An abort while the abort is incomplete
      Given A has written "a1" to orders
      And the abort of A is incomplete
      When A aborts
      Then it is done
      And A is ABORTING

    Scenario: [2] An abort after the abort is complete
      Given A has written "a1" to orders
      And A has aborted
      When A aborts
      Then it is done, or refused with TransactionNotFound
      And readers of orders see nothing

  @PIP31-26 @MUST @aborts
  Rule: Committing a transaction that is being aborted, or was, is refused and changes nothing.
    A client that is told that its aborted transaction was committed goes on, and its data is lost.

    @needs:held-ends
    Scenario: [1] A commit while the abort is incomplete
      Given A has written "a1" to orders
      And the abort of A is incomplete
      When A commits
      Then it is refused
      And A is ABORTING

    Scenario: [2] A commit after the abort is complete
      Given A has written "a1" to orders
      And A has aborted
      When A commits
      Then it is refused
      And readers of orders see nothing

    @needs:held-ends
    Scenario: [3] The abort is completed after a commit was refused
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And A has tried to commit
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

    @needs:crash
    Scenario: [4] A commit after the abort is complete and a crash
      Given A has written "a1" to orders
      And A has aborted
      And the system has crashed and come back
      When A commits
      Then it is refused
      And readers of orders see nothing

  @PIP31-27 @MUST @commits
  Rule: Aborting a transaction that is being committed, or was, is refused and changes nothing.
    A client that is told that its committed transaction was aborted writes everything once more.

    @needs:held-ends
    Scenario: [1] An abort while the commit is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      When A aborts
      Then it is refused
      And A is COMMITTING

    Scenario: [2] An abort after the commit is complete
      Given A has committed "a1" to orders
      When A aborts
      Then it is refused
      And readers of orders see "a1"

    @needs:held-ends
    Scenario: [3] The commit is completed after an abort was refused
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And A has tried to abort
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

    @needs:crash
    Scenario: [4] An abort after the commit is complete and a crash
      Given A has committed "a1" to orders
      And the system has crashed and come back
      When A aborts
      Then it is refused
      And readers of orders see "a1"

  @PIP31-73 @MUST @commits @aborts
  Rule: A transaction without any operation can be committed and aborted.
    A client that opened a transaction and found nothing to do has to get out of it.

    Scenario: [1] A commit of nothing
      When A commits
      Then it is done
      And A is COMMITTED

    Scenario: [2] An abort of nothing
      When A aborts
      Then it is done
      And A is ABORTED

  @PIP31-74 @MUST @commits @aborts
  Rule: Of two opposite ends at the same time exactly one wins, and every participant follows it.
    Two ends that are both told success leave one client with data that is gone, or there twice.

    Scenario: [1] The commit is sent first
      Given A has written "a1" to orders
      And A has written "a2" to payments
      When A is asked to commit and to abort at the same time
      Then exactly one end of A succeeded
      And orders agrees with the answers
      And payments agrees with the answers

    Scenario: [2] The abort is sent first
      Given A has written "a1" to orders
      And A has written "a2" to payments
      When A is asked to abort and to commit at the same time
      Then exactly one end of A succeeded
      And orders agrees with the answers
      And payments agrees with the answers

    Scenario: [3] The commit of an acknowledgement is sent first
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      When A is asked to commit and to abort at the same time
      Then exactly one end of A succeeded
      And "workers" agrees with the answers

    Scenario: [4] Twelve transactions, one commit or abort behind the other
      Given 12 transactions have written to orders
      When each of them is asked to commit and to abort at the same time
      Then exactly one end of each of them succeeded
      And orders agrees with the answers
