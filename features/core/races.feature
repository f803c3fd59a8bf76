Feature: Requests that are under way at once
  Nobody orders what two connections carry, so a transaction can be ended twice at once, or while its last write is on its way.

  Background:
    Given the log "orders"
    And the log "payments"
    And a writer A

  @CORE-36 @MUST
  Rule: A write that is under way while its transaction ends is either acknowledged and shares the outcome, or it is refused.
    A write whose receipt comes after the commit and that no reader ever gets is a payment that was confirmed and lost.

    Scenario: [1] The write leaves before the commit
      Given A has written "a1" to orders
      When A sends "a2" to orders and commits before the receipt
      Then readers of orders see "a1", and "a2" behind it if that was acknowledged

    Scenario: [2] The write leaves behind the commit
      Given A has written "a1" to orders
      When A commits and sends "a2" to orders before the answer
      Then readers of orders see "a1", and "a2" behind it if that was acknowledged

    Scenario: [3] The write leaves before an abort
      Given A has written "a1" to orders
      And "plain" has been written to payments
      When A sends "a2" to payments and aborts before the receipt
      Then readers of orders see nothing
      And readers of payments see "plain"

  @CORE-37 @MUST @commits @aborts
  Rule: Of two who decide a transaction at the same time one wins, and its decision holds in every log.
    An application that times out aborts while its commit is still on the way. If both are told that it is done, one of them acts on
    what never happened; if each log follows another one, half of the transaction is there.

    Scenario Outline: [1] Two ends on two connections
      Given A has written "a1" to orders
      And A has written "a1" to payments
      When A <first> and <second> at the same time
      Then at most one of the two ends is done
      And readers of orders and payments see "a1" if the commit is done, and nothing otherwise

      Examples:
        | first   | second  |
        | commits | aborts  |
        | aborts  | commits |

    Scenario: [2] Two equal ends on two connections
      Given A has written "a1" to orders
      And A has written "a1" to payments
      When A commits and commits at the same time
      Then readers of orders and payments see "a1"

    Scenario: [3] A commit beside the abort of somebody else
      Given A has written "a1" to orders
      And A has written "a1" to payments
      When A commits while somebody else aborts its transaction
      Then readers of orders and payments see "a1" if the commit is done, and nothing otherwise
