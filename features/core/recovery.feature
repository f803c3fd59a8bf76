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
