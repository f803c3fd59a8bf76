Feature: What a client should not send
  A client that is broken, or ends its transaction too early, harms that transaction and nobody else.

  Background:
    Given the topic "orders"

  @PIP31-110 @SHOULD
  Rule: A message in a transaction that never was is not delivered, and stands in nobody's way.
    One client with a wrong id would keep all that is written behind its message from every reader, for nobody will ever end its transaction.

    Scenario: [1] A transaction id that was never given
      Given U is an unknown transaction
      And U has tried to write "stray" to orders, which it has not added
      When "plain" is written to orders
      Then readers of orders get as far as "plain"
      And readers of orders see "plain"

    Scenario: [2] A coordinator that does not exist
      Given U is a transaction of an unknown coordinator
      And U has tried to write "stray" to orders, which it has not added
      When "plain" is written to orders
      Then readers of orders get as far as "plain"
      And readers of orders see "plain"

  @PIP31-111 @MUST
  Rule: A message that is under way when its transaction is committed is delivered, or it is refused.
    A client that commits before its receipts would be told that all is stored, and nobody would ever get it, nor what is written behind it.

    Scenario: [1] A commit before the first receipt is read
      Given transaction A
      And A has 50 messages under way to orders
      When A commits
      Then it is done
      And readers of orders see exactly what of A was receipted

  @PIP31-112 @MUST
  Rule: A topic whose name cannot be parsed keeps no other participant from the end of its transaction.
    One wrong name would leave what the transaction wrote elsewhere undecided for ever, and all that is written behind it withheld.

    @needs:hold-markers
    Scenario: [1] A commit of a topic beside such a name
      Given transaction A
      And A has written "a1" to orders
      And A has tried to add a topic whose name cannot be parsed
      When A commits
      Then readers of orders get as far as "a1"
