Feature: Topics, leaders and levels
  What an administrator changes while transactions run: topics are made, partitions and coordinators move, levels of features change.
  What was refused has changed nothing.

  @KIP890-372 @MUST
  Rule: CreateTopics makes just the partitions that it is asked for, or refuses them and makes none.
    A producer would choose a partition that there is not, or write into another's topic.

    Scenario: [1] Three partitions
      When topic "orders" is created with 3 partitions
      Then it is done
      And topic "orders" has 3 partitions, each with a leader

    Scenario: [2] A name that is taken
      Given a topic "payments" with 2 partitions
      When topic "payments" is created with 3 partitions
      Then it is refused with TOPIC_ALREADY_EXISTS
      And topic "payments" has 2 partitions, each with a leader

    Scenario Outline: [3] What cannot be made
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

    Scenario: [4] A question whether it could be made
      When topic "orders" is created with 2 partitions for validation only
      Then it is done
      And there is no topic "orders"

    Scenario: [5] A topic that is deleted
      Given a topic "orders" with 2 partitions
      When topic "orders" is deleted
      Then there is no topic "orders"

    Scenario: [6] How many partitions is left to the broker
      When topic "orders" is created as the system likes it
      Then it is done
      And topic "orders" has partitions, each with a leader

    Scenario: [7] Where its partitions are is told
      When topic "orders" is created with 2 partitions on a known node
      Then it is done
      And topic "orders" has 2 partitions, each with a leader

  @KIP890-373 @MUST @recovery
  Rule: A partition that moves is led by the node it moved to and by no other, in a later leader epoch, also after a crash.
    Two leaders of one partition would take records of which the half is lost.

    @needs:two-nodes
    Scenario: [1] A partition of a topic
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When AlterPartitionReassignments sends accounts-1 to node 1
      Then it is done
      And accounts-1 is led by node 1 alone, in a later leader epoch

    @needs:two-nodes @needs:crash
    Scenario: [2] The brokers are killed after the move
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And accounts-0 has moved to node 2
      And the coordinator of A has moved to node 2
      When the system crashes and comes back
      Then accounts-0 is led by node 2 alone
      And A is coordinated by node 2 alone

    @needs:two-nodes
    Scenario: [3] A node that there is not
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When AlterPartitionReassignments sends accounts-1 to node 9
      Then it is refused with INVALID_REPLICA_ASSIGNMENT
      And accounts-1 is led by node 2 alone

  @KIP890-374 @MUST
  Rule: A node that does not coordinate a transactional id refuses its requests with NOT_COORDINATOR.
    A client that has not heard of a move would be answered by a node that no longer knows the transaction.

    @needs:two-nodes
    Scenario Outline: [1] The node that never was its coordinator
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When A sends <api> to node 2
      Then it is refused with NOT_COORDINATOR
      And the transaction of A is unchanged

      Examples:
        | api                | why                            |
        | InitProducerId     | it would fence the owner       |
        | AddPartitionsToTxn | it would widen the transaction |
        | AddOffsetsToTxn    | it would widen it              |
        | EndTxn             | it would end it                |

    @needs:two-nodes
    Scenario: [2] The node that was it
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      When the coordinator of A moves to node 2
      Then it is done
      And A is coordinated by node 2 alone

  @KIP890-377 @MUST
  Rule: UpdateFeatures refuses with INVALID_UPDATE_VERSION what cannot be, or what was not asked for, and changes nothing.
    A cluster that has left its level by mistake, or for one that it does not know, may not come up any more.

    Scenario Outline: [1] What cannot be
      When UpdateFeatures <asks>
      Then it is refused with INVALID_UPDATE_VERSION
      And the levels of features are unchanged

      Examples:
        | asks                                          |
        | asks for level 99 of transaction.version      |
        | asks for level 1 of a feature that there is not |

    Scenario: [2] The level that is there
      When UpdateFeatures asks for the level of transaction.version that is there
      Then it is done
      And the levels of features are unchanged

    @needs:feature-levels
    Scenario: [3] A level that falls, of which nothing was said
      When UpdateFeatures lowers transaction.version as an upgrade
      Then it is refused with INVALID_UPDATE_VERSION
      And the levels of features are unchanged

    @needs:feature-levels
    Scenario: [4] A question whether it could be lowered
      When UpdateFeatures only validates a lower transaction.version
      Then it is done
      And the levels of features are unchanged

  @KIP890-378 @MUST
  Rule: ApiVersions v3 leaves out the supported features whose lowest level is 0, and tells all others as v4 does.
    Clients that know v3 alone take the level 0 for a broken answer, and do not connect.

    Scenario: [1] What v4 says of the same features
      When ApiVersions v3 is sent
      Then the supported features are those of v4 whose lowest level is above 0
