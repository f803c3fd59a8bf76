Feature: Publishing in a metadata-driven transaction
  Each message has a record in the store and one entry in its segment. The record is written first.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-10 @MUST
  Rule: Concurrent operations of one transaction do not overwrite each other's records.
    A message whose record was overwritten is never decided.

    Scenario: [1] A commit covers twenty messages that are in flight together
      Given A has 20 messages in flight to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

    Scenario: [2] An abort covers messages in two segments of which one is reloaded
      Given the topic "payments"
      And B has committed "b1" to orders
      And A has written "a1" to orders
      And A has written "a2" to payments
      And orders has been unloaded
      When A aborts
      Then readers of orders see "b1"

  @PIP471-11 @MUST @commits
  Rule: A commit of a transaction with many operations applies all of them.
    A limit that no document names tears a large transaction apart when it ends.

    Scenario: [1] A transaction of six hundred messages commits
      Given A has 600 messages in flight to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

    Scenario: [2] A transaction of a hundred and fifty acknowledgements commits
      Given A has acknowledged 150 messages of orders for "workers", one by one
      When A commits
      Then subscription "workers" has nothing left

    Scenario: [3] The segment is reloaded before a commit of a hundred and fifty acknowledgements
      Given A has acknowledged 150 messages of orders for "workers", one by one
      And orders has been unloaded
      When A commits
      Then subscription "workers" has nothing left

    Scenario: [4] The segment is reloaded before an abort of a hundred and fifty acknowledgements
      Given A has acknowledged 150 messages of orders for "workers", one by one
      And orders has been unloaded
      When A aborts
      Then "workers" agrees with the answers

  @PIP471-14 @MUST
  Rule: A segment stores each message of a transaction once, and no other entry for the transaction.
    A sealed segment accepts no entries: a transaction that needs one more for its end could never end there.

    Scenario: [1] A commit and an abort write no entries
      Given A has committed "a1" to orders
      And B has written "b1" to orders
      And B has aborted
      When "p1" is written to orders
      Then "p1" stands 2 entries behind "a1" in orders

    Scenario: [2] A producer sends a message again after the segment was reloaded
      Given the deduplicated topic "payments"
      And producer P has written "a1" to payments in A
      And payments has been unloaded
      And producer P has sent "a1" again on a new connection
      When A commits
      Then readers of payments see "a1"

    Scenario: [3] Two producers write in one transaction
      Given the deduplicated topic "payments"
      And producer P has written "a1" to payments in A
      And producer Q has written "a2" to payments in A
      When A commits
      Then readers of payments see "a1", "a2"

  @PIP471-15 @MUST @fencing
  Rule: A broker refuses a message in a transaction that has ended.
    The message would never be decided: it would block readers for ever, or be visible without a commit.

    Scenario: [1] A message arrives after the commit
      Given A has committed "a1" to orders
      When A writes "late" to orders
      Then it is refused

    Scenario: [2] A message arrives after the abort
      Given A has written "a1" to orders
      And A has aborted
      When A writes "late" to orders
      Then it is refused

    Scenario: [3] A message arrives after the timeout
      Given transaction C with a short timeout
      And C has written "c1" to orders
      And C has been left open past its timeout
      When C writes "late" to orders
      Then it is refused

    Scenario: [4] A message arrives in a transaction that never existed
      Given C is an unknown transaction
      When C writes "late" to orders, which it has not added
      Then it is refused

    Scenario: [5] A message arrives after the commit in a segment that is new to the transaction
      Given the topic "payments"
      And A has committed "a1" to orders
      When A writes "late" to payments
      Then it is refused

    Scenario: [6] A message arrives after the commit while another transaction is open in the segment
      Given B has written "b1" to orders
      And A has committed "a1" to orders
      When A writes "late" to orders
      Then it is refused
      And readers of orders see nothing

  @PIP471-16 @MUST @fencing
  Rule: A message that a broker has refused is never visible, and blocks no reader.
    A client would find readers that received its refused message, or that are blocked by it.

    Scenario: [1] A message is refused after a commit, and another one follows
      Given A has committed "a1" to orders
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

    Scenario: [2] A message is refused after an abort, and another one follows
      Given A has written "a1" to orders
      And A has aborted
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [3] A message of an unknown transaction is refused, and another one follows
      Given C is an unknown transaction
      And C has tried to write "late" to orders, which it has not added
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [4] A message is refused after a commit, and the segment is reloaded
      Given A has committed "a1" to orders
      And A has tried to write "late" to orders
      And orders has been unloaded
      When B commits "b1" to orders
      Then readers of orders see "a1", "b1"

  @PIP471-17 @MUST @fencing
  Rule: A message in flight when its transaction ends is either acknowledged and shares the outcome, or refused and never visible.
    A send receipt is a promise: an acknowledged message that is invisible after a commit is lost.

    Scenario: [1] A client commits while thirty messages are in flight
      Given A has 30 messages in flight to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

    @needs:store-faults
    Scenario: [2] The commit happens between the check of the header and the message, and a plain message follows
      Given A has committed "a1" to orders
      And "p1" has been written to orders
      And the next look at a header sees it as it was before its last change
      And A has tried to write "a2" to orders
      When "p2" is written to orders
      Then readers of orders get as far as "p2"

    @needs:store-faults
    Scenario: [3] The abort happens between the check of the header and the message
      Given A has written "a1" to orders
      And A has aborted
      And "p1" has been written to orders
      And the next look at a header sees it as it was before its last change
      When A writes "a2" to orders
      Then readers of orders see "p1"

    @needs:store-faults
    Scenario: [4] The commit happens between the check of the header and the message, and readers see exactly the acknowledged messages
      Given A has committed "a1" to orders
      And the consumer of shared subscription "workers" has received "a1" from orders
      And the next look at a header sees it as it was before its last change
      When A writes "a2" to orders
      Then orders agrees with the answers
