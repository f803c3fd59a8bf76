Feature: Requests of faulty clients
  A client that is faulty, or ends its transaction too early, harms that transaction and no other client.

  Background:
    Given the topic "orders"

  @PIP31-110 @SHOULD
  Rule: A broker does not deliver a message in a transaction that never existed, and the message blocks no reader.
    One client with a wrong id would withhold all later messages from every reader, because its transaction is never ended.

    Scenario: [1] A message names a transaction id that was never assigned
      Given U is an unknown transaction
      And U has tried to write "stray" to orders, which it has not added
      When "plain" is written to orders
      Then readers of orders get as far as "plain"
      And readers of orders see "plain"

    Scenario: [2] A message names a transaction of a coordinator that does not exist
      Given U is a transaction of an unknown coordinator
      And U has tried to write "stray" to orders, which it has not added
      When "plain" is written to orders
      Then readers of orders get as far as "plain"
      And readers of orders see "plain"

  @PIP31-111 @MUST
  Rule: A message that is in flight when its transaction commits is either delivered or refused.
    A client that commits before its send receipts would be answered that everything is stored, while the message and all later ones stay
    invisible.

    Scenario: [1] A transaction commits before the first send receipt is read
      Given transaction A
      And A has 50 messages in flight to orders
      When A commits
      Then it is done
      And readers of orders see exactly what of A was receipted

    Scenario: [2] A transaction commits between its messages
      Given transaction A
      When A commits among 100 messages in flight to orders
      Then it is done
      And readers of orders see exactly what of A was receipted

  @PIP31-112 @MUST
  Rule: A topic whose name cannot be parsed does not prevent the other participants from following the end of their transaction.
    One invalid name would leave what the transaction wrote elsewhere undecided for ever, and all later messages withheld.

    @needs:hold-markers
    Scenario: [1] A transaction commits after it added a topic whose name cannot be parsed
      Given transaction A
      And A has written "a1" to orders
      And A has tried to add a topic whose name cannot be parsed
      When A commits
      Then readers of orders get as far as "a1"
