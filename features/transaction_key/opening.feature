Feature: Transactions of a key
  A key has one open transaction, whoever begins it.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1"
    And task one has connected with key "payments"

  @TXKEY-13 @MUST @fencing
  Rule: At any time a key has at most one open transaction.
    Of two open transactions of one key each would take the other's inputs.

    @needs:transaction-keys
    Scenario: [1] Two that are asked for at the same time
      When task one begins transactions A and B at the same time
      Then it is done
      And A is ABORTED
      And B is OPEN
      And key "payments" is at the epoch of task one, with transaction B open

    @needs:transaction-keys
    Scenario: [2] One of the predecessor and one of the successor
      Given task one has begun transaction A
      And task two has connected with key "payments"
      When task two begins transaction B
      Then it is done
      And A is ABORTED
      And key "payments" is at the epoch of task two, with transaction B open

    @needs:transaction-keys
    Scenario: [3] One behind another that has committed
      Given task one has begun transaction A
      And A has committed
      When task one begins transaction B
      Then it is done
      And key "payments" is at the epoch of task one, with transaction B open

    @needs:transaction-keys
    Scenario: [4] One that has aborted
      Given task one has begun transaction A
      When A aborts
      Then it is done
      And key "payments" is at the epoch of task one, with nothing open

    @needs:transaction-keys
    Scenario: [5] One that has timed out
      Given task one has begun transaction A with a short time-out
      And A has been left open past its time-out
      When task one begins transaction B
      Then it is done
      And key "payments" is at the epoch of task one, with transaction B open

    @needs:transaction-keys
    Scenario: [6] Two that are asked for while another one is being committed
      Given task one has begun transaction A
      And A has written "a1" to orders
      And A has been asked to commit
      When task one begins transactions B and C at the same time
      Then B is ABORTED
      And C is OPEN
      And readers of orders see "a1"

    @needs:transaction-keys @needs:key-topic-faults
    Scenario: [7] One that the key topic cannot take
      Given the key topic fails at the next write
      When task one asks for a new transaction on its old connection
      Then it is refused
      And key "payments" is at the epoch of task one, with nothing open

    @needs:transaction-keys @needs:late-ends
    Scenario: [8] Two that are asked for while participants have not heard of the end before
      Given participants hear late of ends
      And task one has begun transaction A
      And A has written "a1" to orders
      When task one begins transactions B and C at the same time
      Then B is ABORTED
      And C is OPEN
      And key "payments" is at the epoch of task one, with transaction C open

    @needs:transaction-keys
    Scenario: [9] One that was begun before its client came again
      Given task one has begun transaction A
      And task one has connected again
      When task one begins transaction B
      Then it is done
      And A is ABORTED
      And key "payments" is at the epoch of task one, with transaction B open

  @TXKEY-14 @MUST @fencing @aborts
  Rule: A new transaction on the connection of a key aborts the one that is open there.
    A client that forgot its transaction, as after an error, must not be held up by that until the time-out.

    @needs:transaction-keys
    Scenario: [1] A transaction with a message
      Given task one has begun transaction A
      And A has written "a1" to orders
      When task one begins transaction B
      Then it is done
      And A is ABORTED
      And B is OPEN
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [2] A late message in the first one
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has begun transaction B
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [3] The commit of the first one
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has begun transaction B
      When A commits
      Then it is refused with InvalidTxnStatus
      And B is OPEN
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [4] The second one acknowledges what the first one had
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      And task one has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:transaction-keys
    Scenario: [5] Three, one after the other
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has begun transaction B
      And B has written "b1" to orders
      When task one begins transaction C
      Then B is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [6] The connection stays
      Given task one has begun transaction A
      When task one begins transaction B
      Then it is done
      And the connection of task one is open

    @needs:transaction-keys
    Scenario: [7] The first one, as it stands when the second one is asked for
      Given task one has begun transaction A
      And A has written "a1" to orders
      When task one asks for a new transaction on its old connection
      Then A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [8] One that its client has ended is not fenced
      Given task one has begun transaction A
      And A has aborted
      And task one has begun transaction B
      When A aborts
      Then it is done, or refused with TransactionNotFound
      And B is OPEN

    @needs:transaction-keys @needs:late-ends
    Scenario: [9] The second one acknowledges at once, where participants hear late of the first one's abort
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      And task one has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:transaction-keys @needs:crash
    Scenario: [10] A late message in the first one, after a crash
      Given task one has begun transaction A
      And task one has begun transaction B
      And the system has crashed and come back
      When A writes "late" to orders, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

  @TXKEY-35 @MUST @aborts
  Rule: A transaction of a key that nobody ends is aborted by its own time-out.
    Where the task has crashed and none succeeds it, nobody else would let readers go on.

    @needs:transaction-keys
    Scenario: [1] Nobody ends it
      Given task one has begun transaction A with a short time-out
      And A has written "a1" to orders
      When A is left open past its time-out
      Then A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [2] The connection of its key is gone
      Given task one has begun transaction A with a short time-out
      And A has written "a1" to orders
      And "p1" has been written to orders
      And task one has left
      When A is left open past its time-out
      Then A is ABORTED
      And readers of orders see "p1"

    @needs:transaction-keys @needs:crash
    Scenario: [3] The system has crashed with it
      Given task one has begun transaction A with a short time-out
      And A has written "a1" to orders
      And the system has crashed and come back
      When A is left open past its time-out
      Then A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [4] What it had acknowledged
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A with a short time-out
      And A has acknowledged "i1" for "workers"
      When A is left open past its time-out
      Then subscription "workers" has "i1" left

    @needs:transaction-keys
    Scenario: [5] A client that has lost the connection of its key ends it in time
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has left
      When A commits
      Then it is done
      And readers of orders see "a1"
