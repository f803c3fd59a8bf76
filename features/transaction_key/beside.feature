@needs:transaction-keys
Feature: Clients without a key
  Older clients, and clients that need no key, work next to clients that have one.

  Background:
    Given the topic "orders"

  @TXKEY-30 @MUST @commits
  Rule: A client without a key works as it did before the proposal, and fences no other client.
    A client that does not know of keys must not lose its transaction to one.

    Scenario: [1] A transaction without a key stays open when another client is fenced
      Given transaction A
      And A has written "a1" to orders
      And task one has connected with key "payments"
      When task two connects with key "payments"
      Then A is OPEN

    Scenario: [2] A transaction without a key commits while a transaction of a key is open
      Given transaction A
      And A has written "a1" to orders
      And task one has connected with key "payments"
      And task one has begun transaction B
      When A commits
      Then readers of orders see "a1"
      And B is OPEN

    Scenario: [3] A transaction without a key commits after the transaction of a key was fenced
      Given transaction A
      And A has written "a1" to orders
      And task one has connected with key "payments"
      And task one has begun transaction B
      And task two has connected with key "payments"
      When A commits
      Then readers of orders see "a1"

    Scenario: [4] A transaction without a key that has a subscription stays open when another client is fenced
      Given the consumer of shared subscription "workers" has received nothing from orders
      And transaction A
      And A has added "workers"
      And task one has connected with key "payments"
      When task two connects with key "payments"
      Then A is OPEN

    Scenario: [5] Two clients without a key have several open transactions
      Given transaction A
      And A has written "a1" to orders
      When 4 transactions begin at 2 clients in turn
      Then the transaction ids are distinct
      And A is OPEN

    Scenario: [6] A connect without a key does not fence a client without a key
      Given task one has connected with no key
      And transaction A
      When task two connects with no key
      Then it is done
      And A is OPEN

    Scenario: [7] A transaction of a client without a key does not fence the transaction of a key
      Given task one has connected with key "payments"
      And task one has begun transaction A
      When 2 transactions begin at 2 clients in turn
      Then A is OPEN
      And key "payments" is at the epoch of task one, with transaction A open

    Scenario: [8] A transaction without a key commits after a key was deleted
      Given transaction A
      And A has written "a1" to orders
      And task one has connected with key "payments"
      And key "payments" has been deleted
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:more-coordinators @needs:crash
    Scenario: [9] A classic transaction with the number of a fenced one commits
      Given the system has 5 coordinators
      And task one has connected with key "payments"
      And task one has begun transactions A and B
      And classic transaction K with the number of A
      And the system has crashed and restarted
      When K commits
      Then it is done

    @needs:more-coordinators
    Scenario: [10] A classic transaction with the number of a fenced one writes a message
      Given the system has 5 coordinators
      And the classic topic "ledger"
      And task one has connected with key "payments"
      And task one has begun transactions A and B
      And classic transaction K with the number of A
      When K writes "k1" to ledger
      Then it is done
