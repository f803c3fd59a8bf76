Feature: What a group's offsets are during and after a transaction
  A consumer must not start from offsets that a transaction may still take back, and must start from them once it has committed.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-052 @MUST
  Rule: OffsetFetch hides the offsets of an open transaction, and answers UNSTABLE_OFFSET_COMMIT if it requires stable offsets.
    A consumer that starts from an undecided offset skips records if the transaction is aborted.

    Scenario: [1] The first offset of a group is pending
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop"
      Then group "shop" has no committed offset of payments-0
      And group "shop" has a pending offset of payments-0
      And group "shop" has no pending offset of payments-1
      And group "bank" has no pending offset of payments-0

    Scenario: [2] A pending offset follows a committed one
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When A sends offset 5 of payments-0 to group "shop"
      Then group "shop" has committed offset 3 of payments-0
      And group "shop" has a pending offset of payments-0

    Scenario: [3] Two producers send offsets of two groups
      Given producer A with transactional id "transfer"
      And producer B with transactional id "refund"
      And A has sent offset 5 of payments-0 to group "shop"
      When B sends offset 6 of payments-0 to group "bank"
      Then group "shop" has a pending offset of payments-0
      And group "bank" has a pending offset of payments-0

    Scenario Outline: [4] One of two transactions with pending offsets of one partition ends
      Given producer A with transactional id "transfer"
      And producer B with transactional id "refund"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has sent offset 6 of payments-0 to group "shop"
      When A <ends>
      Then group "shop" has a pending offset of payments-0

      Examples:
        | ends    |
        | commits |
        | aborts  |

    Scenario: [5] Offsets of two partitions are pending
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-1 to group "shop"
      Then group "shop" has a pending offset of payments-0
      And group "shop" has a pending offset of payments-1

    Scenario: [6] Two groups have names that differ only in case
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop"
      Then group "Shop" has no pending offset of payments-0

    @needs:crash
    Scenario Outline: [7] One of two transactions with pending offsets of one partition ends after a crash
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has sent offset 6 of payments-0 to group "shop"
      And the system has crashed and restarted
      When <producer> aborts
      Then group "shop" has a pending offset of payments-0

      Examples:
        | producer |
        | A        |
        | B        |

    Scenario: [8] One OffsetFetch asks for two partitions, and the offset of the second is pending
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 and payments-1 to group "shop"
      And A has committed
      When A sends offset 5 of payments-1 to group "shop"
      Then group "shop" has no pending offset of payments-0 and a pending offset of payments-1 by one OffsetFetch

    Scenario: [9] One OffsetFetch asks for two topics, and the offset in the second is pending
      Given a topic "accounts" with 1 partition
      And producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 and accounts-0 to group "shop"
      And A has committed
      When A sends offset 5 of accounts-0 to group "shop"
      Then group "shop" has no pending offset of payments-0 and a pending offset of accounts-0 by one OffsetFetch

    Scenario: [10] One OffsetFetch asks for two groups, and the offset of the second is pending
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has sent offset 4 of payments-0 to group "bank"
      And A has committed
      When A sends offset 5 of payments-0 to group "bank"
      Then groups "shop" and "bank" have no pending offset and a pending offset of payments-0 by one OffsetFetch

  @KIP890-053 @MUST @commits
  Rule: OffsetFetch returns the offsets and metadata of a transaction once its commit is complete.
    A group whose committed position is not visible processes its input again.

    Scenario: [1] An offset with metadata is committed
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop" with metadata "half way"
      When A commits
      Then group "shop" has committed offset 5 of payments-0 with metadata "half way"
      And group "shop" has no pending offset of payments-0

    Scenario: [2] A later transaction replaces the offset
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop" with metadata "half way"
      When A commits
      Then group "shop" has committed offset 5 of payments-0 with metadata "half way"

    Scenario: [3] Offsets of two groups are committed in one transaction
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 6 of payments-0 to group "bank"
      When A commits
      Then group "shop" has committed offset 5 of payments-0
      And group "bank" has committed offset 6 of payments-0

    Scenario: [4] Two offsets for one partition are committed in one transaction
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 6 of payments-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 6 of payments-0

    Scenario: [5] An offset is committed after that of an earlier transaction was aborted
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has sent offset 7 of payments-0 to group "shop"
      And A has aborted
      When B commits
      Then group "shop" has committed offset 7 of payments-0

    Scenario: [6] An offset is committed after that of a later transaction was aborted
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has sent offset 7 of payments-0 to group "shop"
      And B has aborted
      When A commits
      Then group "shop" has committed offset 5 of payments-0

    Scenario: [7] A second transaction commits an offset of the same partition that was pending through the first commit
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has sent offset 5 of payments-0 to group "shop"
      And B has sent offset 7 of payments-0 to group "shop"
      And A has committed
      When B commits
      Then group "shop" has committed offset 7 of payments-0

    Scenario: [8] A later transaction moves the group back
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 3 of payments-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 3 of payments-0

    Scenario: [9] The second offset of a transaction for one partition is smaller
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 3 of payments-0 to group "shop"
      When A commits
      Then group "shop" has committed offset 3 of payments-0

    Scenario: [10] The group goes on to its next generation before the commit
      Given producer A with transactional id "transfer"
      And A is a member of group "shop"
      And A has sent offset 5 of payments-0 to group "shop"
      And group "shop" of A has gone on to its next generation
      When A commits
      Then group "shop" has committed offset 5 of payments-0

    Scenario: [11] The last member leaves the group before the commit
      Given producer A with transactional id "transfer"
      And A is a member of group "shop"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has left group "shop"
      When A commits
      Then group "shop" has committed offset 5 of payments-0

    @needs:crash
    Scenario: [12] The second offset of a transaction for one partition is smaller, and the system crashes before the commit
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has sent offset 3 of payments-0 to group "shop"
      And the system has crashed and restarted
      When A commits
      Then group "shop" has committed offset 3 of payments-0

    @needs:crash
    Scenario: [13] The system crashes after a later transaction has moved the group back
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When the system crashes and restarts
      Then group "shop" has committed offset 3 of payments-0

    Scenario: [14] Another client moves the group forward in one of two partitions before the commit
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 and payments-1 to group "shop"
      And offset 7 of payments-0 has been committed to group "shop" outside of transactions
      When A commits
      Then group "shop" has committed offset 5 of payments-1
      And group "shop" has committed offset 7 of payments-0

  @KIP890-054 @MUST @aborts
  Rule: An abort of a transaction leaves the offset that was committed before it unchanged.
    A group that loses its earlier position through an abort starts from the beginning.

    Scenario: [1] A transaction aborts after an offset was committed
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop"
      When A aborts
      Then group "shop" has committed offset 3 of payments-0

    Scenario: [2] The first offset of a group is aborted
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      When A aborts
      Then group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0

    Scenario: [3] The producer's next transaction commits another offset
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has aborted
      And A has sent offset 7 of payments-1 to group "shop"
      When A commits
      Then group "shop" has committed offset 7 of payments-1
      And group "shop" has no committed offset of payments-0

    Scenario: [4] The producer's next transaction commits another offset, and one was committed before both
      Given producer A with transactional id "transfer"
      And offset 3 of payments-0 has been committed to group "shop" outside of transactions
      And A has sent offset 5 of payments-0 to group "shop"
      And A has aborted
      And A has sent offset 7 of payments-1 to group "shop"
      When A commits
      Then group "shop" has committed offset 3 of payments-0

    Scenario: [5] The producer's next transaction commits an offset of another group
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has aborted
      And A has sent offset 7 of payments-0 to group "bank"
      When A commits
      Then group "bank" has committed offset 7 of payments-0
      And group "shop" has no committed offset of payments-0

    @needs:crash
    Scenario: [6] The system crashes between the abort and the next commit
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has aborted
      And the system has crashed and restarted
      And A has sent offset 7 of payments-1 to group "shop"
      When A commits
      Then group "shop" has no committed offset of payments-0

    @needs:crash
    Scenario: [7] The system crashes before the abort
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      And the system has crashed and restarted
      When A aborts
      Then group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0

  @KIP890-270 @MUST
  Rule: A group coordinator answers OffsetFetch for a group without committed offsets with offset -1 and no error.
    A consumer of a new group would stop with an error, where it only has to begin at the start.

    Scenario: [1] OffsetFetch is sent for an unknown group
      When OffsetFetch is sent for payments-0 of group "strangers"
      Then it is done
      And group "strangers" has no committed offset of payments-0
