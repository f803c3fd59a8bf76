Feature: Who may look, and who may add
  Transactional ids tell what an application does, so who may not describe one is told nothing of it.

  Background:
    Given a topic "payments" with 1 partition
    And a topic "refunds" with 1 partition
    And producer A with transactional id "transfer", logged in as an ordinary user

  @KIP890-258 @MUST
  Rule: AddPartitionsToTxn v3 without WRITE on one of its topics is refused for that TOPIC_AUTHORIZATION_FAILED, and adds none.
    Who may only read a topic could keep all of its readers waiting with a transaction that it leaves open there.

    @needs:authorizer
    Scenario: [1] One of two topics
      Given the user of A may no longer write to refunds
      When A adds payments-0 and refunds-0
      Then it is refused for refunds-0 with TOPIC_AUTHORIZATION_FAILED
      And it is refused for payments-0 with OPERATION_NOT_ATTEMPTED
      And the transaction of A is unchanged

    @needs:authorizer
    Scenario: [2] While a transaction is open in the other topic
      Given A has added payments-0
      And the user of A may no longer write to refunds
      When A adds refunds-0
      Then it is refused for refunds-0 with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is Ongoing in payments-0

  @KIP890-259 @MUST
  Rule: FindCoordinator for a transactional id that one may not describe is refused TRANSACTIONAL_ID_AUTHORIZATION_FAILED.
    Whoever may not use an id would still learn whom to ask about it.

    @needs:authorizer
    Scenario: [1] Without any right
      Given the user of A may no longer describe its transactional id
      When A itself sends FindCoordinator for its transactional id
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED

    @needs:authorizer
    Scenario: [2] To describe is enough
      Given the user of A may no longer write under its transactional id
      When A itself sends FindCoordinator for its transactional id
      Then it is done

    @needs:authorizer
    Scenario: [3] Without any right, in a version that is about one id
      Given the user of A may no longer describe its transactional id
      When A itself sends FindCoordinator v3 for its transactional id
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED

    @needs:authorizer
    Scenario: [4] To describe is enough, in a version that is about one id
      Given the user of A may no longer write under its transactional id
      When A itself sends FindCoordinator v3 for its transactional id
      Then it is done

    @needs:authorizer
    Scenario Outline: [5] A group, which has a right of its own
      When A itself sends FindCoordinator <version> for group "billing"
      Then it is refused with GROUP_AUTHORIZATION_FAILED

      Examples:
        | version |
        | v0      |
        | v3      |
        | v4      |

  @KIP890-260 @MUST
  Rule: DescribeTransactions of a transactional id that one may not describe is refused TRANSACTIONAL_ID_AUTHORIZATION_FAILED.
    A stranger would learn the producer id and epoch with which a transaction can be ended.

    @needs:authorizer
    Scenario: [1] A transaction is open, and its right is gone
      Given A has written "a1" to payments-0
      And the user of A may no longer describe its transactional id
      When A itself sends DescribeTransactions for its transactional id
      Then it is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED

    @needs:authorizer
    Scenario: [2] A transaction is open, and may be described
      Given A has written "a1" to payments-0
      And the user of A may no longer write under its transactional id
      When A itself sends DescribeTransactions for its transactional id
      Then it is done

  @KIP890-261 @MUST
  Rule: ListTransactions leaves out the transactional ids that one may not describe.
    A list for everybody would tell the ids of all applications.

    @needs:authorizer
    Scenario: [1] An id that is left out
      Given A has written "a1" to payments-0
      And the user of A may no longer describe its transactional id
      When A itself sends ListTransactions for its transactional id
      Then A is not listed

    @needs:authorizer
    Scenario: [2] An id that is listed
      Given A has written "a1" to payments-0
      And the user of A may no longer write under its transactional id
      When A itself sends ListTransactions for its transactional id
      Then A is listed

  @KIP890-262 @MUST
  Rule: DescribeProducers of a topic that one may not read is refused TOPIC_AUTHORIZATION_FAILED.
    Who writes to a topic, and where its open transactions begin, is for those who may read it.

    @needs:authorizer
    Scenario: [1] A topic that may be written to only
      Given A has written "a1" to payments-0
      And the user of A may no longer read payments
      When A itself sends DescribeProducers for payments-0
      Then it is refused with TOPIC_AUTHORIZATION_FAILED

    @needs:authorizer
    Scenario: [2] A topic that may be read only
      Given A has written "a1" to payments-0
      And the user of A may no longer write to payments
      When A itself sends DescribeProducers for payments-0
      Then it is done

  @KIP890-269 @MUST
  Rule: DescribeTransactions leaves out the topics that one may not describe.
    Who may look at a transaction would learn the names of topics that are kept from him.

    @needs:authorizer
    Scenario: [1] A topic that is left out
      Given A has written "a1" to payments-0
      And A has written "r1" to refunds-0
      And the user of A may no longer describe refunds
      When A itself sends DescribeTransactions for its transactional id
      Then the answer describes a transaction in payments-0 and nowhere else
