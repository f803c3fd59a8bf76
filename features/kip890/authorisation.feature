@needs:authorizer
Feature: Authorisation in transactions
  A transaction involves a transactional id, topics, groups and the cluster itself, and each has a separate right. Authorisation precedes
  every change: a refused request has done nothing.

  Background:
    Given a topic "payments" with 2 partitions
    And a topic "refunds" with 1 partition

  @KIP890-036 @MUST
  Rule: A coordinator answers AddPartitionsToTxn v4 and later as a whole with CLUSTER_AUTHORIZATION_FAILED if the principal has no CLUSTER_ACTION.
    These requests of brokers name the transactions of other principals. If any client could send them, it could change those
    transactions.

    Scenario Outline: [1] An ordinary user sends one request for its own transaction and for another one
      Given producer B with transactional id "refund"
      And producer A with transactional id "transfer", logged in as an ordinary user
      And A uses AddPartitionsToTxn <version>
      When A <asks> payments-0 for A and for B in one request
      Then it is refused as a whole with CLUSTER_AUTHORIZATION_FAILED
      And the transaction of A is unchanged
      And the transaction of B is unchanged

      Examples:
        | asks     | version | why                                   |
        | adds     | v4      | the first version for brokers         |
        | adds     | v5      | a later one                           |
        | verifies | v4      | verification is for brokers only, too |

    Scenario: [2] A principal with CLUSTER_ACTION adds a partition
      Given producer A with transactional id "transfer", logged in as another broker
      And A uses AddPartitionsToTxn v4
      When A adds payments-1
      Then it is done for payments-1
      And the transaction of A is Ongoing in payments-1

  @KIP890-173 @MUST
  Rule: A broker answers every transactional request of a principal without WRITE on the transactional id with TRANSACTIONAL_ID_AUTHORIZATION_FAILED.
    A principal that may only describe an id must not be able to write or decide in its name.

    Scenario Outline: [1] A user with DESCRIBE but without WRITE on the transactional id sends each request
      Given producer A with transactional id "transfer" and group "billing", logged in as an ordinary user
      And A has written "a1" to payments-0
      And the user of A may no longer write under its transactional id
      And A uses <version>
      When A <asks>
      Then it is refused <what> TRANSACTIONAL_ID_AUTHORIZATION_FAILED
      And the transaction of A is unchanged

      Examples:
        | version               | asks                                            | what                | why                        |
        | InitProducerId v5     | initialises again                               | with                | it would end a transaction |
        | AddPartitionsToTxn v3 | adds payments-1                                 | for payments-1 with | it would widen it          |
        | AddOffsetsToTxn v3    | adds the offsets of group "billing"             | with                | it would widen it          |
        | TxnOffsetCommit v5    | sends offset 5 of payments-0 to group "billing" | for payments-0 with | it would widen it          |
        | EndTxn v5             | commits                                         | with                | it would end it            |
        | EndTxn v5             | aborts                                          | with                | it would end it            |
        | EndTxn v4             | commits                                         | with                | the end of an old client   |

    Scenario Outline: [2] A user without WRITE on the transactional id writes records
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write under its transactional id
      And A uses Produce <version>
      When A writes "a1" to payments-0
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED
      And the transaction of A is unchanged
      And the log of payments-0 has not grown

      Examples:
        | version | why                          |
        | v11     | the leader would only verify |
        | v12     | the leader would add it      |

  @KIP890-174 @MUST
  Rule: A broker refuses transactional offsets of a principal without READ on the group, and those of each topic without READ on it.
    Without these rights any producer could move the position of any group.

    Scenario Outline: [1] A user without READ on the group sends offsets
      Given producer A with transactional id "transfer" and group "billing", logged in as an ordinary user
      And the user of A may no longer read group "billing"
      When A <asks>
      Then it is refused <what> GROUP_AUTHORIZATION_FAILED
      And the transaction of A is unchanged
      And group "billing" has no pending offset of payments-0

      Examples:
        | asks                                                          | what                              | why                    |
        | adds the offsets of group "billing"                           | with                              | the group as a whole   |
        | sends offset 5 of payments-0 and refunds-0 to group "billing" | for payments-0 and refunds-0 with | the topics may be read |

    Scenario: [2] A user without READ on one of two topics sends offsets
      Given producer A with transactional id "transfer" and group "billing", logged in as an ordinary user
      And the user of A may no longer read refunds
      When A sends offset 5 of payments-0 and refunds-0 to group "billing"
      Then it is refused for refunds-0 with TOPIC_AUTHORIZATION_FAILED
      And it is done for payments-0
      And group "billing" has no pending offset of refunds-0

    Scenario: [3] A user without READ on a topic sends offsets of two of its partitions
      Given producer A with transactional id "transfer" and group "billing", logged in as an ordinary user
      And the user of A may no longer read payments
      When A sends offset 5 of payments-0 and payments-1 to group "billing"
      Then it is refused for payments-0 and payments-1 with TOPIC_AUTHORIZATION_FAILED
      And group "billing" has no pending offset of payments-1

    Scenario: [4] A user without READ on the first of two topics sends offsets
      Given producer A with transactional id "transfer" and group "billing", logged in as an ordinary user
      And the user of A may no longer read payments
      When A sends offset 5 of payments-0 and refunds-0 to group "billing"
      Then it is refused for payments-0 with TOPIC_AUTHORIZATION_FAILED
      And it is done for refunds-0
      And group "billing" has no pending offset of payments-0

  @KIP890-175 @MUST
  Rule: A broker answers WriteTxnMarkers of a principal without ALTER and CLUSTER_ACTION on the cluster with CLUSTER_AUTHORIZATION_FAILED.
    A client that can write markers can end any transaction. An administrator must be able to.

    Scenario: [1] An ordinary user sends a marker for its own transaction
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And A has written "a1" to payments-0
      When A itself sends an ABORT marker to payments-0
      Then it is refused with CLUSTER_AUTHORIZATION_FAILED
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"

    Scenario Outline: [2] A user with either ALTER or CLUSTER_ACTION sends a marker
      Given producer A with transactional id "transfer", logged in as <role>
      And A has written "a1" to payments-0
      When A itself sends an ABORT marker to payments-0
      Then it is done
      And one ABORT marker was added to payments-0, with the epoch of A

      Examples:
        | role           | why                                              |
        | an operator    | ALTER, to end a hanging transaction              |
        | another broker | CLUSTER_ACTION, to send a coordinator's decision |

  @KIP890-176 @MUST
  Rule: A leader answers Produce v12 of a principal without WRITE on the topic with TOPIC_AUTHORIZATION_FAILED, and adds no partition.
    A partition that is added for a principal without the right receives a marker for data that was never allowed.

    Scenario: [1] A user without WRITE on the topic makes the first write of a transaction
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to payments
      When A writes "a1" to payments-0
      Then it is refused with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is unchanged
      And the log of payments-0 has not grown

    Scenario: [2] A user without WRITE on the topic writes to a second topic of its transaction
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And A has written "a1" to refunds-0
      And the user of A may no longer write to payments
      When A writes "a2" to payments-0
      Then it is refused with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is Ongoing in refunds-0

    Scenario Outline: [3] A user without WRITE on one of two topics writes to both in one request
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to payments
      And A uses Produce <version>
      When A writes "a1" to payments-0 and "a2" to refunds-0 in one request
      Then it is refused for payments-0 with TOPIC_AUTHORIZATION_FAILED
      And it is done for refunds-0
      And the transaction of A is Ongoing in refunds-0

      Examples:
        | version | why                        |
        | v12     | topics have names there    |
        | v13     | topics have ids there      |

    Scenario: [4] A user without WRITE on a topic writes to two of its partitions in one request
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to payments
      When A writes "a1" to payments-0 and "a2" to payments-1 in one request
      Then it is refused for payments-0 and payments-1 with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is unchanged

    Scenario: [5] A user without WRITE on the second of two topics writes to both in one request
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to refunds
      When A writes "a1" to payments-0 and "a2" to refunds-0 in one request
      Then it is refused for refunds-0 with TOPIC_AUTHORIZATION_FAILED
      And it is done for payments-0
      And the transaction of A is Ongoing in payments-0
