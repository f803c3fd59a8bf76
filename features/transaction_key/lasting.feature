@needs:transaction-keys @needs:crash
Feature: Durable keys
  What a coordinator has answered about keys remains true after it, or another broker that loads it, is restarted.

  Background:
    Given the topic "orders"
    And task one has connected with key "payments"

  @TXKEY-20 @MUST @recovery @fencing
  Rule: Keys and their epochs survive a crash of their coordinator.
    A coordinator that forgets epochs readmits every client that it has fenced.

    Scenario: [1] A new client is given the next epoch after a crash
      Given the system has crashed and restarted
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one

    Scenario: [2] A fenced client reconnects after a crash
      Given task two has connected with key "payments"
      And the system has crashed and restarted
      When task one connects again
      Then it is refused with NotAllowedError
      And key "payments" is at the epoch of task two, with nothing open

    Scenario: [3] The current client reconnects after a crash
      Given the system has crashed and restarted
      When task one connects again
      Then it is done
      And task one is given a greater epoch than before

    Scenario: [4] A client reconnects after a crash with an epoch that no client was given
      Given the system has crashed and restarted
      When task one connects again with an epoch that was never assigned
      Then it is refused with NotAllowedError

    Scenario: [5] A new client connects after a second crash
      Given the system has crashed and restarted
      And task two has connected with key "payments"
      And the system has crashed and restarted
      When task three connects with key "payments"
      Then task three is given a greater epoch than task two

    @needs:principals
    Scenario: [6] A client of a named owner connects after a crash
      Given task two has connected with key "payments" of "alice"
      And task three has connected with key "payments" of "alice"
      And the system has crashed and restarted
      When task four connects with key "payments" of "alice"
      Then task four is given a greater epoch than task three
      And administrators are shown key "payments" and key "payments" of "alice" and no other

    @needs:key-topic-faults
    Scenario: [7] A new client connects after the key topic was compacted and the system crashed
      Given task two has connected with key "payments"
      And the key topic has been compacted
      And the system has crashed and restarted
      When task three connects with key "payments"
      Then task three is given a greater epoch than task two

    @needs:key-topic-faults
    Scenario: [8] A fenced client reconnects after the key topic was compacted and the system crashed
      Given task two has connected with key "payments"
      And the key topic has been compacted
      And the system has crashed and restarted
      When task one connects again
      Then it is refused with NotAllowedError

    Scenario: [9] An administrator lists the keys after a crash
      Given task two has connected with key "refunds"
      When the system crashes and restarts
      Then administrators are shown key "payments" and key "refunds" and no other

    @needs:virtual-time
    Scenario: [10] A new client connects with a key that was idle for a month
      Given the system has crashed and restarted a month later
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one

    @needs:virtual-time
    Scenario: [11] A fenced client reconnects to a key that was idle for a month
      Given task two has connected with key "payments"
      And the system has crashed and restarted a month later
      When task one connects again
      Then it is refused with NotAllowedError
      And administrators are shown key "payments" and no other

    Scenario: [12] New clients connect with two keys of one coordinator after a second crash
      Given task two has connected with key "refunds" at the coordinator of task one
      And the system has crashed and restarted
      And the system has crashed and restarted
      And task three has connected with key "payments"
      When task four connects with key "refunds"
      Then task three is given a greater epoch than task one
      And task four is given a greater epoch than task two

    Scenario Outline: [13] A new client connects after its predecessor's transaction was <ended> and the system crashed
      Given task two has connected with key "payments"
      And task two has begun transaction A
      And A has <ended>
      And the system has crashed and restarted
      When task three connects with key "payments"
      Then task three is given a greater epoch than task two

      Examples:
        | ended     | why                                                        |
        | committed | a coordinator forgets transactions that are over, not keys |
        | aborted   | the same                                                   |

    @needs:principals
    Scenario: [14] Clients of two owners connect with keys of the same name after a second crash
      Given task two has connected with key "payments" of "carol"
      And the system has crashed and restarted
      And the system has crashed and restarted
      And task three has connected with key "payments"
      When task four connects with key "payments" of "carol"
      Then task three is given a greater epoch than task one
      And task four is given a greater epoch than task two

  @TXKEY-21 @MUST @recovery @fencing
  Rule: The open transaction of a key survives a crash of the coordinator, and the next connect still fences it.
    A coordinator that forgets the transaction of a key cannot fence it, and the transaction blocks its topics until its timeout.

    Background:
      Given task one has begun transaction A
      And A has written "a1" to orders

    Scenario: [1] The transaction is fenced after a crash
      Given the system has crashed and restarted
      When task two connects with key "payments"
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

    Scenario: [2] The transaction is open after a crash
      When the system crashes and restarts
      Then key "payments" is at the epoch of task one, with transaction A open
      And A is OPEN

    Scenario: [3] The transaction commits after a crash
      Given the system has crashed and restarted
      When A commits
      Then it is done
      And readers of orders see "a1"

    Scenario: [4] The transaction with acknowledgements is fenced after a crash
      Given the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      When task two connects with key "payments"
      Then subscription "workers" has "i1" left

    @needs:key-topic-faults
    Scenario: [5] The transaction is fenced after the key topic was compacted and the system crashed
      Given the key topic has been compacted
      And the system has crashed and restarted
      When task two connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [6] The transaction of a successor is fenced after a crash
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And the system has crashed and restarted
      When task three connects with key "payments"
      Then B is ABORTED
      And key "payments" is at the epoch of task three, with nothing open

    Scenario: [7] A connect is answered after a crash although no client has used the topic of the transaction
      Given the system has crashed and restarted
      And task two has asked to connect with key "payments"
      When task three connects with key "refunds"
      Then task two is given a greater epoch than task one

    Scenario: [8] A connect is answered after a crash although clients have used only another topic
      Given the system has crashed and restarted
      And the topic "inputs" with "i1"
      And task two has asked to connect with key "payments"
      When task three connects with key "refunds"
      Then task two is given a greater epoch than task one

    Scenario: [9] The transaction is fenced after a hundred and fifty others of its key and a crash
      Given task one has begun 150 transactions, each fencing the one before
      And task one has begun transaction B and written "b1" to orders
      And the system has crashed and restarted
      When task two connects with key "payments"
      Then B is ABORTED
      And readers of orders see nothing

    Scenario: [10] The transaction is fenced after a crash, and another key of its coordinator has an open one too
      Given task two has connected with key "refunds" at the coordinator of task one
      And task two has begun transaction B
      And the system has crashed and restarted
      When task three connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing
