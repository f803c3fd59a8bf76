Feature: Readers who are there all along
  Most readers do not begin when everything is decided: they wait at the end of a log, and are given what comes.

  Background:
    Given the log "orders"
    And a writer A

  @CORE-29 @MUST @commits @aborts
  Rule: A reader who is there all along is given what a new reader is given: nothing that is open or aborted, and all that is committed.
    A broker can hide an open transaction from new readers and still hand each write to those who are waiting for it; or let a waiting
    reader pass by what is committed behind its back, which it then never gets.

    Scenario: [1] A transaction that is open
      Given "early" has been written to orders
      And a follower of orders
      When A writes "a1", "a2" to orders
      Then the follower of orders has been given "early"

    Scenario: [2] A commit behind which the follower has waited
      Given "early" has been written to orders
      And a follower of orders
      And A has written "a1", "a2" to orders
      And the follower of orders has read on
      When A commits
      Then the follower of orders has been given "early", "a1", "a2"

    Scenario: [3] An abort behind which the follower has waited
      Given "early" has been written to orders
      And a follower of orders
      And A has written "a1", "a2" to orders
      And the follower of orders has read on
      And A has aborted
      When "plain" is written to orders
      Then the follower of orders has been given "early", "plain"
