Feature: Ends of metadata-driven transactions
  The header decides: one compare-and-set takes it from OPEN to its final state, and whoever asks afterwards hears what was decided.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-02 @MUST @commits @aborts
  Rule: A transaction that has ended is not ended the other way.
    Two clients that hear different ends of one transaction act on data of which half is wrong.

    Scenario: [1] An abort behind a commit
      Given A has committed "a1" to orders
      When A aborts
      Then it is refused

    Scenario: [2] A commit behind an abort
      Given A has written "a1" to orders
      And A has aborted
      When A commits
      Then it is refused

  @PIP471-03 @MUST @commits @aborts
  Rule: A refused end changes nothing of what was decided.
    What was committed would disappear, or what was withdrawn appear, because somebody asked the wrong thing.

    Scenario: [1] Messages of a commit, behind a refused abort
      Given A has committed "a1" to orders
      And A has tried to abort
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

    Scenario: [2] Messages of an abort, behind a refused commit
      Given A has written "a1" to orders
      And A has aborted
      And A has tried to commit
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [3] Acknowledgements of a commit, behind a refused abort
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And the consumer of shared subscription "workers" has received "i1", "i2" from orders
      And A has acknowledged "i1" for "workers"
      And A has committed
      When A aborts
      Then subscription "workers" has "i2" left

    Scenario: [4] A commit that the segment has not heard of, since nobody has it loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to commit
      When A aborts
      Then readers of orders see "a1"

    @needs:store-faults
    Scenario: [5] The abort comes to a coordinator that has looked at the header before the commit
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to commit
      And the next look at a header sees it as it was before its last change
      And A has tried to abort
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

  @PIP471-04 @MUST @commits @aborts
  Rule: Of two ends that are asked for at the same time in different ways, exactly one succeeds.
    Where both are told that they succeeded, one of them builds on what is not so.

    Scenario Outline: [1] A commit and an abort
      Given A has written "a1" to orders
      When A is asked to <first> and to <second> at the same time
      Then exactly one end of A succeeded
      And orders agrees with the answers

      Examples:
        | first  | second | why                                      |
        | commit | abort  | the commit is sent before                |
        | abort  | commit | the abort is sent before                 |

    Scenario: [2] Many transactions, in turn one way round and the other
      Given 12 transactions have written to orders
      When each of them is asked to commit and to abort at the same time
      Then exactly one end of each of them succeeded
      And orders agrees with the answers

  @PIP471-05 @MUST @commits @aborts
  Rule: Repeating the end of a transaction succeeds.
    A client whose answer was lost cannot know otherwise what became of its transaction.

    Scenario: [1] A commit that comes again
      Given A has committed "a1" to orders
      When A commits
      Then it is done
      And readers of orders see "a1"

    Scenario: [2] An abort that comes again
      Given A has written "a1" to orders
      And A has aborted
      When A aborts
      Then it is done
      And readers of orders see nothing

    @needs:crash
    Scenario: [3] A commit that comes again behind a crash
      Given A has committed "a1" to orders
      And the system has crashed and come back
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:store-faults
    Scenario Outline: [4] The store does not answer when a commit is asked for
      Given A has written "a1" to orders
      And the store does not answer the next change of a header, <failure>
      When A commits
      Then it is done
      And readers of orders see "a1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    Scenario: [5] An abort of what was aborted at its time-out
      Given transaction C with a short time-out
      And C has written "c1" to orders
      And C has been left open past its time-out
      When C aborts
      Then it is done

  @PIP471-06 @MUST
  Rule: Ending a transaction that never was is refused.
    A commit that succeeds without a transaction tells a client that its data is safe, and there is none.

    Scenario Outline: [1] An end of an unknown transaction
      Given C is <unknown>
      When C <ends>
      Then it is refused

      Examples:
        | unknown                | ends    |
        | an unknown transaction | commits |
        | an unknown transaction | aborts  |

  @PIP471-45 @MUST
  Rule: Adding partitions and subscriptions to a transaction succeeds and changes nothing.
    Clients of PIP-31 add before they write; a coordinator that goes by it would not tell those who were not added.

    Scenario: [1] A topic that was added and never written to
      Given A has added orders
      When A commits "a1" to orders
      Then it is done
      And readers of orders see "a1"

    Scenario: [2] A topic that is added behind the end
      Given A has committed "a1" to orders
      When A adds orders
      Then it is done, or refused with InvalidTxnStatus
      And readers of orders see "a1"

  @PIP471-46 @MUST
  Rule: A message in a transaction to which its topic was not added is part of it.
    Nobody has to add anything here: a message that its transaction does not know would never be decided.

    Scenario: [1] A commit of what was not announced
      Given A has tried to write "a1" to orders, which it has not added
      When A commits
      Then it is done
      And readers of orders see "a1"

    Scenario: [2] An abort of what was not announced
      Given A has tried to write "a1" to orders, which it has not added
      And A has aborted
      When "p1" is written to orders
      Then readers of orders see "p1"
