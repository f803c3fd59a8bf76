Feature: Messages that are sent again
  A producer whose connection is lost before the receipt cannot know whether its message is stored, so it sends it again.

  Background:
    Given the deduplicated topic "orders"

  @PIP31-48 @MUST
  Rule: A message that is sent again after a lost connection is stored once.
    A producer that lost the receipt sends again; stored twice, the message is delivered twice.

    Scenario: [1] The producer sends again on a new connection
      Given transaction A
      And producer P has written "a1" to orders in A
      And producer P has sent "a1" again on a new connection
      When A commits
      Then readers of orders see "a1"

    Scenario: [2] The topic is unloaded in between
      Given transaction A
      And producer P has written "a1" to orders in A
      And orders has been unloaded
      And producer P has sent "a1" again on a new connection
      When A commits
      Then readers of orders see "a1"

    Scenario: [3] A batch, and the topic is unloaded in between
      Given transaction A
      And producer P has written a batch of "a1", "a2", "a3" to orders in A
      And orders has been unloaded
      And producer P has sent a batch of "a1", "a2", "a3" again on a new connection
      When A commits
      Then readers of orders see "a1", "a2", "a3"

    Scenario: [4] A message that is new
      When "plain" is written to orders
      Then it is done
      And readers of orders get as far as "plain"

  @PIP31-144 @SHOULD
  Rule: A producer that comes back under its name is told the last sequence id that was stored of it.
    A producer that begins at 0 again would be told that all it sends is there already, and nobody would ever see it.

    Scenario: [1] A producer that had closed
      Given transaction A
      And producer P has written "a1" to orders in A
      And producer P has closed
      When producer P comes back
      Then it is done
      And producer P is told the last sequence id that it has used

    Scenario: [2] A producer of a batch, and a topic that was unloaded
      Given transaction A
      And producer P has written a batch of "a1", "a2", "a3" to orders in A
      And producer P has closed
      And orders has been unloaded
      When producer P comes back
      Then producer P is told the last sequence id that it has used

    Scenario: [3] A producer with another name
      Given transaction A
      And producer P has written a batch of "a1", "a2", "a3" to orders in A
      And producer Q has written "b1" to orders in A
      When A commits
      Then readers of orders see "a1", "a2", "a3", "b1"

    Scenario: [4] A producer that is new
      When producer P comes for the first time to orders
      Then producer P is told the last sequence id that it has used
