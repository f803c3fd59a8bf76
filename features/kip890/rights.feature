Feature: Granting and revoking rights
  Access-control lists change while producers run. A change takes effect at once, and only an authorised principal can make it.

  Background:
    Given a topic "payments" with 1 partition
    And a topic "refunds" with 1 partition

  @KIP890-375 @MUST
  Rule: CreateAcls and DeleteAcls take effect at once, and DescribeAcls returns exactly the entries that exist.
    A user whose right was revoked would continue to write, or one whose right was granted could not.

    @needs:authorizer
    Scenario: [1] A right is granted
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to refunds
      When the user of A is allowed to write to refunds
      Then it is done
      And the user of A may write to "refunds"

    @needs:authorizer
    Scenario: [2] A right is revoked
      Given producer A with transactional id "transfer", logged in as an ordinary user
      When the user of A is no longer allowed to write to refunds
      Then the answer names the right to write to refunds of the user of A, and no other
      And the user of A may not write to "refunds"
      And the user of A may write to "payments"

    @needs:authorizer
    Scenario: [3] Rights are listed by each filter
      When rights to "payments" and to group "billing" are given to two users
      Then it is done
      And DescribeAcls finds by each filter what it is for

    @needs:authorizer
    Scenario Outline: [4] An entry that denies, or is for another host, grants nothing
      Given producer A with transactional id "transfer", logged in as an ordinary user
      And the user of A may no longer write to refunds
      When the user of A is <kind> to write to refunds
      Then the user of A may not write to "refunds"

      Examples:
        | kind                            |
        | denied the right                |
        | allowed from another host alone |

    @needs:authorizer
    Scenario: [5] A user with a single right uses it
      When a user who may write under transactional id "transfer" initialises with it
      Then it is done

  @KIP890-376 @MUST
  Rule: A broker refuses CreateAcls and DeleteAcls without ALTER on the cluster, DescribeAcls without DESCRIBE, and all three without an authorizer.
    A user who may grant rights to itself may do everything; without an authorizer, a granted right would protect nothing.

    @needs:authorizer
    Scenario Outline: [1] An ordinary user sends a request about rights
      Given producer A with transactional id "transfer", logged in as an ordinary user
      When A itself sends <request> for a right to read "payments"
      Then it is refused with CLUSTER_AUTHORIZATION_FAILED

      Examples:
        | request      |
        | CreateAcls   |
        | DeleteAcls   |
        | DescribeAcls |

    @needs:authorizer
    Scenario: [2] An operator lists rights
      Given producer A with transactional id "transfer", logged in as an operator
      When A itself sends DescribeAcls for a right to read "payments"
      Then it is done

    @needs:known-limits
    Scenario Outline: [3] A request about rights is sent to a broker without an authorizer
      When <request> is sent for a right to read "payments"
      Then it is refused with SECURITY_DISABLED

      Examples:
        | request      |
        | CreateAcls   |
        | DeleteAcls   |
        | DescribeAcls |

  @KIP890-379 @MUST
  Rule: A broker answers InitProducerId without a transactional id with CLUSTER_AUTHORIZATION_FAILED if the principal may write to no topic.
    Producer ids are state in every broker; a user without any WRITE right could exhaust it.

    @needs:authorizer
    Scenario: [1] A user who may write to one topic initialises without a transactional id
      When a user who may write to "payments" initialises without a transactional id
      Then it is done

    @needs:authorizer
    Scenario: [2] A user who may write to no topic initialises without a transactional id
      When a user who may read "payments" initialises without a transactional id
      Then it is refused with CLUSTER_AUTHORIZATION_FAILED

    @needs:authorizer
    Scenario: [3] A user who may write to one topic initialises after rights were given to another user
      Given producer A with transactional id "transfer", logged in as an ordinary user
      When a user who may write to "payments" initialises without a transactional id
      Then it is done
