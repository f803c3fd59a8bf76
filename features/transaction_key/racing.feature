Feature: Connects that race
  Two connects, or a connect and an end, are on their way at the same time.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1", "i2"

  @TXKEY-24 @MUST @fencing
  Rule: Of two connects at the same time no two are given the same epoch, and one connection stays.
    Two tasks that both believe to have the key do each other's work.

    @needs:transaction-keys
    Scenario: [1] Two first connects
      When task one and task two connect with key "payments" at the same time
      Then exactly one of task one and task two stays connected

    @needs:transaction-keys
    Scenario: [2] Two connects behind another one
      Given task three has connected with key "payments"
      And task three has begun transaction A
      And A has written "a1" to orders
      When task one and task two connect with key "payments" at the same time
      Then exactly one of task one and task two stays connected
      And the connection of task three is closed
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [3] Two connects, as administrators are told of them
      Given task three has connected with key "payments"
      When task one and task two connect with key "payments" at the same time
      Then exactly one of task one and task two stays connected
      And administrators are told of key "payments" and no other

    @needs:transaction-keys
    Scenario: [4] Two connects behind a transaction that is over
      Given task three has connected with key "payments"
      And task three has begun transaction A
      And A has committed
      When task one and task two connect with key "payments" at the same time
      Then exactly one of task one and task two stays connected

  @TXKEY-25 @MUST @commits @fencing
  Rule: A transaction whose commit is decided is completed as committed, and the connect waits for that.
    A commit that was decided is a promise, and its outcome must not depend on who connects.

    Background:
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      And the consumer of failover subscription "movers" has received "i1", "i2" from inputs
      And A has acknowledged everything up to "i1" for "movers"
      And transaction B

    @needs:transaction-keys
    Scenario: [1] A commit that was asked for first
      When task two connects with key "payments" while A is asked to commit
      Then it is done
      And orders agrees with the answers

    @needs:transaction-keys
    Scenario: [2] A commit behind the connect
      When task two connects with key "payments" while A is asked to commit, the connect first
      Then it is done
      And orders agrees with the answers

    @needs:transaction-keys
    Scenario: [3] An abort that was asked for first
      When task two connects with key "payments" while A is asked to abort
      Then it is done
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [4] A commit with acknowledgements
      Given the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1", "i2" for "workers"
      When task two connects with key "payments" while A is asked to commit
      Then "workers" agrees with the answers
      And orders agrees with the answers

    @needs:transaction-keys
    Scenario: [5] A commit that was answered
      Given A has been asked to commit
      When task two connects with key "payments"
      Then it is done
      And readers of orders see "a1"

    @needs:transaction-keys @needs:crash-points
    Scenario: [6] A commit that was decided before a crash
      Given the system will crash after-decision-logged
      And A has tried to commit
      And the system has come back
      When task two connects with key "payments"
      Then it is done
      And readers of orders see "a1"

    @needs:transaction-keys @needs:crash-points
    Scenario: [7] The successor behind such a commit
      Given the system will crash after-decision-logged
      And A has tried to commit
      And the system has come back
      And task two has connected with key "payments"
      And task two has begun transaction C
      When C commits "c1" to orders
      Then readers of orders see "a1", "c1"

    @needs:transaction-keys
    Scenario: [8] A late message behind such a commit
      Given A has been asked to commit
      And task two has connected with key "payments"
      When A writes "late" to orders
      Then it is refused
      And readers of orders see "a1"

    @needs:transaction-keys
    Scenario: [9] The status of a commit that was answered
      Given A has been asked to commit
      When task two connects with key "payments"
      Then it is done
      And A is COMMITTED

    @needs:transaction-keys
    Scenario: [10] Somebody acknowledges at once behind what was committed
      Given A has been asked to commit
      And task two has connected with key "payments"
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:transaction-keys @needs:late-ends
    Scenario: [11] So does somebody where participants hear late of the commit
      Given participants hear late of ends
      And A has been asked to commit
      And task two has connected with key "payments"
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:transaction-keys @needs:late-ends
    Scenario: [12] And behind a connection that was not answered
      Given participants hear late of ends
      And A has been asked to commit
      And task two and task three have connected with key "payments" at the same time
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:transaction-keys @needs:late-ends
    Scenario: [13] And behind a deletion of the key
      Given participants hear late of ends
      And A has been asked to commit
      And key "payments" has been deleted
      And task two has connected with key "payments"
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:transaction-keys @needs:late-ends @needs:crash
    Scenario: [14] And behind such a connection and a crash
      Given participants hear late of ends
      And A has been asked to commit
      And task two has asked to connect with key "payments"
      And the system has crashed and come back
      And task three has connected with key "payments"
      When B acknowledges everything up to "i2" for "movers"
      Then it is done

    @needs:transaction-keys
    Scenario: [15] The client whose commit was complete asks for it again
      Given A has committed
      And task two has connected with key "payments"
      When A commits
      Then it is done, or refused with TransactionNotFound
      And readers of orders see "a1"

    @needs:transaction-keys @needs:late-ends
    Scenario: [16] So does one whose commit was under way
      Given participants hear late of ends
      And A has been asked to commit
      And task two has connected with key "payments"
      When A commits
      Then it is done, or refused with TransactionNotFound
