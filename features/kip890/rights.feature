Feature: Rights that are given and taken away
  Access-control lists change while producers run. What was changed counts at once, and who may not change them cannot.

  Background:
    Given a topic "payments" with 1 partition
    And a topic "refunds" with 1 partition

  @KIP890-375 @MUST
  Rule: What CreateAcls adds and DeleteAcls removes is in force from then on, and DescribeAcls finds just what is.
    Who was locked out would go on writing, or an administrator would believe that he does.

    @needs:authorizer
    Scenario: [1] A right that is given
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to refunds
      When the user of A is allowed to write to refunds
      Then it is done
      And the user of A may write to "refunds"

    @needs:authorizer
    Scenario: [2] A right that is taken away
      Given producer A with transactional id "transfer", logged in as an ordinary user
      When the user of A is no longer allowed to write to refunds
      Then the answer names the right to write to refunds of the user of A, and no other
      And the user of A may not write to "refunds"
      And the user of A may write to "payments"

    @needs:authorizer
    Scenario: [3] What there is, by each filter
      When rights to "payments" and to group "billing" are given to two users
      Then it is done
      And DescribeAcls finds by each filter what it is for

    @needs:authorizer
    Scenario Outline: [4] Entries that are no rights
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to refunds
      When an entry is made for the user of A to write to refunds, <kind>
      Then the user of A may not write to "refunds"

      Examples:
        | kind                   |
        | that denies it         |
        | for another host alone |

    @needs:authorizer
    Scenario: [5] The only right that there is
      When a user who may write under transactional id "transfer" initialises with it
      Then it is done

  @KIP890-376 @MUST
  Rule: CreateAcls and DeleteAcls need ALTER on the cluster, DescribeAcls DESCRIBE, and all three an authorizer.
    Who may give rights to himself may do everything; without an authorizer, a right that was given would protect nothing.

    @needs:authorizer
    Scenario Outline: [1] An ordinary user
      Given producer A with transactional id "transfer", logged in as an ordinary user
      When A itself sends <request> for a right to read "payments"
      Then it is refused with CLUSTER_AUTHORIZATION_FAILED

      Examples:
        | request      |
        | CreateAcls   |
        | DeleteAcls   |
        | DescribeAcls |

    @needs:authorizer
    Scenario: [2] An operator
      Given producer A with transactional id "transfer", logged in as an operator
      When A itself sends DescribeAcls for a right to read "payments"
      Then it is done

    Scenario Outline: [3] Without an authorizer
      When <request> is sent for a right to read "payments"
      Then it is refused with SECURITY_DISABLED

      Examples:
        | request      |
        | CreateAcls   |
        | DeleteAcls   |
        | DescribeAcls |

  @KIP890-379 @MUST
  Rule: InitProducerId without a transactional id is for who may write to a topic, and CLUSTER_AUTHORIZATION_FAILED to others.
    Producer ids are state in every broker; who may write nowhere could fill it.

    @needs:authorizer
    Scenario: [1] Somebody who may write to a topic
      When a user who may write to "payments" initialises without a transactional id
      Then it is done

    @needs:authorizer
    Scenario: [2] Somebody who may write nowhere
      When a user who may read "payments" initialises without a transactional id
      Then it is refused with CLUSTER_AUTHORIZATION_FAILED
