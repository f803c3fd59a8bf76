Feature: Concurrent ends
  A client without an answer to its end retries while the first request is in flight.

  Background:
    Given the topic "orders"

  @PIP31-91 @MUST @commits @aborts
  Rule: Two equal ends of a transaction that are sent concurrently have the effect of one.
    A client that loses its connection repeats its commit at once: messages would become visible twice, or input be redelivered twice.

    Scenario: [1] Two commits are requested concurrently
      Given transaction A
      And A has written "a1", "a2" to orders
      When A is asked to commit and to commit at the same time
      Then readers of orders see "a1", "a2"
      And A is COMMITTED

    Scenario: [2] Two aborts are requested concurrently
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And transaction A
      And A has acknowledged "i1" for "workers"
      When A is asked to abort and to abort at the same time
      Then the consumer of "workers" receives "i1" and nothing else
      And A is ABORTED

    @needs:held-ends
    Scenario: [3] A commit is repeated while it is incomplete
      Given transaction A
      And A has written "a1" to orders
      And the commit of A is incomplete
      And A has tried to commit
      When the end of A is held up no longer
      Then each request for the end of A is answered
      And readers of orders see "a1"
