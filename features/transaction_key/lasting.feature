Feature: Keys that last
  What a coordinator has said of keys holds when it, or another one, is there again.

  Background:
    Given the topic "orders"
    And task one has connected with key "payments"

  @TXKEY-20 @MUST @recovery @fencing
  Rule: Keys and epochs survive a crash of their coordinator.
    A coordinator that forgets epochs lets everybody back in whom it has fenced.

    @needs:transaction-keys @needs:crash
    Scenario: [1] The next epoch
      Given the system has crashed and come back
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one

    @needs:transaction-keys @needs:crash
    Scenario: [2] A stale epoch
      Given task two has connected with key "payments"
      And the system has crashed and come back
      When task one connects again
      Then it is refused with NotAllowedError
      And key "payments" is at the epoch of task two, with nothing open

    @needs:transaction-keys @needs:crash
    Scenario: [3] The current epoch
      Given the system has crashed and come back
      When task one connects again
      Then it is done
      And task one is given a greater epoch than before

    @needs:transaction-keys @needs:crash
    Scenario: [4] An epoch from the future
      Given the system has crashed and come back
      When task one connects again with an epoch that nobody was given
      Then it is refused with NotAllowedError

    @needs:transaction-keys @needs:crash
    Scenario: [5] Two crashes
      Given the system has crashed and come back
      And task two has connected with key "payments"
      And the system has crashed and come back
      When task three connects with key "payments"
      Then task three is given a greater epoch than task two

    @needs:transaction-keys @needs:crash @needs:principals
    Scenario: [6] Owners
      Given task two has connected with key "payments" of "alice"
      And task three has connected with key "payments" of "alice"
      And the system has crashed and come back
      When task four connects with key "payments" of "alice"
      Then task four is given a greater epoch than task three
      And administrators are told of key "payments" and key "payments" of "alice" and no other

    @needs:transaction-keys @needs:crash @needs:key-topic-faults
    Scenario: [7] After a compaction of the key topic
      Given task two has connected with key "payments"
      And the key topic has been compacted
      And the system has crashed and come back
      When task three connects with key "payments"
      Then task three is given a greater epoch than task two

    @needs:transaction-keys @needs:crash @needs:key-topic-faults
    Scenario: [8] A stale epoch after a compaction
      Given task two has connected with key "payments"
      And the key topic has been compacted
      And the system has crashed and come back
      When task one connects again
      Then it is refused with NotAllowedError

    @needs:transaction-keys @needs:crash
    Scenario: [9] Several keys, as administrators are told of them
      Given task two has connected with key "refunds"
      When the system crashes and comes back
      Then administrators are told of key "payments" and key "refunds" and no other

    @needs:transaction-keys @needs:crash @needs:virtual-time
    Scenario: [10] A key that was idle for a month
      Given the system has crashed and come back a month later
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one

    @needs:transaction-keys @needs:crash @needs:virtual-time
    Scenario: [11] A stale epoch of a key that was idle for a month
      Given task two has connected with key "payments"
      And the system has crashed and come back a month later
      When task one connects again
      Then it is refused with NotAllowedError
      And administrators are told of key "payments" and no other

  @TXKEY-21 @MUST @recovery @fencing
  Rule: The open transaction of a key survives a crash of the coordinator, and is still the one to be fenced.
    A transaction that its key forgets cannot be fenced, and holds up its topics until its time-out.

    Background:
      Given task one has begun transaction A
      And A has written "a1" to orders

    @needs:transaction-keys @needs:crash
    Scenario: [1] It is fenced behind the crash
      Given the system has crashed and come back
      When task two connects with key "payments"
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys @needs:crash
    Scenario: [2] It is open behind the crash
      When the system crashes and comes back
      Then key "payments" is at the epoch of task one, with transaction A open
      And A is OPEN

    @needs:transaction-keys @needs:crash
    Scenario: [3] It commits behind the crash
      Given the system has crashed and come back
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:transaction-keys @needs:crash
    Scenario: [4] It has acknowledged
      Given the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And the system has crashed and come back
      When task two connects with key "payments"
      Then subscription "workers" has "i1" left

    @needs:transaction-keys @needs:crash @needs:key-topic-faults
    Scenario: [5] It is fenced behind a crash and a compaction of the key topic
      Given the key topic has been compacted
      And the system has crashed and come back
      When task two connects with key "payments"
      Then A is ABORTED
      And readers of orders see nothing

    @needs:transaction-keys @needs:crash
    Scenario: [6] The transaction of a successor
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And the system has crashed and come back
      When task three connects with key "payments"
      Then B is ABORTED
      And key "payments" is at the epoch of task three, with nothing open

    @needs:transaction-keys @needs:crash
    Scenario: [7] A connect is answered behind the crash, though nobody has come back to the topic
      Given the system has crashed and come back
      And task two has asked to connect with key "payments"
      When task three connects with key "refunds"
      Then task two is given a greater epoch than task one

    @needs:transaction-keys @needs:crash
    Scenario: [8] Nobody has come back to the topic, and somebody has to another one
      Given the system has crashed and come back
      And the topic "inputs" with "i1"
      And task two has asked to connect with key "payments"
      When task three connects with key "refunds"
      Then task two is given a greater epoch than task one
