@needs:transaction-keys
Feature: Fenced tasks that continue
  A task that was paused does not know of its successor, and sends the requests that it was about to send.

  Background:
    Given the topic "orders"
    And task one has connected with key "payments"
    And task one has begun transaction A

  @TXKEY-10 @MUST @fencing @commits
  Rule: A coordinator refuses to commit a fenced transaction, and the refused commit has no effect.
    The work that a paused task commits late was already done by its successor.

    Scenario: [1] The predecessor commits a transaction with a message
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A commits
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of orders see nothing

    Scenario: [2] The predecessor commits on the connection that the broker has closed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When task one asks for the commit of A on its old connection
      Then task one is not served
      And readers of orders see nothing

    Scenario: [3] The predecessor commits while the successor's transaction is open
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      When A commits
      Then it is refused with InvalidTxnStatus
      And B is OPEN

    Scenario: [4] The predecessor commits after the successor has committed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has committed "b1" to orders
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see "b1"

    Scenario: [5] The predecessor commits a transaction with acknowledgements
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      When A commits
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    Scenario: [6] The predecessor retries its refused commit
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And A has tried to commit
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    Scenario: [7] The first of two predecessors commits
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task three has connected with key "payments"
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:crash
    Scenario: [8] The predecessor commits after a crash
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And the system has crashed and restarted
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    Scenario: [9] The predecessor reconnects with the key and commits its fenced transaction
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task one has connected with key "payments"
      When task one asks for the commit of A on its old connection
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    Scenario: [10] The client of a deleted key commits its transaction
      Given A has written "a1" to orders
      And key "payments" has been deleted
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

  @TXKEY-11 @SHOULD @fencing @aborts
  Rule: A coordinator refuses to abort a fenced transaction, and changes nothing.
    An abort that arrives late must not end what the successor has begun.

    Scenario: [1] The predecessor aborts its fenced transaction
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A aborts
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    Scenario: [2] The predecessor aborts on the connection that the broker has closed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When task one asks for the abort of A on its old connection
      Then task one is not served

    Scenario: [3] The predecessor aborts while the successor's transaction is open
      Given task two has connected with key "payments"
      And task two has begun transaction B
      When A aborts
      Then it is refused with InvalidTxnStatus
      And B is OPEN

    Scenario: [4] The successor commits after the predecessor's refused abort
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And A has tried to abort
      When B commits "b1" to orders
      Then it is done
      And readers of orders see "b1"

    Scenario: [5] The predecessor reconnects with the key and aborts its fenced transaction
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task one has connected with key "payments"
      When task one asks for the abort of A on its old connection
      Then it is refused with InvalidTxnStatus

  @TXKEY-12 @MUST @fencing
  Rule: A coordinator lets a fenced client neither add participants to its transaction nor begin another one on the connection that was closed.
    A participant that is added to a fenced transaction would wait for an end that never comes; a new transaction would fence the
    successor.

    Scenario: [1] The predecessor requests a transaction on the connection that the broker has closed
      Given task two has connected with key "payments"
      And task two has begun transaction B
      When task one asks for a new transaction on its old connection
      Then task one is not served
      And B is OPEN
      And key "payments" is at the epoch of task two, with transaction B open

    Scenario: [2] The predecessor adds a topic on the connection that the broker has closed
      Given task two has connected with key "payments"
      When task one asks for orders to be added to A on its old connection
      Then task one is not served

    Scenario: [3] The predecessor adds a subscription on the connection that the broker has closed
      Given the consumer of shared subscription "workers" has received nothing from orders
      And task two has connected with key "payments"
      When task one asks for "workers" to be added to A on its old connection
      Then task one is not served

    Scenario: [4] The predecessor adds a topic over another connection
      Given task two has connected with key "payments"
      When A adds orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    Scenario: [5] The predecessor adds a subscription over another connection
      Given the consumer of shared subscription "workers" has received nothing from orders
      And task two has connected with key "payments"
      When A adds "workers"
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    @needs:crash
    Scenario: [6] The predecessor adds a topic after a crash
      Given task two has connected with key "payments"
      And the system has crashed and restarted
      When A adds orders
      Then it is refused with InvalidTxnStatus

  @TXKEY-32 @MUST @fencing @commits
  Rule: Once a newer task has connected with a key, its commits take effect, and later commits of the older task do not.
    Two tasks that each read the same inputs in a transaction are the purpose of the key: output exactly once.

    Background:
      Given the topic "inputs" with "i1", "i2"
      And the consumer of failover subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged everything up to "i2" for "workers"
      And A has written "a1", "a2" to orders

    Scenario: [1] The newer task commits its work
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i2" for "workers"
      And B has written "b1", "b2" to orders
      When B commits
      Then readers of orders see "b1", "b2"
      And subscription "workers" has nothing left

    Scenario: [2] The older task commits after the newer one
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i2" for "workers"
      And B has committed "b1" to orders
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see "b1"

    Scenario: [3] The older task commits before the newer one
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i2" for "workers"
      And A has tried to commit
      When B commits "b1" to orders
      Then it is done
      And readers of orders see "b1"

    Scenario: [4] The older task acknowledges further inputs before the newer task commits fewer
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i1" for "workers"
      And A has tried to acknowledge everything up to "i2" for "workers"
      When B commits
      Then it is done
      And subscription "workers" has "i2" left

    Scenario: [5] The older task had committed before the newer one connected
      Given A has committed
      And task two has connected with key "payments"
      When another consumer takes over "workers"
      Then the consumer of "workers" receives nothing
      And readers of orders see "a1", "a2"

    Scenario: [6] The older task continues and no task repeats the work
      Given task two has connected with key "payments"
      And A has tried to write "late" to orders
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing
      And subscription "workers" has "i1", "i2" left

    @needs:crash
    Scenario: [7] The system crashes between the connect and the commit of the newer task
      Given task two has connected with key "payments"
      And the system has crashed and restarted
      And task two has connected again
      And task two has begun transaction B
      And A has tried to commit
      When B commits "b1" to orders
      Then readers of orders see "b1"

    Scenario: [8] The newer task commits long after the connection of the older one was closed
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And B has written "b1" to orders
      And transaction C with a short timeout
      And C has been left open past its timeout
      When B commits
      Then readers of orders see "b1"
