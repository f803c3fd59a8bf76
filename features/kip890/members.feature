Feature: Groups whose members join and leave
  A member that sends offsets is fenced by its group: by its generation, its member id and its instance id. So the group has to know its
  members, and to notify them when others join and leave.

  Background:
    Given a topic "payments" with 2 partitions
    And producers A and B with transactional ids "transfer" and "refund"

  @KIP890-352 @MUST
  Rule: A group has one generation, one protocol and one leader, and each member receives what the leader assigned to it.
    Two consumers that both believe to own a partition would process its records twice, and commit offsets in turn.

    Scenario: [1] A member joins an empty group
      When A joins group "shop"
      Then it is done
      And the members have one generation, one protocol and one leader among them
      And the leader alone receives what all members want
      And each member has what the leader assigned to it
      And group "shop" still has A

    Scenario: [2] A second member joins
      Given A is a member of group "shop"
      When B joins group "shop" together with A
      Then it is done
      And the members have one generation, one protocol and one leader among them
      And the leader alone receives what all members want
      And each member has what the leader assigned to it
      And group "shop" still has A

    Scenario: [3] A second static member joins
      Given A is a static member of group "shop"
      When B joins group "shop" together with A
      Then it is done
      And the members have one generation, one protocol and one leader among them
      And the leader alone receives what all members want
      And each member has what the leader assigned to it
      And group "shop" still has B

    Scenario: [4] A member rejoins after the leader has left
      Given A is a member of group "shop"
      And B has joined group "shop" together with A
      And A has left group "shop"
      When B joins group "shop"
      Then the members have one generation, one protocol and one leader among them
      And the leader alone receives what all members want
      And each member has what the leader assigned to it

    Scenario: [5] A member rejoins with the same metadata
      Given A is a member of group "shop"
      And B has joined group "shop" together with A
      When B joins group "shop"
      Then it is done
      And each member has what the leader assigned to it
      And group "shop" still has A

    Scenario: [6] A member sends a Heartbeat with the previous generation
      Given A is a member of group "shop"
      And group "shop" of A has gone on to its next generation
      When A sends a Heartbeat as a member of the generation before to group "shop"
      Then it is refused with ILLEGAL_GENERATION
      And group "shop" still has A

    Scenario: [7] The leader rejoins
      Given A is a member of group "shop"
      When A joins group "shop"
      Then it is done
      And A is in a later generation than before
      And each member has what the leader assigned to it

    Scenario: [8] A static member joins an empty group
      When A joins group "shop" as a static member
      Then it is done
      And each member has what the leader assigned to it
      And group "shop" still has A

  @KIP890-353 @MUST
  Rule: After a member has left a group or its session has expired, a group coordinator answers Heartbeat of the others with REBALANCE_IN_PROGRESS.
    The partitions of a member that is gone would not be read.

    Scenario: [1] A member leaves
      Given A is a member of group "shop"
      And B has joined group "shop" together with A
      When B leaves group "shop"
      Then it is done
      And group "shop" wants a new JoinGroup of A
      And group "shop" no longer has B

    Scenario: [2] A static member leaves
      Given A is a static member of group "shop"
      And B has joined group "shop" together with A
      When B leaves group "shop"
      Then it is done
      And group "shop" wants a new JoinGroup of A
      And group "shop" no longer has B

    Scenario: [3] A member is silent until its session expires
      Given A is a member of group "shop"
      And B has joined group "shop" together with A with a short session
      When B is silent until A is notified of it in group "shop"
      Then group "shop" wants a new JoinGroup of A
      And group "shop" no longer has B

    Scenario: [4] A member that sends Heartbeats stays
      Given A is a member of group "shop" with a short session
      When A sends Heartbeats for two sessions to group "shop"
      Then it is done
      And group "shop" still has A

    Scenario: [5] A member leaves twice
      Given A is a member of group "shop"
      And B has joined group "shop" together with A
      And B has left group "shop"
      When B leaves group "shop"
      Then it is refused with UNKNOWN_MEMBER_ID

  @KIP890-354 @MUST
  Rule: A group coordinator refuses JoinGroup without a group id, without a common protocol, or with a member id that the group does not know.
    One misconfigured consumer would keep all others of its group from working.

    Scenario: [1] A consumer joins a group with an empty id
      When A joins group ""
      Then it is refused with INVALID_GROUP_ID

    Scenario Outline: [2] A consumer joins that has no protocol in common with the members
      Given A is a member of group "shop"
      When B joins group "shop" with <mistake>
      Then it is refused with INCONSISTENT_GROUP_PROTOCOL
      And group "shop" still has A

      Examples:
        | mistake                           |
        | another protocol type             |
        | a protocol that no other member knows |

    Scenario: [3] A consumer joins with a member id that was never assigned
      Given A is a member of group "shop"
      When B joins group "shop" with an unknown member id
      Then it is refused with UNKNOWN_MEMBER_ID
      And group "shop" still has A

  @KIP890-355 @MUST @fencing
  Rule: A static member that restarts keeps its generation and assignment, and a process with its old member id is fenced.
    A restart of one process would stop all the others of its group, or leave two processes with the same partitions.

    Scenario Outline: [1] A static member restarts
      Given A is a static member of group "shop"
      And B has joined group "shop" together with A
      When another process takes the place of <restarted> in group "shop"
      Then it is done
      And each member has what the leader assigned to it
      And group "shop" still has <other>
      And group "shop" has fenced <restarted>

      Examples:
        | restarted | other |
        | A         | B     |
        | B         | A     |

  @KIP890-356 @MUST @fencing
  Rule: A group coordinator refuses OffsetCommit, outside of transactions, from a member of an older generation and from an unknown member.
    A consumer that has lost its partitions would move the group's position forward or back.

    Scenario: [1] A current member commits an offset
      Given A is a member of group "shop"
      When offset 7 of payments-0 is committed to group "shop" outside of transactions by A as the member that it is
      Then it is done
      And group "shop" has committed offset 7 of payments-0

    Scenario: [2] A member that missed a rebalance commits an offset
      Given A is a member of group "shop"
      And group "shop" of A has gone on to its next generation
      When offset 7 of payments-0 is committed to group "shop" outside of transactions by A as a member of the generation before
      Then it is refused with ILLEGAL_GENERATION
      And group "shop" has no committed offset of payments-0

    Scenario: [3] A consumer that has left its group commits an offset
      Given A is a member of group "shop"
      And B has joined group "shop" together with A
      And B has left group "shop"
      When offset 7 of payments-0 is committed to group "shop" outside of transactions by B as the member that it is
      Then it is refused with UNKNOWN_MEMBER_ID
      And group "shop" has no committed offset of payments-0

  @KIP890-357 @MUST
  Rule: A group coordinator refuses DeleteGroups for a group that has members, and for a group that does not exist.
    Active consumers would begin at the start again, or skip everything that they have not read.

    Scenario: [1] A group with a member is deleted
      Given offset 7 of payments-0 has been committed to group "shop" outside of transactions
      And A is a member of group "shop"
      When group "shop" is deleted
      Then it is refused with NON_EMPTY_GROUP
      And group "shop" has committed offset 7 of payments-0
      And group "shop" still has A

    Scenario: [2] A group is deleted after its last member has left
      Given offset 7 of payments-0 has been committed to group "shop" outside of transactions
      And A is a member of group "shop"
      And A has left group "shop"
      When group "shop" is deleted
      Then it is done
      And group "shop" has no committed offset of payments-0

    Scenario: [3] A group that does not exist is deleted
      When group "strangers" is deleted
      Then it is refused with GROUP_ID_NOT_FOUND

  @KIP890-395 @MUST @recovery
  Rule: A group keeps its generation, its members and their assignments over a crash.
    All consumers would stop and restart with the broker, and offsets that a member sends would be refused meanwhile.

    @needs:crash
    Scenario: [1] A group has its two members after a crash
      Given A is a member of group "shop"
      And B has joined group "shop" together with A
      When the system crashes and restarts
      Then group "shop" still has A
      And group "shop" still has B

    @needs:crash
    Scenario: [2] A member that rejoins after a crash receives its former assignment
      Given A is a member of group "shop"
      And B has joined group "shop" together with A
      And the system has crashed and restarted
      When B joins group "shop"
      Then each member has what the leader assigned to it
      And group "shop" still has A

    @needs:crash
    Scenario: [3] A static member restarts after a crash
      Given A is a static member of group "shop"
      And B has joined group "shop" together with A
      And the system has crashed and restarted
      When another process takes the place of B in group "shop"
      Then group "shop" still has A
      And group "shop" has fenced B

    @needs:crash
    Scenario: [4] A member sends an offset after a crash
      Given A is a member of group "shop"
      And the system has crashed and restarted
      When A sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is done for payments-0
      And group "shop" has a pending offset of payments-0

    @needs:crash
    Scenario: [5] A group with a member is deleted after a crash
      Given A is a member of group "shop"
      And the system has crashed and restarted
      When group "shop" is deleted
      Then it is refused with NON_EMPTY_GROUP
      And group "shop" still has A
