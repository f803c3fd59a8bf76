Feature: What a new connection does to the transaction before
  Whoever has connected finds a clean place to work: the predecessor's transaction is aborted everywhere.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1"
    And task one has connected with key "payments"

  @TXKEY-05 @MUST @fencing @aborts
  Rule: A new connection aborts the transaction that the previous one has open.
    A transaction that nobody ends holds up its topics and subscriptions until its time-out.

    @needs:transaction-keys
    Scenario: [1] A transaction without participants
      Given task one has begun transaction A
      When task two connects with key "payments"
      Then it is done
      And A is ABORTED

    @needs:transaction-keys
    Scenario: [2] A transaction of one topic
      Given task one has begun transaction A
      And A has written "a1" to orders
      When task two connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [3] A transaction of two topics
      Given the topic "ledger"
      And task one has begun transaction A
      And A has written "a1" to orders
      And A has written "a2" to ledger
      When task two connects with key "payments"
      Then readers of orders see nothing
      And readers of ledger see nothing

    @needs:transaction-keys
    Scenario: [4] A batch
      Given task one has begun transaction A
      And A has written a batch of "a1", "a2" to orders
      When task two connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [5] A subscription with messages that were acknowledged one by one
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      When task two connects with key "payments"
      Then A is ABORTED
      And subscription "workers" has "i1" left

    @needs:transaction-keys
    Scenario: [6] A subscription with a cumulative acknowledgement
      Given the consumer of failover subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged everything up to "i1" for "workers"
      When task two connects with key "payments"
      Then A is ABORTED
      And subscription "workers" has "i1" left

    @needs:transaction-keys
    Scenario: [7] A topic and a subscription
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When task two connects with key "payments"
      Then subscription "workers" has "i1" left

    @needs:transaction-keys
    Scenario: [8] A topic and a subscription, as who reads the topic sees it
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When task two connects with key "payments"
      Then readers of orders see nothing

    @needs:transaction-keys
    Scenario: [9] A topic that was added, and has no message
      Given task one has begun transaction A
      And A has added orders
      When task two connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [10] Fenced twice
      Given task one has begun transaction A
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has written "b1" to orders
      When task three connects with key "payments"
      Then B is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [11] A transaction whose client has ended another one before
      Given task one has begun transaction A
      And A has committed "a1" to orders
      And task one has begun transaction B
      And B has written "b1" to orders
      When task two connects with key "payments"
      Then B is ABORTED
      And readers of orders see "a1"

    @needs:transaction-keys
    Scenario: [12] Shortly before the time-out
      Given task one has begun transaction A with a moderate time-out
      And A has written "a1" to orders
      When task two connects with key "payments" at about the time-out of A
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [13] Behind the time-out
      Given task one has begun transaction A with a short time-out
      And A has written "a1" to orders
      And A has been left open past its time-out
      When task two connects with key "payments"
      Then it is done
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [14] A transaction whose task has left its connection
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has left
      When task two connects with key "payments"
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [15] A transaction whose task has come again
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has connected again
      When task two connects with key "payments"
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

  @TXKEY-06 @MUST @fencing @aborts
  Rule: Once a connection is answered, nothing of the previous transaction holds up anybody.
    A successor that has to wait for the time-out of its predecessor is no better off than without a key.

    Background:
      Given task one has begun transaction A

    @needs:transaction-keys
    Scenario: [1] A message behind those of the old transaction
      Given A has written "a1" to orders
      And "p1" has been written to orders
      When task two connects with key "payments"
      Then readers of orders see "p1"

    @needs:transaction-keys
    Scenario: [2] A consumer that waits for that message
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And "p1" has been written to orders
      When task two connects with key "payments"
      Then the consumer of "workers" receives "p1" before anybody writes again

    @needs:transaction-keys
    Scenario: [3] A committed transaction behind the old one
      Given transaction B
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When task two connects with key "payments"
      Then readers of orders see "b1"

    @needs:transaction-keys
    Scenario: [4] Two topics that were held up
      Given the topic "ledger"
      And A has written "a1" to orders
      And A has written "a2" to ledger
      And "p1" has been written to ledger
      When task two connects with key "payments"
      Then readers of ledger see "p1"

    @needs:transaction-keys
    Scenario: [5] What was acknowledged is given to the consumer that is there
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      When task two connects with key "payments"
      Then the consumer of "workers" receives "i1" before anybody writes again

    @needs:transaction-keys
    Scenario: [6] The successor acknowledges at once what its predecessor had
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:transaction-keys
    Scenario: [7] The successor does so cumulatively
      Given the consumer of failover subscription "workers" has received "i1" from inputs
      And A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      When B acknowledges everything up to "i1" for "workers"
      Then it is done

    @needs:transaction-keys
    Scenario: [8] The successor commits to the topic of its predecessor
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      When B commits "b1" to orders
      Then it is done
      And readers of orders see "b1"

    @needs:transaction-keys @needs:late-ends
    Scenario: [9] The successor acknowledges at once, where participants hear late of the abort
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:transaction-keys @needs:late-ends
    Scenario: [10] The successor does so behind an abort that its predecessor has just asked for
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has connected with key "payments" while A was asked to abort
      And task two has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:transaction-keys @needs:late-ends @needs:virtual-time
    Scenario: [11] A participant that does not hear of the abort for longer than clients wait
      Given participants hear two minutes late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has asked to connect with key "payments"
      When a minute passes
      Then task two has no answer yet, or can acknowledge "i1" for "workers"

    @needs:transaction-keys @needs:late-ends
    Scenario: [12] The successor does so behind a connection that was not answered
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two and task three have connected with key "payments" at the same time
      And task three has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:transaction-keys @needs:late-ends
    Scenario: [13] A new transaction was asked for, and not begun, before the successor came
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task one has just asked for a new transaction
      When task two connects with key "payments"
      Then task two has no answer yet, or can acknowledge "i1" for "workers"

    @needs:transaction-keys @needs:late-ends
    Scenario: [14] The key was deleted before the successor came
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And key "payments" has been deleted
      When task two connects with key "payments"
      Then task two has no answer yet, or can acknowledge "i1" for "workers"

    @needs:transaction-keys @needs:late-ends
    Scenario: [15] A topic that hears late of the abort
      Given the consumer of shared subscription "workers" has received nothing from orders
      And participants hear late of ends
      And A has written "a1" to orders
      And "p1" has been written to orders
      When task two connects with key "payments"
      Then the consumer of "workers" is told at once of a last message
