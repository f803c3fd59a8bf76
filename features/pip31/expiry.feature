Feature: Timeouts
  A transaction that no client ends is aborted at its timeout, and not before; what is decided by then stays decided.

  Background:
    Given the topic "orders"

  @PIP31-39 @MUST @aborts
  Rule: A coordinator aborts an open transaction after its timeout, without a request of the client.
    A client that crashed would keep topics and subscriptions waiting for ever.

    Scenario: [1] An abandoned transaction is followed by a committed one
      Given transactions A and B with a short timeout
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When A is left open past its timeout
      Then A is ABORTED
      And readers of orders see "b1"

    @needs:more-coordinators
    Scenario: [2] An abandoned transaction of another coordinator times out
      Given A is a transaction of the second coordinator with a short timeout
      And A has written "a1" to orders
      When A is left open past its timeout
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [3] A short transaction times out that began after a long one
      Given transaction A
      And transaction B with a short timeout
      And A has written "a1" to orders
      And B has written "b1" to orders
      When B is left open past its timeout
      Then B is ABORTED

    @needs:own-broker
    Scenario: [4] A short transaction times out that began after one with the longest possible timeout
      Given transaction A with a maximal timeout
      And transaction B with a short timeout
      And B has written "b1" to orders
      When B is left open past its timeout
      Then B is ABORTED

    @needs:held-ends
    Scenario: [5] A transaction times out while the abort of an earlier one is incomplete
      Given transactions A and B with a short timeout
      And the end of A is held up
      And B has written "b1" to orders
      When B is left open past its timeout
      Then B is ABORTED

    @needs:held-ends
    Scenario: [6] A transaction begins and times out while the abort of an earlier one is incomplete
      Given transaction A
      And A has written "a1" to orders
      And the abort of A is incomplete
      And transaction B with a short timeout
      And B has written "b1" to orders
      When B is left open past its timeout
      Then B is ABORTED

  @PIP31-40 @MUST
  Rule: A coordinator does not abort a transaction before its timeout.
    A client that kept its timeout fails if its transaction is aborted early.

    Scenario: [1] An abandoned transaction is open until its timeout
      Given transaction A with a short timeout
      And A has written "a1" to orders
      When A is left open past its timeout
      Then A was OPEN until its timeout had passed

    Scenario: [2] A transaction is open when another one with a shorter timeout times out
      Given transaction A
      And transaction B with a short timeout
      And A has written "a1" to orders
      When B is left open past its timeout
      Then A is OPEN

    @needs:own-broker
    Scenario: [3] A transaction with the longest possible timeout is open when another one times out
      Given transaction A with a maximal timeout
      And transaction B with a short timeout
      And A has written "a1" to orders
      When B is left open past its timeout
      Then A is OPEN

    @needs:crash @needs:own-broker
    Scenario: [4] A transaction with the longest possible timeout is open after a crash
      Given transaction A with a maximal timeout
      And A has written "a1" to orders
      And the system has crashed and restarted
      And transaction B with a short timeout
      When B is left open past its timeout
      Then A is OPEN

    Scenario: [5] The client that began a transaction loses its connection
      Given A was begun by a client that has lost its connection
      When A adds orders
      Then it is done
      And A is OPEN

    Scenario: [6] An abandoned transaction is open until a timeout that is no whole number of seconds
      Given transaction A with a fractional timeout
      And A has written "a1" to orders
      When A is left open past its timeout
      Then A was OPEN until its timeout had passed

  @PIP31-41 @MUST
  Rule: A coordinator counts the timeout from the beginning of the transaction, whatever is added later.
    A client that adds participants again and again would never time out.

    Scenario: [1] A client keeps adding a topic until the timeout
      Given transaction A with a short timeout
      And A has written "a1" to orders
      When A adds orders again and again until it is refused
      Then it is refused
      And A is ABORTED
      And readers of orders see nothing

    Scenario: [2] A client keeps adding a subscription until the timeout
      Given the consumer of shared subscription "workers" has received nothing from orders
      And transaction A with a short timeout
      When A adds "workers" again and again until it is refused
      Then it is refused
      And A is ABORTED

    Scenario: [3] A client keeps adding a topic and a subscription in turn until the timeout
      Given the consumer of shared subscription "workers" has received nothing from orders
      And transaction A with a short timeout
      When A adds orders and "workers" again and again until it is refused
      Then it is refused
      And A is ABORTED

  @PIP31-42 @MUST @fencing
  Rule: A coordinator refuses a commit after the timeout, and the messages of the transaction stay invisible.
    A late client must learn that its data is discarded.

    Scenario: [1] A client commits after the timeout
      Given transaction A with a short timeout
      And A has written "a1" to orders
      And A has been left open past its timeout
      When A commits
      Then it is refused
      And readers of orders see nothing

    Scenario: [2] A client repeats a commit that was refused after the timeout
      Given transaction A with a short timeout
      And A has written "a1" to orders
      And A has been left open past its timeout
      And A has tried to commit
      When A commits
      Then it is refused
      And readers of orders see nothing

    @needs:crash
    Scenario: [3] A client commits after the timeout and a crash
      Given transaction A with a short timeout
      And A has written "a1" to orders
      And A has been left open past its timeout
      And the system has crashed and restarted
      When A commits
      Then it is refused
      And readers of orders see nothing

  @PIP31-43 @MUST @recovery
  Rule: The timeout of a transaction survives a crash of its coordinator.
    If a crash loses the timeouts, the transactions of crashed clients stay open for ever.

    @needs:crash @alone
    Scenario: [1] The system crashes before the timeout of a transaction
      Given transactions A and B with a moderate timeout
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When the system crashes while A is OPEN and restarts
      Then A is ABORTED
      And readers of orders see "b1"

    @needs:crash @needs:more-coordinators @alone
    Scenario: [2] The system crashes before the timeout of a transaction of another coordinator
      Given A is a transaction of the second coordinator with a moderate timeout
      And A has written "a1" to orders
      When the system crashes while A is OPEN and restarts
      Then A is ABORTED
      And readers of orders see nothing

    @needs:crash @alone
    Scenario: [3] A transaction whose coordinator restarts keeps the timeout that counts from its beginning
      Given A has been open for a moment and through a crash, with a timeout longer than a restart
      When C begins and times out just after A
      Then A was OPEN until its timeout had passed, and not when C had timed out

    @needs:crash @alone
    Scenario: [4] The timeout passes while the system is down
      Given transaction A with a moderate timeout
      And A has written "a1" to orders
      When the system crashes and restarts after the timeout of A
      Then A is ABORTED
      And readers of orders see nothing

    @needs:crash @alone
    Scenario: [5] The system crashes before the timeouts of two transactions
      Given transactions A and B with a moderate timeout
      And A has written "a1" to orders
      And B has written "b1" to orders
      When the system crashes while A is OPEN and restarts
      Then A is ABORTED
      And B is ABORTED

    @needs:crash @alone
    Scenario: [6] The system crashes before the timeout of a transaction that began after a longer one
      Given transaction A
      And transaction B with a moderate timeout
      And B has written "b1" to orders
      When the system crashes while B is OPEN and restarts
      Then B is ABORTED

  @PIP31-44 @MUST @commits
  Rule: A coordinator completes a transaction that is being committed, and does not abort it after its timeout.
    A promised commit must not turn into an abort because a topic is slow.

    Background:
      Given transactions A and B with a moderate timeout

    @needs:held-ends
    Scenario: [1] A commit is still incomplete at the timeout
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And B has been left open past its timeout
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

    @needs:crash @needs:held-ends
    Scenario: [2] The timeout passes while the system is down, and the commit is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And the system has crashed and restarted after the timeout of A
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

  @PIP31-45 @MUST @aborts
  Rule: A coordinator completes an abort that it finds in progress.
    An incomplete abort leaves topics undecided, and input that is not redelivered.

    Background:
      Given transaction A with a moderate timeout

    @needs:held-ends
    Scenario: [1] An abort by the timeout is incomplete
      Given A has written "a1" to orders
      And the end of A is held up
      And A has been left open past its timeout
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

  @PIP31-75 @MUST @commits
  Rule: A coordinator answers a commit that races with the timeout with the actual outcome.
    Data is lost if a client receives a success for a transaction that was aborted.

    Scenario: [1] Clients commit shortly before, at and after the timeout
      Given 16 transactions with a moderate timeout have written to orders
      When each of them is committed at about its timeout
      Then orders agrees with the answers
