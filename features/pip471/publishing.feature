Feature: Publishing in a metadata-driven transaction
  Each message leaves a record in the store and one entry in its segment. The record comes first.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-10 @MUST
  Rule: Operations of one transaction at the same time do not take each other's place.
    A message whose record was overwritten is decided by nobody.

    Scenario: [1] Messages that are under way together, and a commit
      Given A has 20 messages under way to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

    Scenario: [2] One in each of two segments, which are loaded again
      Given the topic "payments"
      And B has committed "b1" to orders
      And A has written "a1" to orders
      And A has written "a2" to payments
      And orders has been unloaded
      When A aborts
      Then readers of orders see "b1"

  @PIP471-11 @MUST @commits
  Rule: A transaction of many operations commits as a whole.
    A limit that nobody told tears a large transaction apart at its end.

    Scenario: [1] Six hundred messages
      Given A has 600 messages under way to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

  @PIP471-14 @MUST
  Rule: A transaction stores each message once and writes nothing else into the segment.
    A sealed segment takes no entries: a transaction that needs one more for its end could never end there.

    Scenario: [1] A commit and an abort
      Given A has committed "a1" to orders
      And B has written "b1" to orders
      And B has aborted
      When "p1" is written to orders
      Then "p1" stands 2 entries behind "a1" in orders

    Scenario: [2] A message that is sent again, and the segment was loaded again in between
      Given the deduplicated topic "payments"
      And producer P has written "a1" to payments in A
      And payments has been unloaded
      And producer P has sent "a1" again on a new connection
      When A commits
      Then readers of payments see "a1"

    Scenario: [3] Two producers in one transaction
      Given the deduplicated topic "payments"
      And producer P has written "a1" to payments in A
      And producer Q has written "a2" to payments in A
      When A commits
      Then readers of payments see "a1", "a2"

  @PIP471-15 @MUST @fencing
  Rule: A message in a transaction that has ended is refused.
    Nobody will ever decide it: it would hold its readers up for ever, or be seen without a commit.

    Scenario: [1] Behind a commit
      Given A has committed "a1" to orders
      When A writes "late" to orders
      Then it is refused

    Scenario: [2] Behind an abort
      Given A has written "a1" to orders
      And A has aborted
      When A writes "late" to orders
      Then it is refused

    Scenario: [3] Behind a time-out
      Given transaction C with a short time-out
      And C has written "c1" to orders
      And C has been left open past its time-out
      When C writes "late" to orders
      Then it is refused

    Scenario: [4] In a transaction that never was
      Given C is an unknown transaction
      When C writes "late" to orders, which it has not added
      Then it is refused

    Scenario: [5] In a segment that the transaction had not written to
      Given the topic "payments"
      And A has committed "a1" to orders
      When A writes "late" to payments
      Then it is refused

  @PIP471-16 @MUST @fencing
  Rule: A message that was refused is never seen and holds nobody up.
    A client that was told no would find its message with its readers, or stop everybody behind it.

    Scenario: [1] What is read behind a refusal after a commit
      Given A has committed "a1" to orders
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

    Scenario: [2] What is read behind a refusal after an abort
      Given A has written "a1" to orders
      And A has aborted
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [3] What is read behind a refusal of an unknown transaction
      Given C is an unknown transaction
      And C has tried to write "late" to orders, which it has not added
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [4] What is read behind a refusal, and the segment is loaded again
      Given A has committed "a1" to orders
      And A has tried to write "late" to orders
      And orders has been unloaded
      When B commits "b1" to orders
      Then readers of orders see "a1", "b1"

  @PIP471-17 @MUST @fencing
  Rule: A message that is under way when its transaction ends is either receipted and shares the outcome, or refused and never seen.
    A receipt is a promise: what was receipted and is not seen behind a commit is lost.

    Scenario: [1] A commit behind messages that are under way
      Given A has 30 messages under way to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

    @needs:store-faults
    Scenario: [2] The commit comes between the look at the header and the message
      Given A has committed "a1" to orders
      And "p1" has been written to orders
      And the next look at a header sees it as it was before its last change
      And A has tried to write "a2" to orders
      When "p2" is written to orders
      Then readers of orders get as far as "p2"

    @needs:store-faults
    Scenario: [3] The abort comes between the look at the header and the message
      Given A has written "a1" to orders
      And A has aborted
      And "p1" has been written to orders
      And the next look at a header sees it as it was before its last change
      When A writes "a2" to orders
      Then readers of orders see "p1"

    @needs:store-faults
    Scenario: [4] The commit comes between, and what is seen is what was receipted
      Given A has committed "a1" to orders
      And the consumer of shared subscription "workers" has received "a1" from orders
      And the next look at a header sees it as it was before its last change
      When A writes "a2" to orders
      Then orders agrees with the answers
