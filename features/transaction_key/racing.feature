@needs:transaction-keys
Feature: Concurrent connects
  Two connects, or a connect and the end of a transaction, are in flight at the same time.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1", "i2"

  @TXKEY-24 @MUST @fencing
  Rule: A coordinator answers concurrent connects with one key with different epochs, and exactly one of the connections stays open.
    Two tasks that both use the key do each other's work.

    Scenario: [1] Two clients connect concurrently with an unused key
      When task one and task two connect with key "payments" at the same time
      Then exactly one of task one and task two stays connected

    Scenario: [2] Two clients connect concurrently while the key has an open transaction
      Given task three has connected with key "payments"
      And task three has begun transaction A
      And A has written "a1" to orders
      When task one and task two connect with key "payments" at the same time
      Then exactly one of task one and task two stays connected
      And the connection of task three is closed
      And readers of orders see nothing

    Scenario: [3] An administrator lists the keys after two concurrent connects
      Given task three has connected with key "payments"
      When task one and task two connect with key "payments" at the same time
      Then exactly one of task one and task two stays connected
      And administrators are shown key "payments" and no other

    Scenario: [4] Two clients connect concurrently after the key's transaction was committed
      Given task three has connected with key "payments"
      And task three has begun transaction A
      And A has committed
      When task one and task two connect with key "payments" at the same time
      Then exactly one of task one and task two stays connected

    Scenario: [5] A client connects a second time on the connection that has the key
      Given task one has connected with key "payments"
      And task one has tried to connect with key "payments" on its old connection
      When task two connects with key "refunds"
      Then it is done
      And the connection of task one is open

  @TXKEY-25 @MUST @commits @fencing
  Rule: A coordinator completes a decided commit as a commit, and answers a new connect only after that.
    A decided commit is a promise, and its outcome must not depend on which client connects.

    Background:
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      And the consumer of failover subscription "movers" has received "i1", "i2" from inputs
      And A has acknowledged everything up to "i1" for "movers"
      And transaction B

    Scenario: [1] A commit is requested concurrently with a connect
      When task two connects with key "payments" while A is asked to commit
      Then it is done
      And orders agrees with the answers

    Scenario: [2] A commit is requested just after a connect
      When task two connects with key "payments" while A is asked to commit, the connect first
      Then it is done
      And orders agrees with the answers

    Scenario: [3] An abort is requested concurrently with a connect
      When task two connects with key "payments" while A is asked to abort
      Then it is done
      And readers of orders see nothing

    Scenario: [4] The commit of a transaction with acknowledgements is requested concurrently with a connect
      Given the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1", "i2" for "workers"
      When task two connects with key "payments" while A is asked to commit
      Then "workers" agrees with the answers
      And orders agrees with the answers

    Scenario: [5] A client connects after a commit was answered
      Given A has been asked to commit
      When task two connects with key "payments"
      Then it is done
      And readers of orders see "a1"

    @needs:crash-points
    Scenario: [6] A client connects after a commit that was decided before a crash
      Given the system will crash after-decision-logged
      And A has tried to commit
      And the system has restarted
      When task two connects with key "payments"
      Then it is done
      And readers of orders see "a1"

    @needs:crash-points
    Scenario: [7] The successor commits after a commit that was decided before a crash
      Given the system will crash after-decision-logged
      And A has tried to commit
      And the system has restarted
      And task two has connected with key "payments"
      And task two has begun transaction C
      When C commits "c1" to orders
      Then readers of orders see "a1", "c1"

    Scenario: [8] The predecessor writes after its commit was answered and a client connected
      Given A has been asked to commit
      And task two has connected with key "payments"
      When A writes "late" to orders
      Then it is refused
      And readers of orders see "a1"

    Scenario: [9] An administrator inspects a transaction whose commit was answered before a connect
      Given A has been asked to commit
      When task two connects with key "payments"
      Then it is done
      And A is COMMITTED

    Scenario: [10] Another transaction acknowledges after a commit and a connect
      Given A has been asked to commit
      And task two has connected with key "payments"
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:late-ends
    Scenario: [11] Another transaction acknowledges after a connect when participants learn of the commit late
      Given participants hear late of ends
      And A has been asked to commit
      And task two has connected with key "payments"
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:late-ends
    Scenario: [12] Another transaction acknowledges after two concurrent connects when participants learn of the commit late
      Given participants hear late of ends
      And A has been asked to commit
      And task two and task three have connected with key "payments" at the same time
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:late-ends
    Scenario: [13] Another transaction acknowledges after the key was deleted when participants learn of the commit late
      Given participants hear late of ends
      And A has been asked to commit
      And key "payments" has been deleted
      And task two has connected with key "payments"
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:late-ends @needs:crash
    Scenario: [14] Another transaction acknowledges after an unanswered connect and a crash when participants learn of the commit late
      Given participants hear late of ends
      And A has been asked to commit
      And task two has asked to connect with key "payments"
      And the system has crashed and restarted
      And task three has connected with key "payments"
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    Scenario: [15] The predecessor retries a commit that was complete before the connect
      Given A has committed
      And task two has connected with key "payments"
      When A commits
      Then it is done, or refused with TransactionNotFound
      And readers of orders see "a1"

    @needs:late-ends
    Scenario: [16] The predecessor retries a commit that was in flight during the connect
      Given participants hear late of ends
      And A has been asked to commit
      And task two has connected with key "payments"
      When A commits
      Then it is done, or refused with TransactionNotFound
