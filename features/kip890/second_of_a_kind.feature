Feature: The second of a kind
  A transaction, a coordinator or a transactional id may have two of something. Brokers often keep both in one place.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-400 @MUST @commits @aborts
  Rule: A commit applies the offsets of every TxnOffsetCommit of its transaction, and an abort removes all of them.
    A consumer that sends the offsets of one partition after the other would read the first ones again after a restart, and process them
    twice.

    Scenario: [1] Two requests with offsets of two partitions commit
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 7 of payments-1 to group "shop"
      When A commits
      Then group "shop" has committed offset 5 of payments-0
      And group "shop" has committed offset 7 of payments-1

    Scenario: [2] Two requests with offsets of one partition commit
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 7 of payments-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 7 of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [3] Two requests with offsets of two partitions abort
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 7 of payments-1 to group "shop"
      When A aborts
      Then group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0
      And group "shop" has no pending offset of payments-1

    @needs:crash
    Scenario: [4] The system crashes between two requests with offsets
      Given A has sent offset 5 of payments-0 to group "shop"
      And the system has crashed and restarted
      And A has sent offset 7 of payments-1 to group "shop"
      When A commits
      Then group "shop" has committed offset 5 of payments-0
      And group "shop" has committed offset 7 of payments-1

    Scenario: [5] Requests with offsets of two groups commit
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 7 of payments-0 to group "audit"
      When A commits
      Then group "shop" has committed offset 5 of payments-0
      And group "audit" has committed offset 7 of payments-0

    Scenario: [6] One request with offsets of two partitions commits
      Given A has sent offset 5 of payments-0 and payments-1 to group "shop"
      When A commits
      Then group "shop" has committed offset 5 of payments-0
      And group "shop" has committed offset 5 of payments-1

    Scenario: [7] One request with offsets of two topics commits
      Given a topic "accounts" with 1 partition
      And A has sent offset 5 of payments-0 and accounts-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 5 of payments-0
      And group "shop" has committed offset 5 of accounts-0

    Scenario: [8] One request with offsets of three partitions commits
      Given a topic "accounts" with 3 partitions
      And A has sent offset 5 of accounts-0 and accounts-1 and accounts-2 to group "shop"
      When A commits
      Then group "shop" has committed offset 5 of accounts-0
      And group "shop" has committed offset 5 of accounts-1
      And group "shop" has committed offset 5 of accounts-2

    Scenario: [9] Three requests with offsets of one partition commit
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 6 of payments-0 to group "shop"
      And A has sent offset 7 of payments-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 7 of payments-0

    Scenario: [10] Requests with offsets of three groups commit
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 6 of payments-0 to group "audit"
      And A has sent offset 7 of payments-0 to group "billing"
      When A commits
      Then group "shop" has committed offset 5 of payments-0
      And group "audit" has committed offset 6 of payments-0
      And group "billing" has committed offset 7 of payments-0

    Scenario: [11] Requests with offsets of three groups abort
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 6 of payments-0 to group "audit"
      And A has sent offset 7 of payments-0 to group "billing"
      When A aborts
      Then group "shop" has no pending offset of payments-0
      And group "audit" has no pending offset of payments-0
      And group "billing" has no pending offset of payments-0

    @needs:crash
    Scenario: [12] The system crashes after requests with offsets of two groups
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 7 of payments-0 to group "audit"
      And the system has crashed and restarted
      When A commits
      Then group "shop" has committed offset 5 of payments-0
      And group "audit" has committed offset 7 of payments-0

  @KIP890-401 @MUST @recovery
  Rule: A coordinator that starts completes every prepared transaction in its log, of all transactional ids.
    A coordinator that completes only the first one blocks the readers of all others until the next restart.

    @needs:crash @needs:hold-markers
    Scenario: [1] Two commits are completed after a crash
      Given producer B with transactional id "refund"
      And completion of A's and B's transactions is blocked until the next restart
      And A has been asked to commit
      And B has been asked to commit
      When the system crashes and restarts
      Then the transaction of A is over
      And the transaction of B is over

    @needs:crash @needs:hold-markers
    Scenario: [2] A commit and an abort are completed after a crash
      Given producer B with transactional id "refund"
      And completion of A's and B's transactions is blocked until the next restart
      And A has been asked to commit
      And B has been asked to abort
      When the system crashes and restarts
      Then the transaction of A is over
      And the transaction of B is over

  @KIP890-402 @MUST
  Rule: The start time of a transaction is neither that of the previous transaction of its id nor the time of its last change.
    A transaction that has the start time of the previous one is past its timeout when it begins.

    Scenario: [1] A transactional id begins its second transaction
      Given A has committed "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-1
      And B has left its transaction open past its timeout
      When A writes "a2" to payments-0
      Then the start time of A is later than it was

    Scenario: [2] The duration filter is used after a second partition was added
      Given A has written "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-0
      And B has left its transaction open past its timeout
      And A has written "a2" to payments-1
      When ListTransactions is sent for what was begun a second ago
      Then A is listed

    Scenario: [3] A transactional id begins its second transaction with an offset
      Given A has committed "a1" to payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-1
      And B has left its transaction open past its timeout
      When A sends offset 5 of payments-0 to group "shop"
      Then the start time of A is later than it was

    Scenario: [4] A transactional id begins its next transaction after an abort
      Given A has aborted 2 transactions in payments-0
      And producer B with transactional id "refund" and a short timeout
      And B has written "b1" to payments-1
      And B has left its transaction open past its timeout
      When A writes "a2" to payments-0
      Then the start time of A is later than it was
