Feature: Who may take part in a transaction
  A transaction touches a transactional id, topics and groups, and on its way the cluster itself; each has its own right. A refusal
  stands in front of every change: who may not do something has not done any of it.

  Background:
    Given a topic "payments" with 2 partitions
    And a topic "refunds" with 1 partitions

  @KIP890-036 @MUST
  Rule: AddPartitionsToTxn v4 and later from a principal without CLUSTER_ACTION is refused CLUSTER_AUTHORIZATION_FAILED as a whole.

    @needs:authorizer
    Scenario Outline: [1] One request for the sender's own transaction and for another one
      Given producer B with transactional id "refund"
      And producer A with transactional id "transfer", logged in as an ordinary user
      When A <asks> for itself and for B in AddPartitionsToTxn <version>
      Then the request is refused as a whole with CLUSTER_AUTHORIZATION_FAILED
      And the transaction of A is as it was
      And the transaction of B is as it was

      Examples:
        | asks                | version | why                                     |
        | adds payments-0     | v4      | the first version for brokers           |
        | adds payments-0     | v5      | a later one                             |
        | verifies payments-0 | v4      | to look is the business of brokers, too |

  @KIP890-172 @MUST
  Rule: A client without CLUSTER_ACTION that sends AddPartitionsToTxn v4 is refused CLUSTER_AUTHORIZATION_FAILED.

    @needs:authorizer
    Scenario: [1] Its rights to the transactional id and to the topic do not help
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And A has written "a1" to payments-0
      When A adds payments-1 to its transaction as a broker would
      Then the request is refused with CLUSTER_AUTHORIZATION_FAILED
      And the transaction of A is as it was

    @needs:authorizer
    Scenario: [2] CLUSTER_ACTION is enough
      Given producer A with transactional id "transfer", logged in as another broker
      When A adds payments-1 to its transaction as a broker would
      Then payments-1 is accepted
      And the transaction of A is Ongoing in payments-1 and nowhere else

  @KIP890-173 @MUST
  Rule: Every transactional request needs WRITE on its id, else TRANSACTIONAL_ID_AUTHORIZATION_FAILED.

    @needs:authorizer
    Scenario Outline: [1] To see the transactional id is not enough
      Given producer A with transactional id "transfer" and group "billing", logged in as an ordinary user
      And A has written "a1" to payments-0
      And the user of A may no longer write under its transactional id
      When A <asks>
      Then <what> refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED
      And the transaction of A is as it was

      Examples:
        | asks                                                 | what           | why                        |
        | initialises again with its own producer id and epoch | the request is | it would end a transaction |
        | announces payments-1                                 | payments-1 is  | it would widen it          |
        | announces the offsets of group "billing"             | the request is | it would widen it          |
        | sends offset 5 of payments-0 for group "billing"     | payments-0 is  | it would widen it          |
        | commits                                              | the request is | it would end it            |
        | aborts                                               | the request is | it would end it            |
        | commits in EndTxn v4                                 | the request is | an old client's end        |

    @needs:authorizer
    Scenario Outline: [2] Records that belong to a transaction
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write under its transactional id
      When A writes "a1" to payments-0 in Produce <version>
      Then the request is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED
      And the transaction of A is as it was
      And the log of payments-0 has not grown

      Examples:
        | version | why                            |
        | v11     | the leader would only verify   |
        | v12     | the leader would add by itself |

  @KIP890-174 @MUST
  Rule: Transactional offsets need READ on the group and on the topic, refused by group as a whole and by topic per partition.

    @needs:authorizer
    Scenario Outline: [1] A group that the user may not read
      Given producer A with transactional id "transfer" and group "billing", logged in as an ordinary user
      And the user of A may no longer read group "billing"
      When A <asks>
      Then <what> refused with GROUP_AUTHORIZATION_FAILED
      And the transaction of A is as it was
      And nothing of payments-0 is pending in group "billing"

      Examples:
        | asks                                                           | what                         | why                    |
        | announces the offsets of group "billing"                       | the request is               | the group as a whole   |
        | sends offset 5 of payments-0 and refunds-0 for group "billing" | payments-0 and refunds-0 are | each topic may be read |

    @needs:authorizer
    Scenario: [2] One of two topics that the user may not read
      Given producer A with transactional id "transfer" and group "billing", logged in as an ordinary user
      And the user of A may no longer read refunds
      When A sends offset 5 of payments-0 and refunds-0 for group "billing"
      Then refunds-0 is refused with TOPIC_AUTHORIZATION_FAILED
      And payments-0 is accepted
      And nothing of refunds-0 is pending in group "billing"

  @KIP890-175 @MUST
  Rule: WriteTxnMarkers without ALTER or CLUSTER_ACTION on the cluster is refused CLUSTER_AUTHORIZATION_FAILED.

    @needs:authorizer
    Scenario: [1] A producer that wants to end its transaction by itself
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And A has written "a1" to payments-0
      When A itself sends an ABORT marker for its transaction to payments-0
      Then the request is refused with CLUSTER_AUTHORIZATION_FAILED
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"

    @needs:authorizer
    Scenario Outline: [2] Either right is enough
      Given producer A with transactional id "transfer", logged in as <role>
      And A has written "a1" to payments-0
      When A itself sends an ABORT marker for its transaction to payments-0
      Then the marker is accepted
      And payments-0 holds one ABORT marker, with the epoch of A

      Examples:
        | role           | why                                                |
        | an operator    | ALTER, to end what hangs                           |
        | another broker | CLUSTER_ACTION, to tell what a coordinator decided |

  @KIP890-176 @MUST
  Rule: Produce v12 without WRITE on the topic is refused TOPIC_AUTHORIZATION_FAILED and does not add the partition.

    @needs:authorizer
    Scenario: [1] The first write of a transaction
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to payments
      When A writes "a1" to payments-0
      Then the request is refused with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is as it was
      And the log of payments-0 has not grown

    @needs:authorizer
    Scenario: [2] A write to another topic than the transaction has so far
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And A has written "a1" to refunds-0
      And the user of A may no longer write to payments
      When A writes "a2" to payments-0
      Then the request is refused with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is Ongoing in refunds-0 and nowhere else
