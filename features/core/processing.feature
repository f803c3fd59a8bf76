Feature: Exactly once from input to output
  Whoever reads, processes and writes in a transaction counts on each input having its effect once, whatever happens on the way.

  Background:
    Given the log "inputs"
    And the log "results"
    And a writer A

  @CORE-33 @MUST @recovery
  Rule: Input and output of a transaction stay together wherever in its end a crash comes.
    With the output there and the input given again, it is processed twice; with the input taken and the output gone, it is lost.

    @needs:crash-points
    Scenario Outline: [1] A commit that a crash interrupts
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
        | when it has told one of the logs of |
        | when it has told all of the logs of |

    @needs:crash-points
    Scenario Outline: [2] An abort that a crash interrupts
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
        | when it has told one of the logs of |
        | when it has told all of the logs of |

  @CORE-34 @MUST
  Rule: Of two transactions that would take the same input for a group at most one takes it and commits.
    Two instances of an application that both hold the same input, after a rebalance or a lost connection, would both put its result out.

    Scenario: [1] Two writers process the same input
      Given a writer B
      And "i1" has been written to inputs
      When A and B process inputs into results for group "workers" at the same time
      Then each of "i1" is seen in results or left of inputs for group "workers", and not both

    Scenario: [2] A third attempt behind an abort
      Given a writer B
      And "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has aborted
      When A and B process inputs into results for group "workers" at the same time
      Then each of "i1" is seen in results or left of inputs for group "workers", and not both

  @CORE-35 @MUST
  Rule: A group is given committed input only, and passes by nothing that is still to be decided.
    A result would rest on an input that never was; and a place that is moved over an open transaction would lose its writes when it commits.

    Scenario: [1] Input of an aborted transaction
      Given a writer B
      And B has written "b1" to inputs
      And B has aborted
      When "i1" is written to inputs
      Then group "workers" has "i1" of inputs left

    Scenario: [2] Input of an open transaction
      Given a writer B
      And "i1" has been written to inputs
      When B writes "b1" to inputs
      Then group "workers" has "i1" of inputs left

    Scenario: [3] An open transaction behind the input that was taken
      Given a writer B
      And "i1" has been written to inputs
      And B has written "b1" to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has committed
      When B commits
      Then group "workers" has "b1" of inputs left

  @CORE-39 @MUST @commits
  Rule: A group's place moves with the commit of the transaction that takes its input, and not before.
    Whoever asks for the place while the transaction is open would go on behind an input that comes again when it aborts.

    Scenario: [1] The transaction is open
      Given "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      When A writes "r1" to results
      Then group "workers" is done with nothing of inputs

    Scenario: [2] The transaction has committed
      Given "i1" has been written to inputs
      And "i2" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      When A commits
      Then group "workers" is done with "i1" of inputs

  @CORE-41 @MUST @recovery
  Rule: Input and output of a transaction stay together over a crash, whether its end was answered before or is asked for behind it.
    Whoever starts again reads from the group's place and looks at the output: the two must tell the same story.

    @needs:crash
    Scenario: [1] A crash right behind the answer to the commit
      Given "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      And the system crashes right after its answer to the next commit of A
      When A commits
      Then readers of results see "r1"
      And group "workers" has nothing of inputs left

    @needs:crash
    Scenario: [2] An abort behind a crash
      Given "i1" has been written to inputs
      And A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      And the system has crashed and come back
      When A aborts
      Then readers of results see nothing
      And group "workers" has "i1" of inputs left
