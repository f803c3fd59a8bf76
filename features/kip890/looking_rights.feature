@needs:authorizer
Feature: Rights to describe and to add
  Transactional ids reveal what an application does, so a principal that may not describe one must not learn of it.

  Background:
    Given a topic "payments" with 1 partition
    And a topic "refunds" with 1 partition
    And producer A with transactional id "transfer", logged in as an ordinary user

  @KIP890-258 @MUST
  Rule: A broker answers a topic of AddPartitionsToTxn v3 on which the principal has no WRITE with TOPIC_AUTHORIZATION_FAILED, and adds no partition.
    A client that may only read a topic could block all of its readers with a transaction that it leaves open there.

    Scenario: [1] A user without WRITE on one of two topics adds both
      Given the user of A may no longer write to refunds
      When A adds payments-0 and refunds-0
      Then it is refused for refunds-0 with TOPIC_AUTHORIZATION_FAILED
      And it is refused for payments-0 with OPERATION_NOT_ATTEMPTED
      And the transaction of A is unchanged

    Scenario: [2] A user without WRITE on a topic adds it to an open transaction
      Given A has added payments-0
      And the user of A may no longer write to refunds
      When A adds refunds-0
      Then it is refused for refunds-0 with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is Ongoing in payments-0

    Scenario: [3] A user without WRITE on a topic adds two of its partitions
      Given a topic "accounts" with 2 partitions
      And the user of A may no longer write to accounts
      When A adds accounts-0 and accounts-1
      Then it is refused for accounts-0 and accounts-1 with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is unchanged

  @KIP890-259 @MUST
  Rule: A broker refuses FindCoordinator of a principal without DESCRIBE on the transactional id (TRANSACTIONAL_ID_AUTHORIZATION_FAILED) or on the group (GROUP_AUTHORIZATION_FAILED).
    A client that may not use an id would still learn which node coordinates it.

    Scenario: [1] A user without any right on a transactional id looks up its coordinator
      Given the user of A may no longer describe its transactional id
      When A itself sends FindCoordinator for its transactional id
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED

    Scenario: [2] A user with DESCRIBE on a transactional id looks up its coordinator
      Given the user of A may no longer write under its transactional id
      When A itself sends FindCoordinator for its transactional id
      Then it is done

    Scenario: [3] A user without any right on a transactional id looks up its coordinator with FindCoordinator v3
      Given the user of A may no longer describe its transactional id
      When A itself sends FindCoordinator v3 for its transactional id
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED

    Scenario: [4] A user with DESCRIBE on a transactional id looks up its coordinator with FindCoordinator v3
      Given the user of A may no longer write under its transactional id
      When A itself sends FindCoordinator v3 for its transactional id
      Then it is done

    Scenario Outline: [5] A user without rights on a group looks up its coordinator
      When A itself sends FindCoordinator <version> for group "billing"
      Then it is refused with GROUP_AUTHORIZATION_FAILED

      Examples:
        | version |
        | v0      |
        | v3      |
        | v4      |

    Scenario Outline: [6] A user with DESCRIBE on one of two transactional ids looks up the coordinators of both
      Given producer B with transactional id "refund"
      When A itself sends FindCoordinator for <ids>
      Then the <which> entry alone is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED

      Examples:
        | ids     | which |
        | A and B | last  |
        | B and A | first |

  @KIP890-260 @MUST
  Rule: A coordinator answers DescribeTransactions of a principal without DESCRIBE on the transactional id with TRANSACTIONAL_ID_AUTHORIZATION_FAILED.
    An unauthorised client would learn the producer id and epoch with which a transaction can be ended.

    Scenario: [1] A user without DESCRIBE describes an open transaction
      Given A has written "a1" to payments-0
      And the user of A may no longer describe its transactional id
      When A itself sends DescribeTransactions for its transactional id
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED

    Scenario: [2] A user with DESCRIBE describes an open transaction
      Given A has written "a1" to payments-0
      And the user of A may no longer write under its transactional id
      When A itself sends DescribeTransactions for its transactional id
      Then it is done

    Scenario: [3] A user with DESCRIBE on one of two transactional ids describes both
      Given producer B with transactional id "refund" at the coordinator of A
      And A has written "a1" to payments-0
      When A itself sends DescribeTransactions for A and B
      Then the last entry alone is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED

  @KIP890-261 @MUST
  Rule: ListTransactions omits the transactional ids on which the principal has no DESCRIBE.
    A complete list would reveal the ids of all applications to every client.

    Scenario: [1] A user without DESCRIBE lists transactions
      Given A has written "a1" to payments-0
      And the user of A may no longer describe its transactional id
      When A itself sends ListTransactions for its transactional id
      Then A is not listed

    Scenario: [2] A user with DESCRIBE lists transactions
      Given A has written "a1" to payments-0
      And the user of A may no longer write under its transactional id
      When A itself sends ListTransactions for its transactional id
      Then A is listed

    Scenario Outline: [3] A user with DESCRIBE on one of two transactional ids lists transactions
      Given producer B with transactional id "refund", logged in as an ordinary user
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      And the user of <other> may no longer describe its transactional id
      When <one> itself sends ListTransactions for its transactional id
      Then <one> is listed
      And <other> is not listed

      Examples:
        | one | other |
        | B   | A     |
        | A   | B     |

  @KIP890-262 @MUST
  Rule: A broker answers DescribeProducers of a principal without READ on the topic with TOPIC_AUTHORIZATION_FAILED.
    Only readers of a topic may learn its producers, and where its open transactions begin.

    Scenario: [1] A user without READ on a topic describes its producers
      Given A has written "a1" to payments-0
      And the user of A may no longer read payments
      When A itself sends DescribeProducers for payments-0
      Then it is refused with TOPIC_AUTHORIZATION_FAILED

    Scenario: [2] A user without WRITE on a topic describes its producers
      Given A has written "a1" to payments-0
      And the user of A may no longer write to payments
      When A itself sends DescribeProducers for payments-0
      Then it is done

    Scenario Outline: [3] A user without READ on one of two topics describes the producers of both
      Given A has written "a1" to payments-0
      And the user of A may no longer read refunds
      When A itself sends DescribeProducers for <partitions>
      Then the <which> entry alone is refused with TOPIC_AUTHORIZATION_FAILED

      Examples:
        | partitions                | which |
        | payments-0 and refunds-0  | last  |
        | refunds-0 and payments-0  | first |

  @KIP890-269 @MUST
  Rule: DescribeTransactions omits the topics of a transaction on which the principal has no DESCRIBE.
    A client that may describe a transaction would learn the names of topics that are kept from it.

    Scenario: [1] A user without DESCRIBE on one of two topics describes its transaction
      Given A has written "a1" to payments-0
      And A has written "r1" to refunds-0
      And the user of A may no longer describe refunds
      When A itself sends DescribeTransactions for its transactional id
      Then the answer describes a transaction in payments-0 and nowhere else

    Scenario: [2] A user without DESCRIBE on the first of two topics describes its transaction
      Given A has written "a1" to payments-0
      And A has written "r1" to refunds-0
      And the user of A may no longer describe payments
      When A itself sends DescribeTransactions for its transactional id
      Then the answer describes a transaction in refunds-0 and nowhere else
