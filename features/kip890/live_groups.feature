Feature: Offsets of active groups
  While a transaction has offsets of a group, the group changes: members join and leave, other clients commit, it may even be deleted.

  Background:
    Given a topic "payments" with 1 partition
    And producer A with transactional id "transfer"

  @KIP890-240 @MUST @fencing
  Rule: A group coordinator answers TxnOffsetCommit of a member of an older generation with ILLEGAL_GENERATION, and stores nothing.
    An instance that has lost its partitions to another would commit offsets for them, and input would be lost or counted twice.

    Scenario: [1] A member of the current generation sends an offset
      Given A is a member of group "shop"
      When A sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is done for payments-0
      And group "shop" has a pending offset of payments-0

    Scenario: [2] A member that missed a rebalance sends an offset
      Given A is a member of group "shop"
      And group "shop" of A has gone on to its next generation
      When A sends offset 5 of payments-0 to group "shop" as a member of the generation before
      Then it is refused for payments-0 with ILLEGAL_GENERATION
      And group "shop" has no pending offset of payments-0

    Scenario: [3] A member that missed a rebalance sends a second offset
      Given A is a member of group "shop"
      And A has sent offset 3 of payments-0 to group "shop"
      And group "shop" of A has gone on to its next generation
      When A sends offset 5 of payments-0 to group "shop" as a member of the generation before
      Then it is refused for payments-0 with ILLEGAL_GENERATION
      And group "shop" has no committed offset of payments-0

  @KIP890-241 @MUST @fencing
  Rule: A group coordinator answers TxnOffsetCommit of a static member that another process has replaced with FENCED_INSTANCE_ID, and stores nothing.
    Two processes that both act as the same instance would commit offsets in turn.

    Scenario: [1] A static member sends an offset
      Given A is a static member of group "shop"
      When A sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is done for payments-0

    Scenario: [2] A static member that was replaced sends an offset
      Given A is a static member of group "shop"
      And another process has taken the place of A in group "shop"
      When A sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is refused for payments-0 with FENCED_INSTANCE_ID
      And group "shop" has no pending offset of payments-0

  @KIP890-242 @MUST @commits
  Rule: An OffsetCommit takes effect at once while a transaction's offset is pending, and the transaction's commit does not undo it.
    A group that was moved forward while a transaction was open would move back when the transaction commits, and read its input again.

    Scenario: [1] A plain offset is committed while a transaction is open
      Given A has sent offset 5 of payments-0 to group "shop"
      When offset 7 of payments-0 is committed to group "shop" outside of transactions
      Then it is done
      And group "shop" has committed offset 7 of payments-0
      And group "shop" has a pending offset of payments-0

    Scenario: [2] A plain offset is committed before the transaction commits
      Given A has sent offset 5 of payments-0 to group "shop"
      And offset 7 of payments-0 has been committed to group "shop" outside of transactions
      When A commits
      Then group "shop" has committed offset 7 of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [3] A plain offset is committed before the transaction aborts
      Given A has sent offset 5 of payments-0 to group "shop"
      And offset 7 of payments-0 has been committed to group "shop" outside of transactions
      When A aborts
      Then group "shop" has committed offset 7 of payments-0

    Scenario: [4] A plain offset is committed before that of the transaction
      Given offset 3 of payments-0 has been committed to group "shop" outside of transactions
      And A has sent offset 5 of payments-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 5 of payments-0

    Scenario: [5] Two transactions end in another order than they sent offsets
      Given producer B with transactional id "refund"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has sent offset 7 of payments-0 to group "shop"
      And B has committed
      When A commits
      Then group "shop" has committed offset 7 of payments-0

    @needs:crash
    Scenario Outline: [6] The coordinator reloads after many commits during a transaction
      Given offset 1 and each one up to 60 of payments-0 has been committed to group "shop" outside of transactions
      And A has sent offset 100 of payments-0 to group "shop"
      And offset 1 and each one up to 60 of payments-0 has been committed to group "bank" outside of transactions
      And the system has crashed and restarted
      When A <ends>
      Then group "shop" has committed offset <offset> of payments-0
      And group "bank" has committed offset 60 of payments-0

      Examples:
        | ends    | offset |
        | commits | 100    |
        | aborts  | 60     |

    @needs:crash
    Scenario: [7] The system crashes after a plain offset and the commit of the transaction
      Given A has sent offset 5 of payments-0 to group "shop"
      And offset 7 of payments-0 has been committed to group "shop" outside of transactions
      And A has committed
      When the system crashes and restarts
      Then group "shop" has committed offset 7 of payments-0

  @KIP890-243 @MUST @commits
  Rule: A commit does not restore offsets that were pending when DeleteGroups deleted their group.
    A group that was deleted to start afresh would find offsets from before the deletion.

    Scenario: [1] A group is deleted while its first offset is pending
      Given A has sent offset 5 of payments-0 to group "shop"
      And group "shop" has been deleted
      When A commits
      Then the transaction of A is over
      And group "shop" has no committed offset of payments-0

    Scenario: [2] A group with a committed offset is deleted while another one is pending
      Given A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop"
      And group "shop" has been deleted
      When A commits
      Then group "shop" has no committed offset of payments-0

    Scenario: [3] A group is looked up after it was deleted while an offset was pending
      Given A has sent offset 5 of payments-0 to group "shop"
      When group "shop" is deleted
      Then group "shop" has no pending offset of payments-0

    Scenario: [4] The transaction sends another offset after the deletion
      Given A has sent offset 5 of payments-0 to group "shop"
      And group "shop" has been deleted
      And A has sent offset 7 of payments-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 7 of payments-0

    @needs:crash
    Scenario: [5] The system crashes between the deletion of a group and the commit
      Given A has sent offset 5 of payments-0 to group "shop"
      And group "shop" has been deleted
      And the system has crashed and restarted
      When A commits
      Then the transaction of A is over
      And group "shop" has no committed offset of payments-0

    Scenario: [6] A group is deleted while offsets of two partitions are pending
      Given a topic "accounts" with 1 partition
      And A has sent offset 5 of payments-0 and accounts-0 to group "shop"
      And group "shop" has been deleted
      When A commits
      Then group "shop" has no committed offset of payments-0
      And group "shop" has no committed offset of accounts-0
