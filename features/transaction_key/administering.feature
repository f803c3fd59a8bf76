@needs:transaction-keys
Feature: Administering keys
  An administrator lists which connection has which key, and deletes keys that are no longer needed.

  Background:
    Given the topic "orders"

  @TXKEY-27 @MUST @aborts
  Rule: An administrator can list every key with its epoch and open transaction, and delete a key, which aborts that transaction.
    An administrator cannot explain a fencing by a key that is missing from the list.

    Scenario: [1] An administrator lists three keys
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      When task three connects with key "fees"
      Then administrators are shown key "payments" and key "refunds" and key "fees" and no other

    Scenario: [2] An administrator lists keys after a client connected without one
      When task one connects with no key
      Then administrators are shown no key and no other

    Scenario: [3] A key is listed whose connections fence each other
      Given task one has connected with key "payments"
      When task two connects with key "payments"
      Then administrators are shown key "payments" and no other
      And key "payments" is at the epoch of task two, with nothing open

    Scenario: [4] A key is listed with its open transaction
      Given task one has connected with key "payments"
      When task one begins transaction A
      Then key "payments" is at the epoch of task one, with transaction A open

    Scenario: [5] An administrator lists a key whose transaction has ended
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When A commits
      Then it is done
      And key "payments" is at the epoch of task one, with nothing open

    Scenario: [6] A key with an open transaction is deleted
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      When key "payments" is deleted
      Then it is done
      And A is ABORTED
      And readers of orders see nothing

    Scenario: [7] The connection of a deleted key is closed
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      When key "payments" is deleted
      Then the connection of task one is closed
      And the connection of task two is open
      And administrators are shown key "refunds" and no other

    Scenario: [8] A client writes to its transaction after its key was deleted
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      And key "payments" has been deleted
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:principals
    Scenario: [9] The keys of several owners are listed
      Given task one has connected with key "payments" of "alice"
      And task two has connected with key "payments" of "bob"
      When task three connects with key "refunds"
      Then administrators are shown key "payments" of "alice" and key "payments" of "bob" and key "refunds" and no other

    @needs:principals
    Scenario: [10] The key of one owner is deleted, and another owner has the same name for a key
      Given task one has connected with key "payments" of "alice"
      And task two has connected with key "payments" of "bob"
      And task two has begun transaction A
      When key "payments" of "alice" is deleted
      Then administrators are shown key "payments" of "bob" and no other
      And A is OPEN

    @needs:more-coordinators
    Scenario: [11] The keys of several coordinators are listed
      Given the system has 3 coordinators
      And task one has connected with key "payments"
      And task two has connected with key "refunds"
      And task three has connected with key "fees"
      When task four connects with key "tips"
      Then administrators are shown key "payments" and key "refunds" and key "fees" and key "tips" and no other

    @needs:crash
    Scenario: [12] A key that was deleted before a crash is not listed
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      And key "payments" has been deleted
      When the system crashes and restarts
      Then administrators are shown key "refunds" and no other

    @needs:key-topic-faults
    Scenario: [13] The key topic cannot store a deletion
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And the key topic fails at the next write
      And an administrator has tried to delete key "payments"
      When A commits
      Then it is done
      And the connection of task one is open

    Scenario: [14] A key with an open transaction and without a connection is deleted
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      And task one has left
      When key "payments" is deleted
      Then it is done
      And A is ABORTED

    Scenario: [15] A key whose transaction has no operation yet is deleted
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When key "payments" is deleted
      Then it is done
      And A is ABORTED

  @TXKEY-28 @MUST
  Rule: A broker answers an administrator's request for an unknown or deleted key with not found, and changes no other key.
    An administrator who receives a success believes that the key existed.

    Scenario: [1] A key that was never used is deleted
      Given task one has connected with key "payments"
      When key "refunds" is deleted
      Then it is refused
      And administrators do not find key "refunds"
      And administrators are shown key "payments" and no other

    Scenario: [2] A key is deleted twice
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      When key "payments" is deleted
      Then it is refused
      And administrators do not find key "payments"

    @needs:principals
    Scenario: [3] A key is deleted that only another owner has
      Given task one has connected with key "payments" of "alice"
      When key "payments" of "bob" is deleted
      Then it is refused
      And administrators do not find key "payments"
      And key "payments" of "alice" is at the epoch of task one, with nothing open

    Scenario: [4] An administrator requests a key whose connect was refused
      When task one connects with key "a&b"
      Then it is refused with NotAllowedError
      And administrators do not find key "a&b"

    Scenario: [5] A key is deleted after its client has just requested a new transaction
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      And task one has asked for a new transaction
      When key "payments" is deleted
      Then readers of orders see nothing
      And administrators do not find key "payments"

    @needs:principals
    Scenario: [6] A key of an owner is deleted without naming the owner
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      When key "payments" is deleted
      Then it is refused
      And A is OPEN
      And the connection of task one is open

    Scenario: [7] A key that was never used is deleted while another one has an open transaction
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      When key "refunds" is deleted
      Then it is refused
      And A is OPEN
      And readers of orders see nothing

  @TXKEY-29 @SHOULD @fencing
  Rule: A coordinator does not reuse the epochs of a deleted key: no epoch from before the deletion becomes current again.
    A client from before the deletion would pass for the latest one, and would fence a client that connected since.

    Scenario: [1] A client reconnects after its key was deleted
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      When task one connects again
      Then it is refused with NotAllowedError

    Scenario: [2] A client reconnects after its key was deleted and taken by a new client
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      And task two has connected with key "payments"
      When task one connects again
      Then it is refused with NotAllowedError
      And the connection of task two is open

    Scenario: [3] A new client connects with a deleted key
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one
      And administrators are shown key "payments" and no other

    @needs:crash
    Scenario: [4] A new client connects with a deleted key after a crash
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      And the system has crashed and restarted
      When task two connects with key "payments"
      Then task two is given a greater epoch than task one

    @needs:crash @needs:key-topic-faults
    Scenario: [5] A client reconnects after its key was deleted and the key topic compacted
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      And the key topic has been compacted
      And the system has crashed and restarted
      When task one connects again
      Then it is refused with NotAllowedError

    @needs:crash @needs:key-topic-faults
    Scenario: [6] A new client connects after a key was deleted and the key topic compacted
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      And the key topic has been compacted
      And the system has crashed and restarted
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one

    @needs:more-coordinators
    Scenario: [7] A new client connects with a deleted key after coordinators were added
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      And the system has 15 coordinators
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one
