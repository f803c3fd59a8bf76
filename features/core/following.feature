Feature: Readers that stay attached
  Most readers do not begin when everything is decided: they wait at the end of a log, and receive what is added.

  Background:
    Given the log "orders"
    And a writer A

  @CORE-29 @MUST @commits @aborts
  Rule: A reader that stays attached receives what a new reader receives: nothing that is open or aborted, and everything that is committed.
    A broker may hide an open transaction from new readers and still deliver each write to waiting ones. Or it may let a waiting reader
    skip what is committed after the reader has passed.

    Scenario: [1] A follower receives nothing of an open transaction
      Given "early" has been written to orders
      And a follower of orders
      When A writes "a1", "a2" to orders
      Then the follower of orders has been given "early"

    Scenario: [2] A follower that waited receives a committed transaction
      Given "early" has been written to orders
      And a follower of orders
      And A has written "a1", "a2" to orders
      And the follower of orders has read on
      When A commits
      Then the follower of orders has been given "early", "a1", "a2"

    Scenario: [3] A follower that waited receives nothing of an aborted transaction
      Given "early" has been written to orders
      And a follower of orders
      And A has written "a1", "a2" to orders
      And the follower of orders has read on
      And A has aborted
      When "plain" is written to orders
      Then the follower of orders has been given "early", "plain"
