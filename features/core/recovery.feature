Feature: After a crash
  What was decided is completed, and what was open can go on.

  Background:
    Given the logs "orders" and "payments"

  @CORE-24 @MUST
  Rule: A transaction that is open when the system crashes can go on afterwards and be committed, with what it wrote before and after.

    @needs:crash
    Scenario: [1] A write before the crash and one after it
      Given a writer A
      And A has written "a1" to orders
      And the system has crashed and come back
      When A writes "a2" to orders and commits
      Then readers of orders see "a1", "a2"

    @needs:crash
    Scenario: [2] An abort after the crash
      Given a writer A
      And A has written "a1" to orders
      And the system has crashed and come back
      When A aborts
      Then readers of orders see nothing

  @CORE-25 @MUST
  Rule: A commit that was answered is complete after a crash right behind the answer.

    @needs:crash
    Scenario: [1] A transaction over two logs
      Given a writer A
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A commits, and the system crashes right after the answer
      Then readers of orders see "a1"
      And readers of payments see "a2"

    @needs:crash
    Scenario: [2] Its input
      Given a writer A
      And the log "inputs" with "i1", "i2"
      And A has taken 1 value of inputs for group "workers"
      When A commits, and the system crashes right after the answer
      Then group "workers" has "i2" of inputs left

  @CORE-26 @MUST
  Rule: An abort that was answered is complete after a crash right behind the answer.

    @needs:crash
    Scenario: [1] An abort over two logs
      Given a writer A
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A aborts, and the system crashes right after the answer
      Then readers of orders see nothing
      And readers of payments see nothing

    @needs:crash
    Scenario: [2] The input of an abort
      Given a writer A
      And the log "inputs" with "i1", "i2"
      And A has taken 1 value of inputs for group "workers"
      When A aborts, and the system crashes right after the answer
      Then group "workers" has "i1", "i2" of inputs left

  @CORE-27 @MUST
  Rule: A transaction whose end was not decided before a crash is open after it, and can be ended either way.

    @needs:crash-points
    Scenario: [1] The same end is asked for again
      Given a writer A
      And A has written "a1" to orders
      And A has asked for a commit, and the system has crashed before it decided and come back
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:crash-points
    Scenario: [2] The other end is asked for
      Given a writer A
      And A has written "a1" to orders
      And A has asked for a commit, and the system has crashed before it decided and come back
      When A aborts
      Then it is done
      And readers of orders see nothing

  @CORE-28 @MUST
  Rule: A decision is carried out everywhere after a crash, wherever on its way to those who took part the crash came.

    @needs:crash-points
    Scenario Outline: [1] A commit
      Given a writer A
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A commits, and the system crashes <moment> and comes back
      Then readers of orders see "a1"
      And readers of payments see "a2"

      Examples:
        | moment                            |
        | when it has decided               |
        | when it has told one of the logs  |
        | when it has told all of the logs  |

    @needs:crash-points
    Scenario Outline: [2] An abort
      Given a writer A
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A aborts, and the system crashes <moment> and comes back
      Then the transaction of A is over
      And readers of orders and payments see nothing

      Examples:
        | moment                            |
        | when it has decided               |
        | when it has told one of the logs  |
        | when it has told all of the logs  |
