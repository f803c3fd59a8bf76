Feature: Groups whose members come and go
  Whoever sends offsets as a member of a group is fenced by the group: by its generation, its member id, its instance. So the group has to
  know its members, and its members have to know of each other's coming and going.

  Background:
    Given a topic "payments" with 2 partitions
    And producers A and B with transactional ids "transfer" and "refund"

  @KIP890-352 @MUST
  Rule: The members of a group agree on one generation, one protocol and one leader, and each gets what the leader assigned to it.
    Two consumers that think the same partition is theirs would process its records twice, and commit offsets by turns.

    Scenario: [1] A group of one
      When A joins group "shop"
      Then it is done
      And the members have one generation, one protocol and one leader among them
      And the leader alone is told what all members want
      And each member has what the leader assigned to it
      And group "shop" still has A

    Scenario: [2] A second member comes
      Given A is a member of group "shop"
      When B joins group "shop" beside A
      Then it is done
      And the members have one generation, one protocol and one leader among them
      And the leader alone is told what all members want
      And each member has what the leader assigned to it
      And group "shop" still has A

    Scenario: [3] Static members
      Given A is a static member of group "shop"
      When B joins group "shop" beside A
      Then it is done
      And the members have one generation, one protocol and one leader among them
      And the leader alone is told what all members want
      And each member has what the leader assigned to it
      And group "shop" still has B

    Scenario: [4] The leader goes
      Given A is a member of group "shop"
      And B has joined group "shop" beside A
      And A has left group "shop"
      When B joins group "shop"
      Then the members have one generation, one protocol and one leader among them
      And the leader alone is told what all members want
      And each member has what the leader assigned to it

    Scenario: [5] A member that is there joins again, and brings what it brought
      Given A is a member of group "shop"
      And B has joined group "shop" beside A
      When B joins group "shop"
      Then it is done
      And each member has what the leader assigned to it
      And group "shop" still has A

    Scenario: [6] A Heartbeat of the generation before
      Given A is a member of group "shop"
      And group "shop" of A has gone on to its next generation
      When A sends a Heartbeat to group "shop" as a member of the generation before
      Then it is refused with ILLEGAL_GENERATION
      And group "shop" still has A

    Scenario: [7] The leader joins again
      Given A is a member of group "shop"
      When A joins group "shop"
      Then it is done
      And A is in a later generation than before
      And each member has what the leader assigned to it

    Scenario: [8] A static member alone
      When A joins group "shop" as a static member
      Then it is done
      And each member has what the leader assigned to it
      And group "shop" still has A

  @KIP890-353 @MUST
  Rule: When a member leaves a group, or is silent for longer than its session may last, Heartbeat tells the others to join again.
    Nobody would read the partitions of a member that is gone.

    Scenario: [1] A member leaves
      Given A is a member of group "shop"
      And B has joined group "shop" beside A
      When B leaves group "shop"
      Then it is done
      And group "shop" wants a new JoinGroup of A
      And group "shop" no longer has B

    Scenario: [2] A static member leaves
      Given A is a static member of group "shop"
      And B has joined group "shop" beside A
      When B leaves group "shop"
      Then it is done
      And group "shop" wants a new JoinGroup of A
      And group "shop" no longer has B

    Scenario: [3] A member is silent
      Given A is a member of group "shop"
      And B has joined group "shop" beside A with a short session
      When B is silent until A is told so in group "shop"
      Then group "shop" wants a new JoinGroup of A
      And group "shop" no longer has B

    Scenario: [4] A member that sends Heartbeats stays
      Given A is a member of group "shop" with a short session
      When A sends Heartbeats to group "shop" for two sessions
      Then it is done
      And group "shop" still has A

    Scenario: [5] Who has left cannot leave
      Given A is a member of group "shop"
      And B has joined group "shop" beside A
      And B has left group "shop"
      When B leaves group "shop"
      Then it is refused with UNKNOWN_MEMBER_ID

  @KIP890-354 @MUST
  Rule: JoinGroup is refused without a name of the group, without a protocol in common, and under a member id that the group does not know.
    One consumer that is configured wrongly would keep all others of its group from working.

    Scenario: [1] A group without a name
      When A joins group ""
      Then it is refused with INVALID_GROUP_ID

    Scenario Outline: [2] A consumer that the members have nothing in common with
      Given A is a member of group "shop"
      When B joins group "shop" with <mistake>
      Then it is refused with INCONSISTENT_GROUP_PROTOCOL
      And group "shop" still has A

      Examples:
        | mistake                           |
        | another protocol type             |
        | a protocol that nobody else knows |

    Scenario: [3] A member id that nobody was given
      Given A is a member of group "shop"
      When B joins group "shop" with a member id that nobody was given
      Then it is refused with UNKNOWN_MEMBER_ID
      And group "shop" still has A

  @KIP890-355 @MUST @fencing
  Rule: A static member that starts again has its generation and its assignment again, and who goes by the old member id is fenced.
    A restart of one process would stop all the others of its group, or leave two processes with the same partitions.

    Scenario Outline: [1] An instance starts again
      Given A is a static member of group "shop"
      And B has joined group "shop" beside A
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
  Rule: OffsetCommit outside of transactions is refused to a member of an older generation, and to one that the group does not know.
    A consumer that has lost its partitions would move the group's place back or forth.

    Scenario: [1] The member that it is
      Given A is a member of group "shop"
      When offset 7 of payments-0 is committed to group "shop" outside of transactions by A as the member that it is
      Then it is done
      And group "shop" has committed offset 7 of payments-0

    Scenario: [2] A member that missed a rebalance
      Given A is a member of group "shop"
      And group "shop" of A has gone on to its next generation
      When offset 7 of payments-0 is committed to group "shop" outside of transactions by A as a member of the generation before
      Then it is refused with ILLEGAL_GENERATION
      And group "shop" has no committed offset of payments-0

  @KIP890-357 @MUST
  Rule: DeleteGroups is refused while the group has members, and for a group that there is not.
    Consumers at work would begin at the start again, or skip all that they have not read.

    Scenario: [1] A group with a member
      Given offset 7 of payments-0 has been committed to group "shop" outside of transactions
      And A is a member of group "shop"
      When group "shop" is deleted
      Then it is refused with NON_EMPTY_GROUP
      And group "shop" has committed offset 7 of payments-0
      And group "shop" still has A

    Scenario: [2] The last member has left
      Given offset 7 of payments-0 has been committed to group "shop" outside of transactions
      And A is a member of group "shop"
      And A has left group "shop"
      When group "shop" is deleted
      Then it is done
      And group "shop" has no committed offset of payments-0

    Scenario: [3] A group that nobody has heard of
      When group "strangers" is deleted
      Then it is refused with GROUP_ID_NOT_FOUND

  @KIP890-395 @MUST @recovery
  Rule: After a crash, a group whose members had their assignments has its generation and its members again.
    All consumers would stop and start again with the broker, and offsets that are sent as a member would be refused in between.

    @needs:crash
    Scenario: [1] Two members
      Given A is a member of group "shop"
      And B has joined group "shop" beside A
      When the system crashes and comes back
      Then group "shop" still has A
      And group "shop" still has B

    @needs:crash
    Scenario: [2] A member that joins again gets what it was assigned
      Given A is a member of group "shop"
      And B has joined group "shop" beside A
      And the system has crashed and come back
      When B joins group "shop"
      Then each member has what the leader assigned to it
      And group "shop" still has A

    @needs:crash
    Scenario: [3] A static member starts again
      Given A is a static member of group "shop"
      And B has joined group "shop" beside A
      And the system has crashed and come back
      When another process takes the place of B in group "shop"
      Then group "shop" still has A
      And group "shop" has fenced B

    @needs:crash
    Scenario: [4] Offsets of a member
      Given A is a member of group "shop"
      And the system has crashed and come back
      When A sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is done for payments-0
      And group "shop" has a pending offset of payments-0

    @needs:crash
    Scenario: [5] A group that has members is not deleted
      Given A is a member of group "shop"
      And the system has crashed and come back
      When group "shop" is deleted
      Then it is refused with NON_EMPTY_GROUP
      And group "shop" still has A
