@needs:transaction-keys
Feature: Transactions of a key
  A key has one open transaction, whichever connection begins it.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1"
    And task one has connected with key "payments"

  @TXKEY-13 @MUST @fencing
  Rule: At any time a key has at most one open transaction.
    Two open transactions of one key would take each other's inputs.

    Scenario: [1] A client requests two transactions at the same time
      When task one begins transactions A and B at the same time
      Then it is done
      And A is ABORTED
      And B is OPEN
      And key "payments" is at the epoch of task one, with transaction B open

    Scenario: [2] A successor begins a transaction after its predecessor left one open
      Given task one has begun transaction A
      And task two has connected with key "payments"
      When task two begins transaction B
      Then it is done
      And A is ABORTED
      And key "payments" is at the epoch of task two, with transaction B open

    Scenario: [3] A client begins a transaction after the previous one was committed
      Given task one has begun transaction A
      And A has committed
      When task one begins transaction B
      Then it is done
      And key "payments" is at the epoch of task one, with transaction B open

    Scenario: [4] A client aborts its transaction and has none open
      Given task one has begun transaction A
      When A aborts
      Then it is done
      And key "payments" is at the epoch of task one, with nothing open

    Scenario: [5] A client begins a transaction after the previous one timed out
      Given task one has begun transaction A with a short timeout
      And A has been left open past its timeout
      When task one begins transaction B
      Then it is done
      And key "payments" is at the epoch of task one, with transaction B open

    Scenario: [6] A client requests two transactions while another one is being committed
      Given task one has begun transaction A
      And A has written "a1" to orders
      And A has been asked to commit
      When task one begins transactions B and C at the same time
      Then B is ABORTED
      And C is OPEN
      And readers of orders see "a1"

    @needs:key-topic-faults
    Scenario: [7] A client requests a transaction that the key topic cannot record
      Given the key topic fails at the next write
      When task one asks for a new transaction on its old connection
      Then it is refused
      And key "payments" is at the epoch of task one, with nothing open

    @needs:late-ends
    Scenario: [8] A client requests two transactions while participants learn of the previous end late
      Given participants hear late of ends
      And task one has begun transaction A
      And A has written "a1" to orders
      When task one begins transactions B and C at the same time
      Then B is ABORTED
      And C is OPEN
      And key "payments" is at the epoch of task one, with transaction C open

    Scenario: [9] A client reconnects and begins a transaction while it has one open
      Given task one has begun transaction A
      And task one has connected again
      When task one begins transaction B
      Then it is done
      And A is ABORTED
      And key "payments" is at the epoch of task one, with transaction B open

    Scenario: [10] A client requests two transactions while one with a message is open
      Given task one has begun transaction A
      And A has written "a1" to orders
      When task one begins transactions B and C at the same time
      Then B is ABORTED
      And C is OPEN

  @TXKEY-14 @MUST @fencing @aborts
  Rule: A coordinator that receives NEW_TXN on a key's connection aborts the transaction that is open on it.
    A client that forgot its transaction, for example after an error, would be blocked by it until the timeout.

    Scenario: [1] The second transaction aborts a first one with a message
      Given task one has begun transaction A
      And A has written "a1" to orders
      When task one begins transaction B
      Then it is done
      And A is ABORTED
      And B is OPEN
      And readers of orders see nothing

    Scenario: [2] A client writes to its first transaction after the second was begun
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has begun transaction B
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    Scenario: [3] A client commits its first transaction after the second was begun
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has begun transaction B
      When A commits
      Then it is refused with InvalidTxnStatus
      And B is OPEN
      And readers of orders see nothing

    Scenario: [4] The second transaction acknowledges what the first one had acknowledged
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      And task one has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    Scenario: [5] The third transaction aborts the second one
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has begun transaction B
      And B has written "b1" to orders
      When task one begins transaction C
      Then B is ABORTED
      And readers of orders see nothing

    Scenario: [6] The connection stays open when a second transaction is begun
      Given task one has begun transaction A
      When task one begins transaction B
      Then it is done
      And the connection of task one is open

    Scenario: [7] The first transaction is aborted when the second one is requested
      Given task one has begun transaction A
      And A has written "a1" to orders
      When task one asks for a new transaction on its old connection
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [8] A client aborts again a first transaction that it had ended before the second
      Given task one has begun transaction A
      And A has aborted
      And task one has begun transaction B
      When A aborts
      Then it is done, or refused with TransactionNotFound
      And B is OPEN

    @needs:late-ends
    Scenario: [9] The second transaction acknowledges at once when participants learn of the first one's abort late
      Given participants hear late of ends
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A
      And A has acknowledged "i1" for "workers"
      And task one has begun transaction B
      When B acknowledges "i1" for "workers"
      Then it is done

    @needs:crash
    Scenario: [10] A client writes to its first transaction after the second was begun and the system crashed
      Given task one has begun transaction A
      And task one has begun transaction B
      And the system has crashed and restarted
      When A writes "late" to orders, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

  @TXKEY-35 @MUST @aborts
  Rule: A coordinator aborts the transaction of a key at its timeout if no client has ended it.
    If a task crashes and has no successor, nothing else would unblock the readers.

    Scenario: [1] No client ends the transaction
      Given task one has begun transaction A with a short timeout
      And A has written "a1" to orders
      When A is left open past its timeout
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [2] The client has left without ending the transaction
      Given task one has begun transaction A with a short timeout
      And A has written "a1" to orders
      And "p1" has been written to orders
      And task one has left
      When A is left open past its timeout
      Then A is ABORTED
      And readers of orders see "p1"

    @needs:crash
    Scenario: [3] The system crashes before the timeout
      Given task one has begun transaction A with a short timeout
      And A has written "a1" to orders
      And the system has crashed and restarted
      When A is left open past its timeout
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [4] The transaction that times out has acknowledged a message
      Given the consumer of shared subscription "workers" has received "i1" from inputs
      And task one has begun transaction A with a short timeout
      And A has acknowledged "i1" for "workers"
      When A is left open past its timeout
      Then subscription "workers" has "i1" left

    Scenario: [5] A client that has lost the connection of its key commits before the timeout
      Given task one has begun transaction A
      And A has written "a1" to orders
      And task one has left
      When A commits
      Then it is done
      And readers of orders see "a1"
