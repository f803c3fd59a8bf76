Feature: Keys and their owners
  A key is the pair of an owner and a name.

  @TXKEY-15 @MUST @fencing
  Rule: Keys of one owner do not disturb each other.
    A task that is fenced by another task's key loses its work for nothing.

    Background:
      Given the topic "orders"
      And task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders

    @needs:transaction-keys
    Scenario: [1] Another key
      When task two connects with key "refunds"
      Then task two is given epoch 0
      And A is OPEN
      And the connection of task one is open

    @needs:transaction-keys
    Scenario: [2] A key that another one begins with
      When task two connects with key "pay"
      Then task two is given epoch 0
      And A is OPEN

    @needs:transaction-keys
    Scenario: [3] A key of other letters
      When task two connects with key "PAYMENTS"
      Then task two is given epoch 0
      And A is OPEN

    @needs:transaction-keys
    Scenario: [4] A key with a slash
      Given task two has connected with key "payments/eu"
      When task three connects with key "payments/eu"
      Then A is OPEN
      And the connection of task one is open

    @needs:transaction-keys
    Scenario: [5] Both have a transaction, and one of them is fenced
      Given task two has connected with key "refunds"
      And task two has begun transaction B
      And B has written "b1" to orders
      And task three has connected with key "payments"
      When B commits
      Then it is done
      And readers of orders see "b1"

    @needs:transaction-keys
    Scenario: [6] Both have a transaction, and the other one commits
      Given task two has connected with key "refunds"
      And task two has begun transaction B
      And task three has connected with key "refunds"
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:transaction-keys @needs:crash
    Scenario: [7] Two keys after a crash
      Given task two has connected with key "refunds"
      And the system has crashed and come back
      When task three connects with key "refunds"
      Then task three is given a greater epoch than task two
      And A is OPEN

    @needs:transaction-keys
    Scenario: [8] A connect that is not answered yet, and another key that is deleted
      Given task two has connected with key "refunds"
      And task three has asked to connect with key "payments"
      When key "refunds" is deleted
      Then task three is given a greater epoch than task one

    @needs:transaction-keys
    Scenario: [9] A key with a blank behind it
      When task two connects with key "payments "
      Then task two is given epoch 0
      And A is OPEN
      And the connection of task one is open

    @needs:transaction-keys @needs:late-ends
    Scenario: [10] Two keys whose predecessors' ends are heard of late
      Given task two has connected with key "refunds" at the coordinator of task one
      And task two has begun transaction B
      And B has written "b1" to orders
      And participants hear late of ends
      And task three has asked to connect with key "payments"
      When task four connects with key "refunds"
      Then task four is given a greater epoch than task two

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [11] A second key that a connection asked for
      Given the system has 5 coordinators
      And task two has connected with key "refunds" at another coordinator beside that of task one
      And task one has tried to connect with key "refunds" on its old connection
      When task three connects with key "refunds"
      Then A is OPEN
      And the connection of task one is open

    @needs:transaction-keys @needs:late-ends @needs:virtual-time
    Scenario: [12] A key whose connect waits longer than clients do
      Given task two has connected with key "refunds" at the coordinator of task one
      And participants hear two minutes late of ends
      And task three has asked to connect with key "payments"
      When task four connects with key "refunds"
      Then task four is given a greater epoch than task two

  @TXKEY-16 @MUST @fencing
  Rule: The same key of different owners is a different key.
    Owners do not know of each other's keys, and would fence each other unawares.

    Background:
      Given the topic "orders"

    @needs:transaction-keys @needs:principals
    Scenario: [1] Two owners
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      When task two connects with key "payments" of "bob"
      Then task two is given epoch 0
      And A is OPEN
      And the connection of task one is open

    @needs:transaction-keys @needs:principals
    Scenario: [2] One owner
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      When task two connects with key "payments" of "alice"
      Then task two is given a greater epoch than task one
      And A is ABORTED
      And the connection of task one is closed

    @needs:transaction-keys @needs:principals
    Scenario: [3] An owner, and clients without a name
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      When task two connects with key "payments"
      Then task two is given epoch 0
      And A is OPEN

    @needs:transaction-keys @needs:principals
    Scenario: [4] The other way round
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When task two connects with key "payments" of "alice"
      Then task two is given epoch 0
      And A is OPEN

    @needs:transaction-keys @needs:principals
    Scenario: [5] A late message of one owner beside the other one
      Given task one has connected with key "payments" of "alice"
      And task two has connected with key "payments" of "bob"
      And task two has begun transaction B
      And task three has connected with key "payments" of "alice"
      When B commits "b1" to orders
      Then it is done
      And readers of orders see "b1"

    @needs:transaction-keys @needs:principals @needs:crash
    Scenario: [6] Two owners after a crash
      Given task one has connected with key "payments" of "alice"
      And the system has crashed and come back
      When task two connects with key "payments" of "bob"
      Then task two is given epoch 0

    @needs:transaction-keys @needs:principals
    Scenario: [7] A connect that is not answered yet, and one of the other owner
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      And A has written "a1" to orders
      And task two has asked to connect with key "payments" of "alice"
      When task three connects with key "payments" of "bob"
      Then task two is given a greater epoch than task one

  @TXKEY-17 @MUST
  Rule: A key has 1 to 1024 bytes of UTF-8 without an ampersand; another one is refused.
    A key that cannot be named by an administrator, or stands for two, is better refused at once.

    @needs:transaction-keys
    Scenario Outline: [1] A key that may not be
      When task one connects with <key>
      Then it is refused with NotAllowedError

      Examples:
        | key                     | why                                      |
        | an empty key            | no key would be the same                 |
        | key "a&b"               | the text forbids it                      |
        | key "&"                 | likewise                                 |
        | a key of 64 KB          | a record of the key topic has to hold it |
        | a key of 1025 bytes     | the longest has 1024                     |
        | a key that is not UTF-8 | an administrator could not name it       |

    @needs:transaction-keys
    Scenario Outline: [2] A key that may be
      When task one connects with <key>
      Then it is done
      And task one is given epoch 0
      And <key> is at the epoch of task one, with nothing open

      Examples:
        | key                    | why                               |
        | a key of 1024 bytes    | it is the longest                 |
        | a key in other letters | it is UTF-8                       |
        | key "a/b"              | it is not a path                  |
        | key "a b"              | it is not a word                  |
        | key "%2F?owner=x#y"    | it is neither encoded nor a query |

    @needs:transaction-keys
    Scenario: [3] Nobody else is disturbed
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When task two connects with key "payments&more"
      Then it is refused with NotAllowedError
      And A is OPEN
      And administrators are told of key "payments" and no other

    @needs:transaction-keys
    Scenario: [4] The shortest key
      When task one connects with a key of 1 byte
      Then it is done

  @TXKEY-18 @MUST @fencing
  Rule: An owner may have an ampersand in its name, and is not mistaken for another one.
    Where owner and key are joined to one text, an owner can choose its key so that it fences another owner.

    @needs:transaction-keys @needs:principals
    Scenario: [1] The same text on both sides of another ampersand
      Given task one has connected with key "c" of "a&b"
      And task one has begun transaction A
      When task two connects with key "b&c" of "a"
      Then it is refused with NotAllowedError
      And A is OPEN
      And the connection of task one is open

    @needs:transaction-keys @needs:principals
    Scenario: [2] An owner with an ampersand, as administrators are told of it
      Given task one has connected with key "c" of "a&b"
      When task one begins transaction A
      Then it is done
      And key "c" of "a&b" is at the epoch of task one, with transaction A open

    @needs:transaction-keys @needs:principals
    Scenario: [3] An owner whose name begins like another one's
      Given task one has connected with key "c" of "a&"
      And task one has begun transaction A
      When task two connects with key "c" of "a"
      Then task two is given epoch 0
      And A is OPEN

    @needs:transaction-keys @needs:principals
    Scenario: [4] An owner that looks like owner and key
      Given task one has connected with key "c" of "a&b"
      When task two connects with key "c" of "b"
      Then task two is given epoch 0
      And administrators are told of key "c" of "a&b" and key "c" of "b" and no other

    @needs:transaction-keys @needs:principals @needs:crash
    Scenario: [5] Owners with an ampersand after a crash
      Given task one has connected with key "c" of "a&b"
      And task two has connected with key "c" of "a"
      And the system has crashed and come back
      When task three connects with key "c" of "a&b"
      Then task three is given a greater epoch than task one
      And administrators are told of key "c" of "a&b" and key "c" of "a" and no other

  @TXKEY-19 @MUST
  Rule: A key belongs to one coordinator, whoever connects and however often.
    Two coordinators that have the same key do not fence each other's transactions.

    @needs:transaction-keys
    Scenario: [1] Two connections
      Given task one has connected with key "payments"
      When task two connects with key "payments"
      Then task two is given the coordinator of task one

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [2] Two connections to several coordinators
      Given the system has 3 coordinators
      And task one has connected with key "payments"
      When task two connects with key "payments"
      Then task two is given the coordinator of task one
      And task two is given a greater epoch than task one

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [3] Coordinators that were added since
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And the system has 5 coordinators
      When task two connects with key "payments"
      Then task two is given the coordinator of task one
      And A is ABORTED

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [4] Several keys, when coordinators were added
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      And the system has 7 coordinators
      And task three has connected with key "payments"
      When task four connects with key "refunds"
      Then task three is given the coordinator of task one
      And task four is given the coordinator of task two

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [5] A coordinator that the key does not belong to
      Given the system has 3 coordinators
      And task one has connected with key "payments"
      When task two connects with key "payments" at another coordinator than its own
      Then it is refused with TransactionCoordinatorNotFound
      And the connection of task one is open

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [6] A transaction of a key, among several coordinators
      Given the system has 3 coordinators
      And task one has connected with key "payments"
      And task one has begun transaction A
      When task two connects with key "payments"
      Then A is ABORTED

    @needs:transaction-keys @needs:crash
    Scenario: [7] After a crash
      Given task one has connected with key "payments"
      And the system has crashed and come back
      When task two connects with key "payments"
      Then task two is given the coordinator of task one

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [8] A transaction that is asked for at a coordinator which the key does not belong to
      Given the system has 5 coordinators
      And task one has connected with key "payments"
      When task one asks for a new transaction at another coordinator than its own on its old connection
      Then it is refused
