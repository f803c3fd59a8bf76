@needs:transaction-keys
Feature: Clients that reconnect
  A client whose connection was lost reconnects with the epoch that it was last given.

  Background:
    Given the topics "orders" and "ledger"
    And task one has connected with key "payments"
    And task two has connected with key "refunds"
    And task one has begun transaction A
    And task two has begun transaction B

  @TXKEY-26 @MUST @fencing
  Rule: When a client reconnects with the current epoch, the coordinator either keeps or aborts its open transaction, and makes the same choice each time.
    A client that cannot know whether it still has its transaction has to restart the transaction each time.

    Scenario: [1] The clients of two keys reconnect
      Given task one has connected again
      When task two connects again
      Then it is done
      And transactions A and B stand alike

    Scenario: [2] Only one of two reconnecting clients has written messages
      Given A has written "a1" to orders
      And task one has connected again
      When task two connects again
      Then transactions A and B stand alike

    Scenario: [3] One client reconnects once, the other twice
      Given task one has connected again
      And task two has connected again
      When task two connects again
      Then transactions A and B stand alike

    @needs:crash
    Scenario: [4] One client reconnects before a crash, the other after it
      Given task one has connected again
      And the system has crashed and restarted
      When task two connects again
      Then it is done
      And transactions A and B stand alike
