Feature: Messages that are sent again
  A producer whose connection is lost before the receipt cannot know whether its message is stored, so it sends it again.

  Background:
    Given the deduplicated topic "orders"

  @PIP31-48 @MUST
  Rule: A message that is sent again after a lost connection is stored once.

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
