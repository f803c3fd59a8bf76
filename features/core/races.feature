Feature: Concurrent requests
  Requests on two connections have no order, so a transaction can be ended twice concurrently, or while its last write is in flight.

  Background:
    Given the log "orders"
    And the log "payments"
    And a writer A

  @CORE-36 @MUST
  Rule: A write that is in flight when its transaction ends is either acknowledged and shares the outcome, or refused.
    A write that is acknowledged after the commit and never becomes visible is a payment that was confirmed and lost.

    Scenario: [1] A writer sends a write right before it commits
      Given A has written "a1" to orders
      When A sends "a2" to orders and commits at the same time, the write first
      Then readers of orders see "a1" if the commit is done, and nothing otherwise, and "a2" after it if that was acknowledged

    Scenario: [2] A writer sends a write right after it commits
      Given A has written "a1" to orders
      When A sends "a2" to orders and commits at the same time, the end first
      Then readers of orders see "a1" if the commit is done, and nothing otherwise, and "a2" after it if that was acknowledged

    Scenario: [3] A writer sends a write right before it aborts
      Given A has written "a1" to orders
      And "plain" has been written to payments
      When A sends "a2" to payments and aborts at the same time, the write first
      Then readers of orders see nothing
      And readers of payments see "plain"

  @CORE-37 @MUST @commits @aborts
  Rule: If two ends of one transaction are requested concurrently, a commit and an abort do not both succeed, and every log has the same outcome.
    An application that times out aborts while its commit is in flight. If both return success, one client acts on what never happened; if
    logs follow different ends, half of the transaction is visible.

    Scenario Outline: [1] A commit and an abort are requested on two connections
      Given A has written "a1" to orders
      And A has written "a1" to payments
      When A <first> and <second> at the same time
      Then at most one of the two ends is done
      And readers of orders and payments see "a1" if the commit is done, and nothing otherwise

      Examples:
        | first   | second  |
        | commits | aborts  |
        | aborts  | commits |

    Scenario: [2] Two commits are requested on two connections
      Given A has written "a1" to orders
      And A has written "a1" to payments
      When A commits and commits at the same time
      Then readers of orders and payments see "a1"

    Scenario: [3] A commit is requested while another client aborts the transaction
      Given A has written "a1" to orders
      And A has written "a1" to payments
      When A commits and another client aborts at the same time
      Then readers of orders and payments see "a1" if the commit is done, and nothing otherwise
