Feature: Clients that come again
  A client whose connection was lost comes again with the epoch that it was given last.

  Background:
    Given the topics "orders" and "ledger"
    And task one has connected with key "payments"
    And task two has connected with key "refunds"
    And task one has begun transaction A
    And task two has begun transaction B

  @TXKEY-26 @MUST @fencing
  Rule: A client that connects again with the current epoch is treated alike every time: its transaction is kept, or aborted.
    A client that cannot know whether it still has its transaction has to begin anew each time.

    @needs:transaction-keys
    Scenario: [1] Two keys
      Given task one has connected again
      When task two connects again
      Then it is done
      And transactions A and B stand alike

    @needs:transaction-keys
    Scenario: [2] One with messages, the other without
      Given A has written "a1" to orders
      And task one has connected again
      When task two connects again
      Then transactions A and B stand alike

    @needs:transaction-keys
    Scenario: [3] One that comes again twice
      Given task one has connected again
      And task two has connected again
      When task two connects again
      Then transactions A and B stand alike

    @needs:transaction-keys @needs:crash
    Scenario: [4] One before a crash, the other behind it
      Given task one has connected again
      And the system has crashed and come back
      When task two connects again
      Then it is done
      And transactions A and B stand alike
