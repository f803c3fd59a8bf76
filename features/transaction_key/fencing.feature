@needs:transaction-keys
Feature: What a new connection does to the previous transaction
  A client that has connected finds a clean state: the predecessor's transaction is aborted everywhere.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1"
    And task one has connected with key "payments"

  @TXKEY-05 @MUST @fencing @aborts
  Rule: A coordinator that accepts a connect aborts the open transaction of the key's previous connection.
    A transaction that no client ends blocks its topics and subscriptions until its timeout.

    Scenario: [1] The previous transaction has no participants
      Given task one has begun transaction A
      When task two connects with key "payments"
      Then it is done
      And A is ABORTED

    Scenario: [2] The previous transaction has written to one topic
      Given task one has begun transaction A
      And A has written "a1" to orders
      When task two connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [3] The previous transaction has written to two topics
      Given the topic "ledger"
      And task one has begun transaction A
      And A has written "a1" to orders
      And A has written "a2" to ledger
      When task two connects with key "payments"
      Then readers of orders see nothing
      And readers of ledger see nothing

    Scenario: [4] The previous transaction has written a batch
      Given task one has begun transaction A
      And A has written a batch of "a1", "a2" to orders
      When task two connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [5] The previous transaction has acknowledged a message individually
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      When task two connects with key "payments"
      Then A is ABORTED
      And subscription "workers" has "i1" left

    Scenario: [6] The previous transaction has acknowledged cumulatively
      Given the consumer of failover subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged everything up to "i1" for "workers"
      When task two connects with key "payments"
      Then A is ABORTED
      And subscription "workers" has "i1" left

    Scenario: [7] Inputs are available again when the previous transaction also wrote to a topic
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When task two connects with key "payments"
      Then subscription "workers" has "i1" left

    Scenario: [8] Outputs stay invisible when the previous transaction also acknowledged
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When task two connects with key "payments"
      Then readers of orders see nothing

    Scenario: [9] The previous transaction has added a topic without writing to it
      Given task one has begun transaction A
      And A has added orders
      When task two connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [10] A second successor aborts the transaction of the first
      Given task one has begun transaction A
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has written "b1" to orders
      When task three connects with key "payments"
      Then B is ABORTED
      And readers of orders see nothing

    Scenario: [11] The predecessor had committed an earlier transaction
      Given task one has begun transaction A
      And A has committed "a1" to orders
      And task one has begun transaction B
      And B has written "b1" to orders
      When task two connects with key "payments"
      Then B is ABORTED
      And readers of orders see "a1"

    Scenario: [12] A client connects shortly before the timeout of the previous transaction
      Given task one has begun transaction A with a moderate timeout
      And A has written "a1" to orders
      When task two connects with key "payments" at about the timeout of A
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

    Scenario: [13] A client connects after the timeout of the previous transaction
      Given task one has begun transaction A with a short timeout
      And A has written "a1" to orders
      And A has been left open past its timeout
      When task two connects with key "payments"
      Then it is done
      And readers of orders see nothing

    Scenario: [14] A client connects after its predecessor has left
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has left
      When task two connects with key "payments"
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

    Scenario: [15] A client connects after its predecessor has reconnected
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has connected again
      When task two connects with key "payments"
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

    Scenario: [16] A client connects after a refused connect of an earlier predecessor
      Given task two has connected with key "payments"
      And task two has begun transaction A
      And A has written "a1" to orders
      And task one has tried to connect again
      When task three connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    @needs:key-topic-faults
    Scenario: [17] A client connects after a connect that the key topic could not store
      Given task one has begun transaction A
      And A has written "a1" to orders
      And the key topic fails at the next write
      And task two has tried to connect with key "payments"
      When task three connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

  @TXKEY-06 @MUST @fencing @aborts
  Rule: Once a coordinator has answered a connect, the previous transaction blocks no reader, consumer or later transaction.
    A successor that has to wait for the timeout of its predecessor is no better off than without a key.

    Background:
      Given task one has begun transaction A

    Scenario: [1] A message after those of the old transaction becomes visible
      Given A has written "a1" to orders
      And "p1" has been written to orders
      When task two connects with key "payments"
      Then readers of orders see "p1"

    Scenario: [2] A waiting consumer receives the message after those of the old transaction
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And "p1" has been written to orders
      When task two connects with key "payments"
      Then the consumer of "workers" receives "p1" before any other write

    Scenario: [3] A committed transaction after the old one becomes visible
      Given transaction B
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When task two connects with key "payments"
      Then readers of orders see "b1"

    Scenario: [4] Messages in a second topic of the old transaction become visible
      Given the topic "ledger"
      And A has written "a1" to orders
      And A has written "a2" to ledger
      And "p1" has been written to ledger
      When task two connects with key "payments"
      Then readers of ledger see "p1"

    Scenario: [5] A connected consumer receives the messages that the old transaction had acknowledged
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      When task two connects with key "payments"
      Then the consumer of "workers" receives "i1" before any other write

    Scenario: [6] The successor acknowledges the predecessor's message at once
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    Scenario: [7] The successor acknowledges the predecessor's messages cumulatively at once
      Given the consumer of failover subscription "workers" has received "i1" from inputs
      And A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      When B acknowledges everything up to "i1" for "workers"
      Then it is done

    Scenario: [8] The successor commits to the topic of its predecessor
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      When B commits "b1" to orders
      Then it is done
      And readers of orders see "b1"

    @needs:late-ends
    Scenario: [9] The successor acknowledges at once when participants learn of the abort late
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:late-ends
    Scenario: [10] The successor acknowledges at once after the predecessor has requested an abort
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has connected with key "payments" while A was asked to abort
      And task two has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:late-ends @needs:virtual-time
    Scenario: [11] A participant learns of the abort later than clients wait for an answer
      Given participants hear two minutes late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has asked to connect with key "payments"
      When a minute passes
      Then task two has no answer yet, or can acknowledge "i1" for "workers"

    @needs:late-ends
    Scenario: [12] The successor acknowledges at once after another connect that was not answered
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task two and task three have connected with key "payments" at the same time
      And task three has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:late-ends
    Scenario: [13] The predecessor had requested a new transaction that was not begun
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And task one has asked for a new transaction
      When task two connects with key "payments"
      Then task two has no answer yet, or can acknowledge "i1" for "workers"

    @needs:late-ends
    Scenario: [14] A client connects after its key was deleted, and participants learn of the abort late
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And key "payments" has been deleted
      When task two connects with key "payments"
      Then task two has no answer yet, or can acknowledge "i1" for "workers"

    @needs:late-ends
    Scenario: [15] A last message is reported at once for a topic that learns of the abort late
      Given the consumer of shared subscription "workers" has received nothing from orders
      And participants hear late of ends
      And A has written "a1" to orders
      And "p1" has been written to orders
      When task two connects with key "payments"
      Then the consumer of "workers" learns at once of a last message

    Scenario: [16] The old transaction has acknowledged in two subscriptions
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And the consumer of shared subscription "packers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i1" for "packers"
      When task two connects with key "payments"
      Then the consumer of "workers" receives "i1" before any other write
      And the consumer of "packers" receives "i1" before any other write

    @needs:late-ends @needs:reload
    Scenario: [17] Participants learn of the abort late, and the first topic of the old transaction is not loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And participants hear late of ends
      When task two connects with key "payments"
      Then task two has no answer yet, or can acknowledge "i1" for "workers"
