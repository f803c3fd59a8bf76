Feature: Offsets of groups that live
  While a transaction has offsets of a group, the group goes on: members come and go, others commit, it is even deleted.

  Background:
    Given a topic "payments" with 1 partition
    And producer A with transactional id "transfer"

  @KIP890-240 @MUST @fencing
  Rule: TxnOffsetCommit of a member of an older generation is refused ILLEGAL_GENERATION, and stores nothing.
    An instance that has lost its partitions to another would commit for what it no longer reads, and input would be lost or counted twice.

    Scenario: [1] The generation that there is
      Given A is a member of group "shop"
      When A sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is done for payments-0
      And group "shop" has a pending offset of payments-0

    Scenario: [2] A member that missed a rebalance
      Given A is a member of group "shop"
      And group "shop" of A has gone on to its next generation
      When A sends offset 5 of payments-0 to group "shop" as a member of the generation before
      Then it is refused for payments-0 with ILLEGAL_GENERATION
      And group "shop" has no pending offset of payments-0

    Scenario: [3] It was a member of this generation when it sent the offset before
      Given A is a member of group "shop"
      And A has sent offset 3 of payments-0 to group "shop"
      And group "shop" of A has gone on to its next generation
      When A sends offset 5 of payments-0 to group "shop" as a member of the generation before
      Then it is refused for payments-0 with ILLEGAL_GENERATION
      And group "shop" has no committed offset of payments-0

  @KIP890-241 @MUST @fencing
  Rule: TxnOffsetCommit of a static member whose place another has taken is refused FENCED_INSTANCE_ID, and stores nothing.
    Two processes that both think they are the same instance would commit offsets by turns.

    Scenario: [1] The place is its own
      Given A is a static member of group "shop"
      When A sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is done for payments-0

    Scenario: [2] Another process has taken the place
      Given A is a static member of group "shop"
      And another process has taken the place of A in group "shop"
      When A sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is refused for payments-0 with FENCED_INSTANCE_ID
      And group "shop" has no pending offset of payments-0

  @KIP890-242 @MUST @commits
  Rule: An OffsetCommit beside a pending offset counts at once, and the transaction's commit does not take it back.
    A group that was put forward while a transaction was open would go back when that commits, and read its input again.

    Scenario: [1] The transaction is still open
      Given A has sent offset 5 of payments-0 to group "shop"
      When offset 7 of payments-0 is committed to group "shop" outside of transactions
      Then it is done
      And group "shop" has committed offset 7 of payments-0
      And group "shop" has a pending offset of payments-0

    Scenario: [2] The transaction commits
      Given A has sent offset 5 of payments-0 to group "shop"
      And offset 7 of payments-0 has been committed to group "shop" outside of transactions
      When A commits
      Then group "shop" has committed offset 7 of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [3] The transaction aborts
      Given A has sent offset 5 of payments-0 to group "shop"
      And offset 7 of payments-0 has been committed to group "shop" outside of transactions
      When A aborts
      Then group "shop" has committed offset 7 of payments-0

    Scenario: [4] The transaction's offset came later
      Given offset 3 of payments-0 has been committed to group "shop" outside of transactions
      And A has sent offset 5 of payments-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 5 of payments-0

    Scenario: [5] Two transactions that end in another order than they sent
      Given producer B with transactional id "refund"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has sent offset 7 of payments-0 to group "shop"
      And B has committed
      When A commits
      Then group "shop" has committed offset 7 of payments-0

    @needs:crash
    Scenario Outline: [6] Much is committed meanwhile, and the coordinator reads it all again
      Given offsets 1 to 60 of payments-0 have been committed to group "shop" one after the other
      And A has sent offset 100 of payments-0 to group "shop"
      And offsets 1 to 60 of payments-0 have been committed to group "bank" one after the other
      And the system has crashed and come back
      When A <ends>
      Then group "shop" has committed offset <offset> of payments-0
      And group "bank" has committed offset 60 of payments-0

      Examples:
        | ends    | offset |
        | commits | 100    |
        | aborts  | 60     |

  @KIP890-243 @MUST @commits
  Rule: Offsets that were pending when their group was deleted do not come back with the commit.
    A group that was deleted to begin anew would find offsets of its last life.

    Scenario: [1] The offset was the first of the group
      Given A has sent offset 5 of payments-0 to group "shop"
      And group "shop" has been deleted
      When A commits
      Then the transaction of A is over
      And group "shop" has no committed offset of payments-0

    Scenario: [2] The group had committed before
      Given A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop"
      And group "shop" has been deleted
      When A commits
      Then group "shop" has no committed offset of payments-0
