Feature: Tasks that were fenced and go on
  A task that was paused knows nothing of its successor, and asks for what it was about to ask for.

  Background:
    Given the topic "orders"
    And task one has connected with key "payments"
    And task one has begun transaction A

  @TXKEY-10 @MUST @fencing @commits
  Rule: A commit of a fenced transaction is refused, and has no effect.
    The work that a paused task commits late has been done by its successor.

    @needs:transaction-keys
    Scenario: [1] A transaction with a message
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A commits
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [2] On the connection that the broker has closed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When task one asks for the commit of A on its old connection
      Then task one is not served
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [3] Beside the open transaction of the successor
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      When A commits
      Then it is refused with InvalidTxnStatus
      And B is OPEN

    @needs:transaction-keys
    Scenario: [4] When the successor has committed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has committed "b1" to orders
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see "b1"

    @needs:transaction-keys
    Scenario: [5] A transaction with acknowledgements
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      When A commits
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys
    Scenario: [6] Once more
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And A has tried to commit
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [7] Fenced twice
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task three has connected with key "payments"
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys @needs:crash
    Scenario: [8] After a crash
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And the system has crashed and come back
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [9] A task that has come again with its key
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task one has connected with key "payments"
      When task one asks for the commit of A on its old connection
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

  @TXKEY-11 @SHOULD @fencing @aborts
  Rule: An abort of a fenced transaction is refused, and changes nothing.
    An abort that comes late must not end what the successor has begun.

    @needs:transaction-keys
    Scenario: [1] The abort of a transaction that was aborted
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A aborts
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [2] The abort on the connection that the broker has closed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When task one asks for the abort of A on its old connection
      Then task one is not served

    @needs:transaction-keys
    Scenario: [3] The abort beside the open transaction of the successor
      Given task two has connected with key "payments"
      And task two has begun transaction B
      When A aborts
      Then it is refused with InvalidTxnStatus
      And B is OPEN

    @needs:transaction-keys
    Scenario: [4] Before the successor commits
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And A has tried to abort
      When B commits "b1" to orders
      Then it is done
      And readers of orders see "b1"

    @needs:transaction-keys
    Scenario: [5] The abort of a task that has come again with its key
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task one has connected with key "payments"
      When task one asks for the abort of A on its old connection
      Then it is refused with InvalidTxnStatus

  @TXKEY-12 @MUST @fencing
  Rule: A client that was fenced cannot add to its transaction, nor begin another one with its key.
    What is added to a fenced transaction would be waited for by nobody; what is begun would fence the successor.

    @needs:transaction-keys
    Scenario: [1] A new transaction on the connection that the broker has closed
      Given task two has connected with key "payments"
      And task two has begun transaction B
      When task one asks for a new transaction on its old connection
      Then task one is not served
      And B is OPEN
      And key "payments" is at the epoch of task two, with transaction B open

    @needs:transaction-keys
    Scenario: [2] A topic on that connection
      Given task two has connected with key "payments"
      When task one asks for orders to be added to A on its old connection
      Then task one is not served

    @needs:transaction-keys
    Scenario: [3] A subscription on that connection
      Given the consumer of shared subscription "workers" has received nothing from orders
      And task two has connected with key "payments"
      When task one asks for "workers" to be added to A on its old connection
      Then task one is not served

    @needs:transaction-keys
    Scenario: [4] A topic over another connection
      Given task two has connected with key "payments"
      When A adds orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [5] A subscription over another connection
      Given the consumer of shared subscription "workers" has received nothing from orders
      And task two has connected with key "payments"
      When A adds "workers"
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    @needs:transaction-keys @needs:crash
    Scenario: [6] A topic, after a crash
      Given task two has connected with key "payments"
      And the system has crashed and come back
      When A adds orders
      Then it is refused with InvalidTxnStatus

  @TXKEY-32 @MUST @fencing @commits
  Rule: Of two tasks of one key that do the same work, only what the newer one commits takes effect.
    Two tasks that read the same inputs, each with a transaction, are what the key is for: output exactly once.

    Background:
      Given the topic "inputs" with "i1", "i2"
      And the consumer of failover subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged everything up to "i2" for "workers"
      And A has written "a1", "a2" to orders

    @needs:transaction-keys
    Scenario: [1] The new task does the work
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i2" for "workers"
      And B has written "b1", "b2" to orders
      When B commits
      Then readers of orders see "b1", "b2"
      And subscription "workers" has nothing left

    @needs:transaction-keys
    Scenario: [2] The old task commits behind the new one
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i2" for "workers"
      And B has committed "b1" to orders
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see "b1"

    @needs:transaction-keys
    Scenario: [3] The old task commits before the new one
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i2" for "workers"
      And A has tried to commit
      When B commits "b1" to orders
      Then it is done
      And readers of orders see "b1"

    @needs:transaction-keys
    Scenario: [4] The old task goes on with its work, and the new one has committed less
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i1" for "workers"
      And A has tried to acknowledge everything up to "i2" for "workers"
      When B commits
      Then it is done
      And subscription "workers" has "i2" left

    @needs:transaction-keys
    Scenario: [5] The old task had committed in time
      Given A has committed
      And task two has connected with key "payments"
      When another consumer takes over "workers"
      Then the consumer of "workers" receives nothing
      And readers of orders see "a1", "a2"

    @needs:transaction-keys
    Scenario: [6] Nobody does the work again
      Given task two has connected with key "payments"
      And A has tried to write "late" to orders
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys @needs:crash
    Scenario: [7] The system crashes between the two
      Given task two has connected with key "payments"
      And the system has crashed and come back
      And task two has connected again
      And task two has begun transaction B
      And A has tried to commit
      When B commits "b1" to orders
      Then readers of orders see "b1"
