Feature: After a crash
  What was decided is completed, and what was open can continue.

  Background:
    Given the log "orders"
    And the log "payments"
    And a writer A

  @CORE-24 @MUST @recovery
  Rule: A transaction that is open at a crash can be continued and committed afterwards, with its writes from before and after the crash.
    A writer whose open transaction is lost in a crash still relies on the half that it wrote before.

    @needs:crash
    Scenario: [1] A writer writes before and after a crash and commits
      Given A has written "a1" to orders
      And the system has crashed and restarted
      When A commits "a2" to orders
      Then readers of orders see "a1", "a2"

    @needs:crash
    Scenario: [2] A writer aborts after a crash
      Given A has written "a1" to orders
      And the system has crashed and restarted
      When A aborts
      Then readers of orders see nothing

    @needs:crash
    Scenario: [3] A writer writes to two logs before a crash and commits
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And the system has crashed and restarted
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    @needs:crash
    Scenario: [4] A writer writes and takes input before a crash and commits
      Given the log "inputs" with "i1", "i2"
      And A has written "a1" to orders
      And A has taken "i1" from inputs for group "workers"
      And the system has crashed and restarted
      When A commits
      Then readers of orders see "a1"
      And group "workers" is done with "i1" of inputs

    @needs:crash
    Scenario: [5] A writer writes before a crash and to another log after it, and commits
      Given A has written "a1" to orders
      And the system has crashed and restarted
      When A commits "a2" to payments
      Then readers of orders see "a1"
      And readers of payments see "a2"

  @CORE-25 @MUST @commits @recovery
  Rule: A commit that was answered is complete even if the system crashes right after the answer.
    A commit that was answered is a promise. If a crash undoes it, the writer has gone on and does not write the data again.

    @needs:crash
    Scenario: [1] The system crashes right after it answers a commit of writes to two logs
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And the system crashes right after its answer to the next commit of A
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    @needs:crash
    Scenario: [2] The system crashes right after it answers a commit of input
      Given the log "inputs" with "i1", "i2"
      And A has taken "i1" from inputs for group "workers"
      And the system crashes right after its answer to the next commit of A
      When A commits
      Then group "workers" is done with "i1" of inputs
      And group "workers" has "i2" of inputs left

  @CORE-26 @MUST @aborts @recovery
  Rule: An abort that was answered is complete even if the system crashes right after the answer.
    An abort that was answered is a promise. If a crash turns it into a commit, readers receive writes that the writer has replaced.

    @needs:crash
    Scenario: [1] The system crashes right after it answers an abort of writes to two logs
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And the system crashes right after its answer to the next abort of A
      When A aborts
      Then readers of orders see nothing
      And readers of payments see nothing

    @needs:crash
    Scenario: [2] The system crashes right after it answers an abort of input
      Given the log "inputs" with "i1", "i2"
      And A has taken "i1" from inputs for group "workers"
      And the system crashes right after its answer to the next abort of A
      When A aborts
      Then group "workers" has "i1", "i2" of inputs left

  @CORE-27 @MUST @recovery
  Rule: A transaction that was not decided before a crash is open after it, and can be committed or aborted.
    A system that decides by itself when it restarts overrules a writer that is alive and was about to decide otherwise.

    @needs:crash-points
    Scenario: [1] A writer repeats the undecided commit after a crash
      Given A has written "a1" to orders
      And the system crashes before it decides the next commit of A
      And A has tried to commit
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:crash-points
    Scenario: [2] A writer aborts after a crash before its commit was decided
      Given A has written "a1" to orders
      And the system crashes before it decides the next commit of A
      And A has tried to commit
      When A aborts
      Then it is done
      And readers of orders see nothing

  @CORE-28 @MUST @recovery
  Rule: If the system crashes after it has decided a transaction, every participant applies that decision, whether or not it was notified before the crash.
    A crash during the notifications must not leave one log committed and another undecided.

    @needs:crash-points
    Scenario Outline: [1] A crash interrupts a commit of writes to two logs
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And the system crashes <moment> the next commit of A
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

      Examples:
        | moment                              |
        | when it has decided                 |
        | when it has notified one of the logs of |
        | when it has notified all of the logs of |

    @needs:crash-points
    Scenario Outline: [2] A crash interrupts an abort of writes to two logs
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And the system crashes <moment> the next abort of A
      When A aborts
      Then the transaction of A is over
      And readers of orders and payments see nothing

      Examples:
        | moment                              |
        | when it has decided                 |
        | when it has notified one of the logs of |
        | when it has notified all of the logs of |

    @needs:crash-points
    Scenario Outline: [3] A crash interrupts a commit of input alone
      Given the log "inputs" with "i1", "i2"
      And A has taken "i1" from inputs for group "workers"
      And the system crashes <moment> the next commit of A
      When A commits
      Then group "workers" is done with "i1" of inputs

      Examples:
        | moment                              |
        | when it has decided                 |
        | when it has notified one of the logs of |
        | when it has notified all of the logs of |
