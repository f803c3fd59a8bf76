@needs:crash
Feature: Coordinators that are loading
  A coordinator that has just started knows nothing until it has read its log, and answers so. Clients that retry are served without
  further intervention.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-057 @SHOULD @recovery
  Rule: A broker answers TxnOffsetCommit with a retriable coordinator error while the coordinator is loading or absent.
    A client that receives a fatal error while a coordinator only loads gives up without need.

    @needs:virtual-time
    Scenario: [1] A new client sends an offset while the coordinator loads
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the system has crashed and is restarting
      When A sends offset 5 of payments-0 to group "billing"
      Then every refusal was COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE or NOT_COORDINATOR
      And it is done

  @KIP890-169 @SHOULD @recovery
  Rule: While a coordinator loads, transactional requests are answered with retriable errors, and retries succeed once it has loaded.
    A coordinator that answers before it has read its log does not know any producer, and refuses all of them.

    Scenario: [1] A producer commits while the coordinator loads
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the system has crashed and is restarting
      When A commits
      Then every refusal was retriable
      And it is done
      And readers of payments-0 see "a1"

    Scenario: [2] A producer initialises while the coordinator loads
      Given producer A with transactional id "transfer"
      And the system has crashed and is restarting
      When A initialises again with neither producer id nor epoch
      Then every refusal was retriable
      And it is done

    Scenario: [3] A producer writes to a second partition while the coordinator loads
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the system has crashed and is restarting
      When A writes "a2" to payments-1
      Then every refusal was retriable
      And it is done
      And the transaction of A is Ongoing

    Scenario: [4] An old client writes to a partition that it has added while the coordinator loads
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has added payments-0
      And the system has crashed and is restarting
      When A writes "a1" to payments-0
      Then every refusal was retriable
      And it is done

    Scenario: [5] A producer begins its next transaction while the coordinator loads
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the system has crashed and is restarting
      When A writes "a2" to payments-0
      Then every refusal was retriable
      And the transaction of A is Ongoing in payments-0
