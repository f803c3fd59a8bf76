Feature: Exactly once from input to output
  An application that reads, processes and writes in a transaction relies on each input having its effect once, whatever fails in between.

  Background:
    Given the log "inputs"
    And the log "results"
    And a writer A

  @CORE-33 @MUST @recovery
  Rule: If the system crashes while a transaction ends, either its output is visible and its input consumed, or its output is discarded and its input redelivered.
    If the output is visible and the input redelivered, it is processed twice; if the input is consumed and the output discarded, it is
    lost.

    @needs:crash-points
    Scenario Outline: [1] A crash interrupts a commit of input and output
      Given "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      And the system crashes <moment> the next commit of A
      When A commits
      Then readers of results see "r1"
      And group "workers" is done with "i1" of inputs

      Examples:
        | moment                              |
        | when it has decided                 |
        | when it has notified one of the logs of |
        | when it has notified all of the logs of |

    @needs:crash-points
    Scenario Outline: [2] A crash interrupts an abort of input and output
      Given "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      And the system crashes <moment> the next abort of A
      When A aborts
      Then readers of results see nothing
      And group "workers" has "i1" of inputs left

      Examples:
        | moment                              |
        | when it has decided                 |
        | when it has notified one of the logs of |
        | when it has notified all of the logs of |

  @CORE-34 @MUST
  Rule: If two transactions would take the same input for a group, at most one of them takes it and commits.
    Two instances of an application that both hold the same input, after a rebalance or a lost connection, would both output its result.

    Scenario: [1] Two writers process the same input
      Given a writer B
      And "i1" has been written to inputs
      When A and B process inputs into results for group "workers" at the same time
      Then each of "i1" is seen in results or left of inputs for group "workers", and not both

    Scenario: [2] Two writers process input that an aborted transaction had taken
      Given a writer B
      And "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has aborted
      When A and B process inputs into results for group "workers" at the same time
      Then each of "i1" is seen in results or left of inputs for group "workers", and not both

  @CORE-35 @MUST
  Rule: A group receives committed input only, and skips nothing that is still undecided.
    A result would rest on an input that never existed; and a position that is moved past an open transaction would lose its writes when
    it commits.

    Scenario: [1] A group does not receive input of an aborted transaction
      Given a writer B
      And B has written "b1" to inputs
      And B has aborted
      When "i1" is written to inputs
      Then group "workers" has "i1" of inputs left

    Scenario: [2] A group does not receive input of an open transaction
      Given a writer B
      And "i1" has been written to inputs
      When B writes "b1" to inputs
      Then group "workers" has "i1" of inputs left

    Scenario: [3] A group receives input of a transaction that was open after the input that it took
      Given a writer B
      And "i1" has been written to inputs
      And B has written "b1" to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has committed
      When B commits
      Then group "workers" has "b1" of inputs left

  @CORE-39 @MUST @commits
  Rule: The position of a group moves with the commit of the transaction that takes its input, and not before.
    If the position moved earlier, a client that requests it would skip input that is redelivered when the transaction aborts.

    Scenario: [1] The position stays while the transaction is open
      Given "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      When A writes "r1" to results
      Then group "workers" is done with nothing of inputs

    Scenario: [2] The position moves when the transaction commits
      Given "i1" has been written to inputs
      And "i2" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      When A commits
      Then group "workers" is done with "i1" of inputs

  @CORE-41 @MUST @recovery
  Rule: Input and output of a transaction stay consistent across a crash, whether its end was answered before or is requested after it.
    An application that restarts reads from the group's position and inspects the output: the two must be consistent.

    @needs:crash
    Scenario: [1] The system crashes right after it answers a commit of input and output
      Given "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      And the system crashes right after its answer to the next commit of A
      When A commits
      Then readers of results see "r1"
      And group "workers" has nothing of inputs left

    @needs:crash
    Scenario: [2] A transaction with input and output aborts after a crash
      Given "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      And the system has crashed and restarted
      When A aborts
      Then readers of results see nothing
      And group "workers" has "i1" of inputs left
