Feature: Logs that are sealed
  A log can be closed for writing while transactions are open in it, and while groups have still to read it: a segment that is split, a
  topic that is terminated. Its place is taken by other logs; what is in it stays until it is consumed.

  Background:
    Given the log "orders"
    And a writer A

  @CORE-43 @MUST @commits @aborts @sealing
  Rule: A log that is sealed under an open transaction follows its outcome.
    An end that has to be written into the log never comes there, and readers wait for ever, or are given what was withdrawn.

    @needs:sealing
    Scenario: [1] It commits behind the seal
      Given A has written "a1", "a2" to orders
      And orders has been sealed
      When A commits
      Then it is done
      And readers of orders see "a1", "a2"

    @needs:sealing
    Scenario: [2] It aborts behind the seal
      Given A has written "a1" to orders
      And "plain" has been written to orders
      And orders has been sealed
      When A aborts
      Then it is done
      And readers of orders see "plain"

    @needs:sealing
    Scenario: [3] It is undecided
      Given "plain" has been written to orders
      And A has written "a1" to orders
      When orders is sealed
      Then readers of orders see "plain"

    @needs:sealing
    Scenario: [4] It goes on writing in another log, and both follow
      Given the log "payments"
      And A has written "a1" to orders
      And orders has been sealed
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    @needs:sealing
    Scenario: [5] It goes on writing in another log, and is aborted in both
      Given the log "payments"
      And A has written "a1" to orders
      And orders has been sealed
      And A has written "a2" to payments
      When A aborts
      Then readers of orders and payments see nothing

    @needs:sealing
    Scenario: [6] Of two transactions one commits and the other aborts
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And orders has been sealed
      And B has aborted
      When A commits
      Then readers of orders see "a1"

    @needs:sealing
    Scenario: [7] A reader who is there all along
      Given a follower of orders
      And A has written "a1" to orders
      And orders has been sealed
      When A commits
      Then the follower of orders has been given "a1"

    @needs:sealing
    Scenario: [8] It is abandoned
      Given a writer C with a short time-out
      And C has written "c1" to orders
      And "plain" has been written to orders
      And orders has been sealed
      When C leaves its transaction open past its time-out
      Then readers of orders see "plain"

    @needs:sealing @needs:reload
    Scenario: [9] The log is reloaded between the seal and the commit
      Given A has written "a1" to orders
      And orders has been sealed
      And orders has been reloaded
      When A commits
      Then readers of orders see "a1"

    @needs:sealing @needs:reload
    Scenario: [10] The log is reloaded behind the abort
      Given A has written "a1" to orders
      And "plain" has been written to orders
      And orders has been sealed
      And A has aborted
      When orders is reloaded
      Then readers of orders see "plain"

    @needs:sealing @needs:crash
    Scenario: [11] A crash of the system behind the seal
      Given A has written "a1" to orders
      And orders has been sealed
      And the system has crashed and come back
      When A commits
      Then readers of orders see "a1"

  @CORE-44 @MUST @sealing
  Rule: A sealed log takes no more writes, and a write that it refused is nowhere.
    Who is told that something was written behind the seal has lost it: nobody looks there any more.

    @needs:sealing
    Scenario: [1] A write outside of transactions
      Given orders has been sealed
      When "plain" is written to orders
      Then it is refused

    @needs:sealing
    Scenario: [2] A write in the transaction that was open there
      Given A has written "a1" to orders
      And orders has been sealed
      When A writes "a2" to orders
      Then it is refused

    @needs:sealing
    Scenario: [3] A write in a transaction that was not there yet
      Given orders has been sealed
      When A writes "a1" to orders
      Then it is refused

    @needs:sealing
    Scenario: [4] The transaction is committed behind the refusal
      Given A has written "a1" to orders
      And orders has been sealed
      And A has tried to write "a2" to orders
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:sealing @needs:reload
    Scenario: [5] The log is reloaded behind the seal
      Given orders has been sealed
      And orders has been reloaded
      When "plain" is written to orders
      Then it is refused

    @needs:sealing
    Scenario: [6] Another log takes writes
      Given the log "payments"
      And orders has been sealed
      When A commits "a1" to payments
      Then it is done
      And readers of payments see "a1"

  @CORE-45 @MUST @sealing
  Rule: What was acknowledged before a log was sealed is readable until it is consumed.
    A seal is no deletion. What a writer was promised, and a group has not done yet, would be lost to both.

    @needs:sealing
    Scenario: [1] What was written in and outside of transactions
      Given "plain" has been written to orders
      And A has committed "a1" to orders
      When orders is sealed
      Then readers of orders see "plain", "a1"

    @needs:sealing
    Scenario: [2] A group that has read nothing yet
      Given "i1" has been written to orders
      And "i2" has been written to orders
      When orders is sealed
      Then group "workers" has "i1", "i2" of orders left

    @needs:sealing
    Scenario: [3] A group takes a part of it behind the seal, and commits
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And orders has been sealed
      And A has taken "i1" from orders for group "workers"
      When A commits
      Then group "workers" has "i2" of orders left

    @needs:sealing
    Scenario: [4] A group took a part of it before the seal, and aborts
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And A has taken "i1" from orders for group "workers"
      And orders has been sealed
      When A aborts
      Then group "workers" has "i1", "i2" of orders left

    @needs:sealing
    Scenario: [5] A group took a part of it before the seal, and commits
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And A has taken "i1" from orders for group "workers"
      And orders has been sealed
      When A commits
      Then group "workers" has "i2" of orders left

    @needs:sealing
    Scenario: [6] All of it was consumed, and what another group has not is there
      Given "i1" has been written to orders
      And orders has been sealed
      And A has taken "i1" from orders for group "workers"
      When A commits
      Then group "workers" has nothing of orders left
      And group "auditors" has "i1" of orders left

    @needs:sealing @needs:reload
    Scenario: [7] What was committed before, when the log is reloaded
      Given A has committed "a1" to orders
      And orders has been sealed
      When orders is reloaded
      Then readers of orders see "a1"

    @needs:sealing @needs:crash
    Scenario: [8] What was committed before, when the system crashes
      Given the log "payments"
      And A has committed "a1" to orders
      And orders has been sealed
      And the system has crashed and come back
      When A commits "a2" to payments
      Then readers of orders see "a1"
