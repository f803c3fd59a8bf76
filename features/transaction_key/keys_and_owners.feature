@needs:transaction-keys
Feature: Keys and their owners
  A key is the pair of an owner and a name.

  @TXKEY-15 @MUST @fencing
  Rule: A connect, a deletion or a wait for one key of an owner does not affect the owner's other keys.
    A task that is fenced by the key of another task loses its work without reason.

    Background:
      Given the topic "orders"
      And task one has connected with key "payments"
      And task one has begun transaction A
      And A has written "a1" to orders

    Scenario: [1] A second client connects with another key
      When task two connects with key "refunds"
      Then task two is given epoch 0
      And A is OPEN
      And the connection of task one is open

    Scenario: [2] A second client connects with a prefix of the key
      When task two connects with key "pay"
      Then task two is given epoch 0
      And A is OPEN

    Scenario: [3] A second client connects with a key that differs in case only
      When task two connects with key "PAYMENTS"
      Then task two is given epoch 0
      And A is OPEN

    Scenario: [4] Two clients connect with a key that contains a slash and has the other key as a prefix
      Given task two has connected with key "payments/eu"
      When task three connects with key "payments/eu"
      Then A is OPEN
      And the connection of task one is open

    Scenario: [5] The newer transaction commits after that of the other key was fenced
      Given task two has connected with key "refunds"
      And task two has begun transaction B
      And B has written "b1" to orders
      And task three has connected with key "payments"
      When B commits
      Then it is done
      And readers of orders see "b1"

    Scenario: [6] The older transaction commits after that of the other key was fenced
      Given task two has connected with key "refunds"
      And task two has begun transaction B
      And task three has connected with key "refunds"
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:crash
    Scenario: [7] A client of another key connects after a crash
      Given task two has connected with key "refunds"
      And the system has crashed and restarted
      When task three connects with key "refunds"
      Then task three is given a greater epoch than task two
      And A is OPEN

    Scenario: [8] Another key is deleted before a connect is answered
      Given task two has connected with key "refunds"
      And task three has asked to connect with key "payments"
      When key "refunds" is deleted
      Then task three is given a greater epoch than task one

    Scenario: [9] A second client connects with a key that has a trailing blank
      When task two connects with key "payments "
      Then task two is given epoch 0
      And A is OPEN
      And the connection of task one is open

    @needs:late-ends
    Scenario: [10] Two keys of one coordinator are taken over while participants learn of aborts late
      Given task two has connected with key "refunds" at the coordinator of task one
      And task two has begun transaction B
      And B has written "b1" to orders
      And participants hear late of ends
      And task three has asked to connect with key "payments"
      When task four connects with key "refunds"
      Then task four is given a greater epoch than task two

    @needs:more-coordinators
    Scenario: [11] A connection that has a key requests a second key of another coordinator
      Given the system has 5 coordinators
      And task two has connected with key "refunds" at another coordinator next to that of task one
      And task one has tried to connect with key "refunds" on its old connection
      When task three connects with key "refunds"
      Then A is OPEN
      And the connection of task one is open

    @needs:late-ends @needs:virtual-time
    Scenario: [12] A client of another key connects while a connect waits longer than clients do
      Given task two has connected with key "refunds" at the coordinator of task one
      And participants hear two minutes late of ends
      And task three has asked to connect with key "payments"
      When task four connects with key "refunds"
      Then task four is given a greater epoch than task two

    Scenario: [13] A key that is a prefix of another one is deleted
      Given task two has connected with key "pay"
      When key "pay" is deleted
      Then A is OPEN
      And the connection of task one is open

    @needs:late-ends
    Scenario Outline: [14] A client of a third key connects while the connects of two keys wait
      Given task two has connected with key "refunds" at the coordinator of task one
      And task two has begun transaction B and written "b1" to orders
      And participants hear late of ends
      And task three has asked to connect with key "payments"
      And task four has asked to connect with key "refunds"
      When task five connects with key "fees"
      Then <waiting> is given a greater epoch than <predecessor>

      Examples:
        | waiting    | predecessor | why                             |
        | task three | task one    | the connect that waits longest  |
        | task four  | task two    | the connect that was sent later |

    @needs:more-coordinators @needs:own-broker
    Scenario: [15] A transaction writes again whose number is that of a fenced transaction of another coordinator
      Given the system has 5 coordinators
      And task two has connected with key "refunds" at another coordinator next to that of task one
      And task two has begun 150 transactions, each fencing the one before
      When A writes "a2" to orders
      Then it is done

  @TXKEY-16 @MUST @fencing
  Rule: Two owners that use the same key name have two different keys.
    Owners do not know each other's keys, and would fence each other by accident.

    Background:
      Given the topic "orders"

    @needs:principals
    Scenario: [1] Two owners connect with keys of the same name
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      When task two connects with key "payments" of "bob"
      Then task two is given epoch 0
      And A is OPEN
      And the connection of task one is open

    @needs:principals
    Scenario: [2] One owner connects twice with the same key
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      When task two connects with key "payments" of "alice"
      Then task two is given a greater epoch than task one
      And A is ABORTED
      And the connection of task one is closed

    @needs:principals
    Scenario: [3] A client without a name connects with the name of an owner's key
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      When task two connects with key "payments"
      Then task two is given epoch 0
      And A is OPEN

    @needs:principals
    Scenario: [4] An owner connects with the name of a key of a client without a name
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When task two connects with key "payments" of "alice"
      Then task two is given epoch 0
      And A is OPEN

    @needs:principals
    Scenario: [5] The transaction of one owner commits after the other owner's client was fenced
      Given task one has connected with key "payments" of "alice"
      And task two has connected with key "payments" of "bob"
      And task two has begun transaction B
      And task three has connected with key "payments" of "alice"
      When B commits "b1" to orders
      Then it is done
      And readers of orders see "b1"

    @needs:principals @needs:crash
    Scenario: [6] A second owner connects after a crash
      Given task one has connected with key "payments" of "alice"
      And the system has crashed and restarted
      When task two connects with key "payments" of "bob"
      Then task two is given epoch 0

    @needs:principals
    Scenario: [7] A client of another owner connects before a connect is answered
      Given task one has connected with key "payments" of "alice"
      And task one has begun transaction A
      And A has written "a1" to orders
      And task two has asked to connect with key "payments" of "alice"
      When task three connects with key "payments" of "bob"
      Then task two is given a greater epoch than task one

    @needs:principals @needs:crash
    Scenario: [8] An owner connects after a crash, and another owner had connected last
      Given task one has connected with key "payments" of "alice"
      And task two has connected with key "payments" of "alice"
      And task three has connected with key "payments" of "bob"
      And the system has crashed and restarted
      When task four connects with key "payments" of "alice"
      Then task four is given a greater epoch than task two

  @TXKEY-17 @MUST
  Rule: A coordinator refuses a connect unless the key is 1 to 1024 bytes of UTF-8 without an ampersand.
    A key that an administrator cannot name, or that could stand for two keys, has to be refused at once.

    Scenario Outline: [1] A client connects with an invalid key
      When task one connects with <key>
      Then it is refused with NotAllowedError

      Examples:
        | key                     | why                                      |
        | an empty key            | it could mean that there is no key       |
        | key "a&b"               | the text forbids it                      |
        | key "&"                 | likewise                                 |
        | a key of 64 KB          | a record of the key topic has to hold it |
        | a key of 1025 bytes     | the longest has 1024                     |
        | a key that is not UTF-8 | an administrator could not name it       |

    Scenario Outline: [2] A client connects with an unusual but valid key
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

    Scenario: [3] A connect with an invalid key does not affect another key
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When task two connects with key "payments&more"
      Then it is refused with NotAllowedError
      And A is OPEN
      And administrators are shown key "payments" and no other

    Scenario: [4] A client connects with a key of one byte
      When task one connects with a key of 1 byte
      Then it is done

  @TXKEY-18 @MUST @fencing
  Rule: A coordinator accepts an owner name with an ampersand, and keeps the owner's keys apart from those of any other owner.
    If owner and key are joined to one string, an owner can choose a key that fences another owner.

    @needs:principals
    Scenario: [1] A connect would have the same string if owner and key were joined
      Given task one has connected with key "c" of "a&b"
      And task one has begun transaction A
      When task two connects with key "b&c" of "a"
      Then it is refused with NotAllowedError
      And A is OPEN
      And the connection of task one is open

    @needs:principals
    Scenario: [2] An administrator inspects the key of an owner whose name contains an ampersand
      Given task one has connected with key "c" of "a&b"
      When task one begins transaction A
      Then it is done
      And key "c" of "a&b" is at the epoch of task one, with transaction A open

    @needs:principals
    Scenario: [3] An owner with a name that is a prefix of another owner's name connects
      Given task one has connected with key "c" of "a&"
      And task one has begun transaction A
      When task two connects with key "c" of "a"
      Then task two is given epoch 0
      And A is OPEN

    @needs:principals
    Scenario: [4] An owner with a name that is the part of another owner's name after the ampersand connects
      Given task one has connected with key "c" of "a&b"
      When task two connects with key "c" of "b"
      Then task two is given epoch 0
      And administrators are shown key "c" of "a&b" and key "c" of "b" and no other

    @needs:principals @needs:crash
    Scenario: [5] Owners with and without an ampersand in their names connect after a crash
      Given task one has connected with key "c" of "a&b"
      And task two has connected with key "c" of "a"
      And the system has crashed and restarted
      When task three connects with key "c" of "a&b"
      Then task three is given a greater epoch than task one
      And administrators are shown key "c" of "a&b" and key "c" of "a" and no other

  @TXKEY-19 @MUST
  Rule: A key belongs to one coordinator, whichever client connects and however often.
    Two coordinators that both have a key do not fence each other's transactions.

    Scenario: [1] Two clients connect with the same key
      Given task one has connected with key "payments"
      When task two connects with key "payments"
      Then task two is given the coordinator of task one

    @needs:more-coordinators
    Scenario: [2] Two clients connect with the same key to a system of three coordinators
      Given the system has 3 coordinators
      And task one has connected with key "payments"
      When task two connects with key "payments"
      Then task two is given the coordinator of task one
      And task two is given a greater epoch than task one

    @needs:more-coordinators
    Scenario: [3] A client connects after coordinators were added
      Given task one has connected with key "payments"
      And task one has begun transaction A
      And the system has 5 coordinators
      When task two connects with key "payments"
      Then task two is given the coordinator of task one
      And A is ABORTED

    @needs:more-coordinators
    Scenario: [4] Clients of two keys connect after coordinators were added
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      And the system has 7 coordinators
      And task three has connected with key "payments"
      When task four connects with key "refunds"
      Then task three is given the coordinator of task one
      And task four is given the coordinator of task two

    @needs:more-coordinators
    Scenario: [5] A client connects with a key at a coordinator that does not own the key
      Given the system has 3 coordinators
      And task one has connected with key "payments"
      When task two connects with key "payments" at another coordinator than its own
      Then it is refused with TransactionCoordinatorNotFound
      And the connection of task one is open

    @needs:more-coordinators
    Scenario: [6] A transaction is fenced in a system of three coordinators
      Given the system has 3 coordinators
      And task one has connected with key "payments"
      And task one has begun transaction A
      When task two connects with key "payments"
      Then A is ABORTED

    @needs:crash
    Scenario: [7] A client connects after a crash, at the coordinator of its predecessor
      Given task one has connected with key "payments"
      And the system has crashed and restarted
      When task two connects with key "payments"
      Then task two is given the coordinator of task one

    @needs:more-coordinators
    Scenario: [8] A client requests a transaction from a coordinator that does not own its key
      Given the system has 5 coordinators
      And task one has connected with key "payments"
      When task one asks for a new transaction at another coordinator than its own on its old connection
      Then it is refused

    @needs:more-coordinators
    Scenario: [9] A client requests a transaction from another coordinator while one of its key is open
      Given the system has 5 coordinators
      And task one has connected with key "payments"
      And task one has begun transaction A
      When task one asks for a new transaction at another coordinator than its own on its old connection
      Then it is refused
      And A is OPEN
