@needs:sealing
Feature: Logs that are sealed
  A log can be closed for writing while transactions are open in it, and before groups have read it: a segment that is split, a topic that
  is terminated. Other logs replace it; its content remains until it is consumed.

  Background:
    Given the log "orders"
    And a writer A

  @CORE-43 @MUST @commits @aborts @sealing
  Rule: A transaction that is open in a log when the log is sealed keeps its outcome there: visible after a commit, hidden after an abort.
    An end that has to be written into the sealed log never arrives there. Readers wait for ever, or receive what was withdrawn.

    Scenario: [1] A transaction commits after the seal
      Given A has written "a1", "a2" to orders
      And orders has been sealed
      When A commits
      Then it is done
      And readers of orders see "a1", "a2"

    Scenario: [2] A transaction aborts after the seal
      Given A has written "a1" to orders
      And "plain" has been written to orders
      And orders has been sealed
      When A aborts
      Then it is done
      And readers of orders see "plain"

    Scenario: [3] A transaction is undecided after the seal
      Given "plain" has been written to orders
      And A has written "a1" to orders
      When orders is sealed
      Then readers of orders see "plain"

    Scenario: [4] A transaction writes to another log after the seal and commits
      Given the log "payments"
      And A has written "a1" to orders
      And orders has been sealed
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    Scenario: [5] A transaction writes to another log after the seal and aborts
      Given the log "payments"
      And A has written "a1" to orders
      And orders has been sealed
      And A has written "a2" to payments
      When A aborts
      Then readers of orders and payments see nothing

    Scenario: [6] Of two transactions in a sealed log one commits and the other aborts
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And orders has been sealed
      And B has aborted
      When A commits
      Then readers of orders see "a1"

    Scenario: [7] A follower receives a transaction that commits after the seal
      Given a follower of orders
      And A has written "a1" to orders
      And orders has been sealed
      When A commits
      Then the follower of orders has been given "a1"

    Scenario: [8] A transaction in a sealed log is abandoned
      Given a writer C with a short timeout
      And C has written "c1" to orders
      And "plain" has been written to orders
      And orders has been sealed
      When C leaves its transaction open past its timeout
      Then readers of orders see "plain"

    @needs:reload
    Scenario: [9] A log is reloaded between the seal and the commit
      Given A has written "a1" to orders
      And orders has been sealed
      And orders has been reloaded
      When A commits
      Then readers of orders see "a1"

    @needs:reload
    Scenario: [10] A log is reloaded after the seal and the abort
      Given A has written "a1" to orders
      And "plain" has been written to orders
      And orders has been sealed
      And A has aborted
      When orders is reloaded
      Then readers of orders see "plain"

    @needs:crash
    Scenario: [11] The system crashes between the seal and the commit
      Given A has written "a1" to orders
      And orders has been sealed
      And the system has crashed and restarted
      When A commits
      Then readers of orders see "a1"

    @needs:reload
    Scenario: [12] A log is reloaded between the seal and the abort
      Given A has written "a1" to orders
      And "plain" has been written to orders
      And orders has been sealed
      And orders has been reloaded
      When A aborts
      Then readers of orders see "plain"

  @CORE-44 @MUST @sealing
  Rule: A sealed log accepts no more writes, and a refused write is stored nowhere.
    A write that is acknowledged after the seal is lost: no reader looks there any more.

    Scenario: [1] A plain write to a sealed log is refused
      Given orders has been sealed
      When "plain" is written to orders
      Then it is refused

    Scenario: [2] A write in a transaction that was open in a sealed log is refused
      Given A has written "a1" to orders
      And orders has been sealed
      When A writes "a2" to orders
      Then it is refused

    Scenario: [3] A write in a transaction that is new to a sealed log is refused
      Given orders has been sealed
      When A writes "a1" to orders
      Then it is refused

    Scenario: [4] A transaction commits after its write to a sealed log was refused
      Given A has written "a1" to orders
      And orders has been sealed
      And A has tried to write "a2" to orders
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:reload
    Scenario: [5] A write to a sealed log is refused after a reload
      Given orders has been sealed
      And orders has been reloaded
      When "plain" is written to orders
      Then it is refused

    Scenario: [6] Another log accepts writes after a log was sealed
      Given the log "payments"
      And orders has been sealed
      When A commits "a1" to payments
      Then it is done
      And readers of payments see "a1"

    Scenario: [7] A plain write that a sealed log has refused is invisible
      Given "early" has been written to orders
      And orders has been sealed
      When "plain" is written to orders
      Then it is refused
      And readers of orders see "early"

  @CORE-45 @MUST @sealing
  Rule: Writes that were acknowledged before a log was sealed stay readable until they are consumed.
    A seal is no deletion. Acknowledged writes that a group has not processed would be lost.

    Scenario: [1] Plain and committed writes are readable after the seal
      Given "plain" has been written to orders
      And A has committed "a1" to orders
      When orders is sealed
      Then readers of orders see "plain", "a1"

    Scenario: [2] A group that has read nothing receives the input after the seal
      Given "i1" has been written to orders
      And "i2" has been written to orders
      When orders is sealed
      Then group "workers" has "i1", "i2" of orders left

    Scenario: [3] A group takes part of the input after the seal, and the transaction commits
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And orders has been sealed
      And A has taken "i1" from orders for group "workers"
      When A commits
      Then group "workers" has "i2" of orders left

    Scenario: [4] A group took part of the input before the seal, and the transaction aborts
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And A has taken "i1" from orders for group "workers"
      And orders has been sealed
      When A aborts
      Then group "workers" has "i1", "i2" of orders left

    Scenario: [5] A group took part of the input before the seal, and the transaction commits
      Given "i1" has been written to orders
      And "i2" has been written to orders
      And A has taken "i1" from orders for group "workers"
      And orders has been sealed
      When A commits
      Then group "workers" has "i2" of orders left

    Scenario: [6] One group has consumed a sealed log, and another has not
      Given "i1" has been written to orders
      And orders has been sealed
      And A has taken "i1" from orders for group "workers"
      When A commits
      Then group "workers" has nothing of orders left
      And group "auditors" has "i1" of orders left

    @needs:reload
    Scenario: [7] Committed writes are readable after the seal and a reload
      Given A has committed "a1" to orders
      And orders has been sealed
      When orders is reloaded
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [8] Committed writes are readable after the seal and a crash
      Given the log "payments"
      And A has committed "a1" to orders
      And orders has been sealed
      And the system has crashed and restarted
      When A commits "a2" to payments
      Then readers of orders see "a1"
