Feature: Ends of metadata-driven transactions
  The header decides: one compare-and-set changes it from OPEN to its final state, and every later request is answered with that state.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-02 @MUST @commits @aborts
  Rule: The coordinator refuses to abort a committed transaction and to commit an aborted one.
    Two clients that are answered with different outcomes of one transaction act on data of which half is wrong.

    Scenario: [1] A client aborts a committed transaction
      Given A has committed "a1" to orders
      When A aborts
      Then it is refused

    Scenario: [2] A client commits an aborted transaction
      Given A has written "a1" to orders
      And A has aborted
      When A commits
      Then it is refused

  @PIP471-03 @MUST @commits @aborts
  Rule: A refused commit or abort does not change the outcome of the transaction.
    A client's wrong request would hide committed data, or show withdrawn data.

    Scenario: [1] Committed messages stay visible after a refused abort
      Given A has committed "a1" to orders
      And A has tried to abort
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

    Scenario: [2] Aborted messages stay hidden after a refused commit
      Given A has written "a1" to orders
      And A has aborted
      And A has tried to commit
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [3] Committed acknowledgements stay committed after a refused abort
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And the consumer of shared subscription "workers" has received "i1", "i2" from orders
      And A has acknowledged "i1" for "workers"
      And A has committed
      When A aborts
      Then subscription "workers" has "i2" left

    Scenario: [4] An abort is refused while the segment of the committed transaction is not loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to commit
      When A aborts
      Then readers of orders see "a1"

    @needs:store-faults
    Scenario: [5] An abort is refused at a coordinator that had read the header before the commit
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to commit
      And the next look at a header sees it as it was before its last change
      And A has tried to abort
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

    Scenario: [6] A commit is refused while the segment of the aborted acknowledgement is not loaded
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And A has been asked to abort
      When A commits
      Then subscription "workers" has "i1", "i2" left

  @PIP471-04 @MUST @commits @aborts
  Rule: If a commit and an abort of one transaction race, exactly one succeeds.
    If both calls return success, one client relies on an outcome that did not happen.

    Scenario Outline: [1] A commit and an abort are requested concurrently
      Given A has written "a1" to orders
      When A is asked to <first> and to <second> at the same time
      Then exactly one end of A succeeded
      And orders agrees with the answers

      Examples:
        | first  | second | why                      |
        | commit | abort  | the commit is sent first |
        | abort  | commit | the abort is sent first  |

    Scenario: [2] Many transactions receive concurrent commits and aborts in alternating order
      Given 12 transactions have written to orders
      When each of them is asked to commit and to abort at the same time
      Then exactly one end of each of them succeeded
      And orders agrees with the answers

  @PIP471-05 @MUST @commits @aborts
  Rule: A coordinator answers a repeated commit of a committed transaction, and an abort of an aborted one, with success.
    A client whose answer was lost cannot learn the outcome in any other way.

    Scenario: [1] A client repeats a commit
      Given A has committed "a1" to orders
      When A commits
      Then it is done
      And readers of orders see "a1"

    Scenario: [2] A client repeats an abort
      Given A has written "a1" to orders
      And A has aborted
      When A aborts
      Then it is done
      And readers of orders see nothing

    @needs:crash
    Scenario: [3] A client repeats a commit after a crash
      Given A has committed "a1" to orders
      And the system has crashed and restarted
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:store-faults
    Scenario Outline: [4] The store does not answer during a commit
      Given A has written "a1" to orders
      And the store does not answer the next change of a header, <failure>
      When A commits
      Then it is done
      And readers of orders see "a1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    Scenario: [5] A client aborts a transaction that has timed out
      Given transaction C with a short timeout
      And C has written "c1" to orders
      And C has been left open past its timeout
      When C aborts
      Then it is done

  @PIP471-06 @MUST
  Rule: A coordinator refuses to end a transaction that never existed.
    A client whose commit succeeds without a transaction believes that its data is stored.

    Scenario Outline: [1] A client ends an unknown transaction
      Given C is <unknown>
      When C <ends>
      Then it is refused

      Examples:
        | unknown                | ends    |
        | an unknown transaction | commits |
        | an unknown transaction | aborts  |

  @PIP471-45 @MUST
  Rule: A coordinator answers ADD_PARTITION_TO_TXN and ADD_SUBSCRIPTION_TO_TXN with success, and changes nothing.
    Clients of PIP-31 add participants before they write. A coordinator that relies on it would not notify participants that were not
    added.

    Scenario: [1] A topic is added before the transaction writes to it
      Given A has added orders
      When A commits "a1" to orders
      Then it is done
      And readers of orders see "a1"

    Scenario: [2] A topic is added after the transaction has ended
      Given A has committed "a1" to orders
      When A adds orders
      Then it is done, or refused with InvalidTxnStatus
      And readers of orders see "a1"

    Scenario: [3] A subscription is added after the transaction has ended
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And A has committed
      When A adds "workers"
      Then it is done, or refused with InvalidTxnStatus
      And subscription "workers" has "i2" left

    Scenario: [4] A topic is added to a transaction that writes nothing to it
      Given A has added orders
      When "p1" is written to orders
      Then readers of orders see "p1"

  @PIP471-46 @MUST
  Rule: A message follows the outcome of its transaction even if its topic was never added to the transaction.
    Clients need not add topics here: a message whose topic is unknown would never be decided.

    Scenario: [1] A commit includes a message to a topic that was not added
      Given A has tried to write "a1" to orders, which it has not added
      When A commits
      Then it is done
      And readers of orders see "a1"

    Scenario: [2] An abort includes a message to a topic that was not added
      Given A has tried to write "a1" to orders, which it has not added
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"
