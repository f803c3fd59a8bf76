Feature: Connections with a key
  A client says which key it has, and is given an epoch; whoever had the key before is sent away.

  @TXKEY-01 @MUST
  Rule: The first connection with a new key is accepted, and given epoch 0.
    A client that is refused or given another epoch cannot tell whether anybody was there before it.

    @needs:transaction-keys
    Scenario: [1] A key that nobody has used
      When task one connects with key "payments"
      Then it is done
      And task one is given epoch 0

    @needs:transaction-keys
    Scenario: [2] Another key than one that is there
      Given task one has connected with key "payments"
      When task two connects with key "refunds"
      Then task two is given epoch 0

    @needs:transaction-keys @needs:crash
    Scenario: [3] A key that nobody has used, after a crash
      Given the system has crashed and come back
      When task one connects with key "payments"
      Then it is done
      And task one is given epoch 0

  @TXKEY-02 @MUST @fencing
  Rule: Every connection that is accepted is given an epoch greater than all before for that key.
    Of two connections with one epoch nobody could say which is the later one.

    @needs:transaction-keys
    Scenario: [1] A second process
      Given task one has connected with key "payments"
      When task two connects with key "payments"
      Then it is done
      And task two is given a greater epoch than task one

    @needs:transaction-keys
    Scenario: [2] Two processes that are both started again fence each other in turns
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task one has connected with key "payments"
      When task two connects with key "payments"
      Then task two is given a greater epoch than task one
      And the connection of task one is closed
      And the connection of task two is open

    @needs:transaction-keys
    Scenario: [3] A process that comes again with its epoch
      Given task one has connected with key "payments"
      When task one connects again
      Then it is done
      And task one is given a greater epoch than before

    @needs:transaction-keys
    Scenario: [4] A process behind one that has come again
      Given task one has connected with key "payments"
      And task one has connected again
      And task one has connected again
      When task two connects with key "payments"
      Then task two is given a greater epoch than task one

    @needs:transaction-keys
    Scenario: [5] A connect between that was refused
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      When task two connects again with an epoch that nobody was given
      Then it is refused with NotAllowedError
      And key "payments" is at the epoch of task two, with nothing open

    @needs:transaction-keys
    Scenario: [6] A predecessor that waits for its new transaction
      Given the topic "orders"
      And task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders
      And task one has just asked for a new transaction
      When task two connects with key "payments"
      Then key "payments" is at the epoch of task two, with nothing open

    @needs:transaction-keys
    Scenario: [7] A process that says no epoch is a new one
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      When task one connects again with no epoch
      Then it is done
      And task one is given a greater epoch than task two
      And the connection of task two is closed

    @needs:transaction-keys
    Scenario: [8] A process behind one whose connection is gone
      Given task one has connected with key "payments"
      And task one has left
      When task two connects with key "payments"
      Then task two is given a greater epoch than task one

  @TXKEY-03 @MUST @fencing
  Rule: A connect with an epoch that is not the latest is refused, and changes nothing.
    Whoever was fenced must not fence its successor with what it still knows.

    @needs:transaction-keys
    Scenario: [1] The epoch of a process that was fenced
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task two has begun transaction A
      When task one connects again
      Then it is refused with NotAllowedError
      And A is OPEN
      And the connection of task two is open

    @needs:transaction-keys
    Scenario: [2] The epoch before the latest
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      And task two has begun transaction A
      When task two connects again with the epoch before its own
      Then it is refused with NotAllowedError
      And key "payments" is at the epoch of task two, with transaction A open

    @needs:transaction-keys
    Scenario Outline: [3] An epoch that nobody was given
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When task one connects again with <epoch>
      Then it is refused with NotAllowedError
      And A is OPEN
      And key "payments" is at the epoch of task one, with transaction A open
      And the connection of task one is open

      Examples:
        | epoch                          | why                               |
        | an epoch that nobody was given | it is one from the future         |
        | epoch -2                       | only -1 says that a client is new |
        | the largest epoch              | no epoch would come after it      |

    @needs:transaction-keys
    Scenario: [4] An epoch that nobody was given, of a key that was deleted
      Given task one has connected with key "payments"
      And key "payments" has been deleted
      When task one connects again with an epoch that nobody was given
      Then it is refused with NotAllowedError
      And administrators do not find key "payments"

  @TXKEY-04 @MUST @fencing
  Rule: A new connection closes the previous connection of the key.
    A predecessor that is not sent away goes on with its work, and finds out late.

    @needs:transaction-keys
    Scenario: [1] The connection before
      Given task one has connected with key "payments"
      When task two connects with key "payments"
      Then the connection of task one is closed
      And the connection of task two is open

    @needs:transaction-keys
    Scenario: [2] The connections before, one after the other
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      When task three connects with key "payments"
      Then the connection of task one is closed
      And the connection of task two is closed
      And the connection of task three is open

    @needs:transaction-keys
    Scenario: [3] A connection whose client came again
      Given task one has connected with key "payments"
      And task one has connected again
      When task two connects with key "payments"
      Then the connection of task one is closed

    @needs:transaction-keys
    Scenario: [4] The producer on the connection before, whose name the successor takes
      Given task one has connected with key "payments"
      And the topic "orders" beside the coordinator of task one
      And task one has opened producer P of orders
      And task two has connected with key "payments"
      When task two opens producer P of orders
      Then it is done

    @needs:transaction-keys
    Scenario: [5] The consumer on the connection before, whose subscription the successor takes
      Given task one has connected with key "payments"
      And the topic "inputs" beside the coordinator of task one
      And task one has subscribed alone to inputs as "workers"
      And task two has connected with key "payments"
      When task two subscribes alone to inputs as "workers"
      Then it is done

    @needs:transaction-keys
    Scenario: [6] The connection before, when another key's client has left
      Given task one has connected with key "payments"
      And task two has connected with key "refunds" at the coordinator of task one
      And task two has left
      When task three connects with key "payments"
      Then the connection of task one is closed
      And the connection of task three is open

  @TXKEY-33 @SHOULD
  Rule: A client that names no key is answered without an epoch.
    A client of before would not know what to do with an epoch, and would not send it again.

    @needs:transaction-keys
    Scenario: [1] A client without a key
      When task one connects with no key
      Then it is done
      And task one is given no epoch

    @needs:transaction-keys
    Scenario: [2] A client without a key beside one that has one
      Given task one has connected with key "payments"
      When task two connects with no key
      Then task two is given no epoch
      And the connection of task one is open
