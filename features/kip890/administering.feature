Feature: Topics, leaders and levels
  An administrator changes the cluster while transactions run: creates topics, moves partitions and coordinators, changes feature levels.
  What is refused changes nothing.

  @KIP890-372 @MUST
  Rule: CreateTopics creates a topic with exactly the requested partitions, or refuses it and creates nothing.
    A producer would choose a partition that does not exist, or write into another topic.

    Scenario: [1] A topic with three partitions is created
      When topic "orders" is created with 3 partitions
      Then it is done
      And topic "orders" has 3 partitions, each with a leader

    Scenario: [2] A topic is created under a name that is taken
      Given a topic "payments" with 2 partitions
      When topic "payments" is created with 3 partitions
      Then it is refused with TOPIC_ALREADY_EXISTS
      And topic "payments" has 2 partitions, each with a leader

    Scenario Outline: [3] A topic is created with an invalid name, partition count or assignment
      When topic <topic> is created with <partitions>
      Then it is refused with <error>
      And there is no topic <topic>

      Examples:
        | topic     | partitions                                      | error                      |
        | "orders"  | 0 partitions                                    | INVALID_PARTITIONS         |
        | "or ders" | 1 partition                                     | INVALID_TOPIC_EXCEPTION    |
        | "orders"  | 1 partition under the name of a single dot      | INVALID_TOPIC_EXCEPTION    |
        | "orders"  | 1 partition and more replicas than nodes        | INVALID_REPLICATION_FACTOR |
        | "orders"  | 1 partition on an unknown node                  | INVALID_REPLICA_ASSIGNMENT |

    Scenario: [4] The creation of a topic is only validated
      When topic "orders" is created with 2 partitions for validation only
      Then it is done
      And there is no topic "orders"

    Scenario: [5] A topic is deleted after its creation
      Given a topic "orders" with 2 partitions
      When topic "orders" is deleted
      Then there is no topic "orders"

    Scenario: [6] A topic is created with the default number of partitions
      When topic "orders" is created with the default number of partitions
      Then it is done
      And topic "orders" has the default number of partitions, each with a leader

    Scenario: [7] A topic is created on a given node
      When topic "orders" is created with 2 partitions on a known node
      Then it is done
      And topic "orders" has 2 partitions, each with a leader

  @KIP890-373 @MUST @recovery
  Rule: After AlterPartitionReassignments only the new node leads the partition, in a later leader epoch, even after a crash.
    If a partition has two leaders, half of the accepted records are lost.

    @needs:two-nodes
    Scenario: [1] A partition of a topic is moved to another node
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When AlterPartitionReassignments sends accounts-1 to node 1
      Then it is done
      And accounts-1 is led by node 1 alone, in a later leader epoch

    @needs:two-nodes @needs:crash
    Scenario: [2] The brokers crash after a partition and a coordinator were moved
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-0 has moved to node 2
      And the coordinator of A has moved to node 2
      When the system crashes and restarts
      Then accounts-0 is led by node 2 alone
      And A is coordinated by node 2 alone

    @needs:two-nodes
    Scenario: [3] A partition is moved to a node that does not exist
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When AlterPartitionReassignments sends accounts-1 to node 9
      Then it is refused with INVALID_REPLICA_ASSIGNMENT
      And accounts-1 is led by node 2 alone

  @KIP890-374 @MUST
  Rule: A node that does not coordinate a transactional id answers its requests with NOT_COORDINATOR.
    A client that has not learned of a move would be answered by a node that no longer knows the transaction.

    @needs:two-nodes
    Scenario Outline: [1] A request is sent to a node that never was the coordinator
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When A itself sends <api> to node 2
      Then it is refused with NOT_COORDINATOR
      And the transaction of A is unchanged

      Examples:
        | api                | why                            |
        | InitProducerId     | it would fence the owner       |
        | AddPartitionsToTxn | it would widen the transaction |
        | AddOffsetsToTxn    | it would widen it              |
        | EndTxn             | it would end it                |

    @needs:two-nodes
    Scenario: [2] The coordinator moves to another node
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When the coordinator of A moves to node 2
      Then it is done
      And A is coordinated by node 2 alone

  @KIP890-377 @MUST
  Rule: A broker answers UpdateFeatures with an impossible or inconsistent change with INVALID_UPDATE_VERSION, and changes nothing.
    A cluster that was moved to another level by mistake, or to one that it does not know, may be unable to restart.

    Scenario Outline: [1] UpdateFeatures requests an unsupported level or an unknown feature
      When UpdateFeatures <asks>
      Then it is refused with INVALID_UPDATE_VERSION
      And the levels of features are unchanged

      Examples:
        | asks                                          |
        | asks for level 99 of transaction.version      |
        | asks for level 1 of a feature that there is not |

    Scenario: [2] UpdateFeatures requests the current level
      When UpdateFeatures asks for the level of transaction.version that is there
      Then it is done
      And the levels of features are unchanged

    @needs:feature-levels
    Scenario: [3] UpdateFeatures lowers a level in a request for an upgrade
      When UpdateFeatures lowers transaction.version as an upgrade
      Then it is refused with INVALID_UPDATE_VERSION
      And the levels of features are unchanged

    @needs:feature-levels
    Scenario: [4] UpdateFeatures only validates a lower level
      When UpdateFeatures only validates a lower transaction.version
      Then it is done
      And the levels of features are unchanged

  @KIP890-378 @MUST
  Rule: ApiVersions v3 omits the supported features whose lowest level is 0, and lists all others as v4 does.
    A client that knows only v3 reads the level 0 as a malformed answer, and does not connect.

    Scenario: [1] ApiVersions v3 and v4 are compared
      When ApiVersions v3 is sent
      Then the answer offers just the supported features of v4 whose lowest level is above 0
