@needs:transaction-keys
Feature: Connections with a key
  A client names its key and is given an epoch; the coordinator closes the connection that had the key before.

  @TXKEY-01 @MUST
  Rule: A coordinator answers the first connect with a key with epoch 0.
    A client that is refused or given another epoch cannot find out whether another client had the key before.

    Scenario: [1] A client connects with an unused key
      When task one connects with key "payments"
      Then it is done
      And task one is given epoch 0

    Scenario: [2] A client connects with an unused key while another key is in use
      Given task one has connected with key "payments"
      When task two connects with key "refunds"
      Then task two is given epoch 0

    @needs:crash
    Scenario: [3] A client connects with an unused key after a crash
      Given the system has crashed and restarted
      When task one connects with key "payments"
      Then it is done
      And task one is given epoch 0

  @TXKEY-02 @MUST @fencing
  Rule: A coordinator answers each accepted connect with an epoch greater than all earlier epochs of the key.
    If two connections had the same epoch, no participant could decide which is the later one.

    Scenario: [1] A second process connects with the key
      Given task one has connected with key "payments"
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one

    Scenario: [2] Two processes that both restart fence each other in turn
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task one has connected with key "payments"
      When task two connects with key "payments"
      Then task two is given a greater epoch than task one
      And the connection of task one is closed
      And the connection of task two is open

    Scenario: [3] A process reconnects with its epoch
      Given task one has connected with key "payments"
      When task one connects again
      Then it is done
      And task one is given a greater epoch than before

    Scenario: [4] A process connects with a key whose process had reconnected twice
      Given task one has connected with key "payments"
      And task one has connected again
      And task one has connected again
      When task two connects with key "payments"
      Then task two is given a greater epoch than task one

    Scenario: [5] A refused connect leaves the epoch as it was
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      When task two connects again with an epoch that was never assigned
      Then it is refused with NotAllowedError
      And key "payments" is at the epoch of task two, with nothing open

    Scenario: [6] A process connects while its predecessor waits for a new transaction
      Given the topic "orders"
      And task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      And task one has asked for a new transaction
      When task two connects with key "payments"
      Then key "payments" is at the epoch of task two, with nothing open

    Scenario: [7] A process that names no epoch is treated as a new one
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      When task one connects again with no epoch
      Then it is done
      And task one is given a greater epoch than task two
      And the connection of task two is closed

    Scenario: [8] A process connects after the connection of its predecessor has ended
      Given task one has connected with key "payments"
      And task one has left
      When task two connects with key "payments"
      Then task two is given a greater epoch than task one

  @TXKEY-03 @MUST @fencing
  Rule: A coordinator refuses a connect with an epoch that is not the latest, and changes nothing.
    A client that was fenced must not fence its successor with the epoch that it still has.

    Scenario: [1] A process reconnects with its epoch after it was fenced
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task two has begun transaction A
      When task one connects again
      Then it is refused with NotAllowedError
      And A is OPEN
      And the connection of task two is open

    Scenario: [2] A process reconnects with the epoch before the latest
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task two has begun transaction A
      When task two connects again with the epoch before its own
      Then it is refused with NotAllowedError
      And key "payments" is at the epoch of task two, with transaction A open

    Scenario Outline: [3] A process reconnects with an epoch that no client was given
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When task one connects again with <epoch>
      Then it is refused with NotAllowedError
      And A is OPEN
      And key "payments" is at the epoch of task one, with transaction A open
      And the connection of task one is open

      Examples:
        | epoch                          | why                                |
        | an epoch that was never assigned | it is an epoch from the future     |
        | epoch -2                       | only -1 means that a client is new |
        | the largest epoch              | no epoch could follow it           |

    Scenario: [4] A process reconnects to a deleted key with an epoch that no client was given
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      When task one connects again with an epoch that was never assigned
      Then it is refused with NotAllowedError
      And administrators do not find key "payments"

    Scenario: [5] A process reconnects with its epoch after two others have connected
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task three has connected with key "payments"
      And task three has begun transaction A
      When task one connects again
      Then it is refused with NotAllowedError
      And A is OPEN

    Scenario: [6] A client begins a transaction after its predecessor was refused
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task one has tried to connect again
      When task two begins transaction A
      Then it is done
      And key "payments" is at the epoch of task two, with transaction A open

    Scenario: [7] A client reconnects with its epoch after its predecessor was refused
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task one has tried to connect again
      When task two connects again
      Then it is done
      And task two is given a greater epoch than before

  @TXKEY-04 @MUST @fencing
  Rule: When a client connects with a key, the coordinator closes the previous connection of that key.
    A predecessor whose connection stays open continues its work and learns of its successor too late.

    Scenario: [1] The previous connection is closed
      Given task one has connected with key "payments"
      When task two connects with key "payments"
      Then the connection of task one is closed
      And the connection of task two is open

    Scenario: [2] Two previous connections are closed one after the other
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      When task three connects with key "payments"
      Then the connection of task one is closed
      And the connection of task two is closed
      And the connection of task three is open

    Scenario: [3] The connection of a client that had reconnected is closed
      Given task one has connected with key "payments"
      And task one has connected again
      When task two connects with key "payments"
      Then the connection of task one is closed

    Scenario: [4] A successor takes the producer name of the previous connection
      Given task one has connected with key "payments"
      And the topic "orders" next to the coordinator of task one
      And task one has opened producer P of orders
      And task two has connected with key "payments"
      When task two opens producer P of orders
      Then it is done

    Scenario: [5] A successor takes the exclusive subscription of the previous connection
      Given task one has connected with key "payments"
      And the topic "inputs" next to the coordinator of task one
      And task one has opened the only consumer of inputs as "workers"
      And task two has connected with key "payments"
      When task two opens the only consumer of inputs as "workers"
      Then it is done

    Scenario: [6] The previous connection is closed after the client of another key has left
      Given task one has connected with key "payments"
      And task two has connected with key "refunds" at the coordinator of task one
      And task two has left
      When task three connects with key "payments"
      Then the connection of task one is closed
      And the connection of task three is open

    Scenario: [7] The previous connection is closed after its predecessor was refused
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task one has tried to connect again
      When task three connects with key "payments"
      Then the connection of task two is closed
      And the connection of task three is open

    Scenario: [8] The previous connection is closed after a connect with an epoch that no client was given
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task one has tried to connect again with the largest epoch
      When task three connects with key "payments"
      Then the connection of task two is closed
      And the connection of task three is open

    @needs:key-topic-faults
    Scenario: [9] The previous connection is closed after a connect that the key topic could not store
      Given task one has connected with key "payments"
      And the key topic fails at the next write
      And task two has tried to connect with key "payments"
      When task three connects with key "payments"
      Then the connection of task one is closed
      And the connection of task three is open

    Scenario: [10] The previous connection is closed after the client of an older key has left
      Given task one has connected with key "payments"
      And task two has connected with key "refunds" at the coordinator of task one
      And task one has left
      When task three connects with key "refunds"
      Then the connection of task two is closed
      And the connection of task three is open

  @TXKEY-33 @SHOULD
  Rule: A coordinator's answer to a connect without a key has no epoch.
    An older client does not know epochs, and would not send one when it reconnects.

    Scenario: [1] A client connects without a key
      When task one connects with no key
      Then it is done
      And task one is given no epoch

    Scenario: [2] A client without a key connects while another client has one
      Given task one has connected with key "payments"
      When task two connects with no key
      Then task two is given no epoch
      And the connection of task one is open
