Feature: Clients without a key
  Clients of before, and those that need no key, are beside those that have one.

  Background:
    Given the topic "orders"

  @TXKEY-30 @MUST @commits
  Rule: Clients without a key behave as before, and fence nobody.
    A client that was never told of keys must not lose its transaction to one.

    @needs:transaction-keys
    Scenario: [1] A transaction without a key, when a key is fenced
      Given transaction A
      And A has written "a1" to orders
      And task one has connected with key "payments"
      When task two connects with key "payments"
      Then A is OPEN

    @needs:transaction-keys
    Scenario: [2] It commits beside a transaction of a key
      Given transaction A
      And A has written "a1" to orders
      And task one has connected with key "payments"
      And task one has begun transaction B
      When A commits
      Then readers of orders see "a1"
      And B is OPEN

    @needs:transaction-keys
    Scenario: [3] It commits behind the fencing of another transaction
      Given transaction A
      And A has written "a1" to orders
      And task one has connected with key "payments"
      And task one has begun transaction B
      And task two has connected with key "payments"
      When A commits
      Then readers of orders see "a1"

    @needs:transaction-keys
    Scenario: [4] It has a subscription
      Given the consumer of shared subscription "workers" has received nothing from orders
      And transaction A
      And A has added "workers"
      And task one has connected with key "payments"
      When task two connects with key "payments"
      Then A is OPEN

    @needs:transaction-keys
    Scenario: [5] Several transactions of several clients
      Given transaction A
      And A has written "a1" to orders
      When 4 transactions begin at 2 clients in turn
      Then the transaction ids are distinct
      And A is OPEN

    @needs:transaction-keys
    Scenario: [6] Connects without a key do not fence
      Given task one has connected with no key
      And transaction A
      When task two connects with no key
      Then it is done
      And A is OPEN

    @needs:transaction-keys
    Scenario: [7] Transactions that a client without a key begins do not fence
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When 2 transactions begin at 2 clients in turn
      Then A is OPEN
      And key "payments" is at the epoch of task one, with transaction A open

    @needs:transaction-keys
    Scenario: [8] A key that is deleted
      Given transaction A
      And A has written "a1" to orders
      And task one has connected with key "payments"
      And key "payments" has been deleted
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:transaction-keys @needs:more-coordinators @needs:crash
    Scenario: [9] A transaction of the other kind with the number of one that was fenced
      Given the system has 5 coordinators
      And task one has connected with key "payments"
      And task one has begun transactions A and B
      And classic transaction K with the number of A
      And the system has crashed and come back
      When K commits
      Then it is done

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [10] A message in a transaction of the other kind with the number of one that was fenced
      Given the system has 5 coordinators
      And the topic "ledger" of the classic kind
      And task one has connected with key "payments"
      And task one has begun transactions A and B
      And classic transaction K with the number of A
      When K writes "k1" to ledger
      Then it is done
