Feature: Changes that a controller does not finish
  A change has several steps, and its controller may end after any of them. The next controller finds out how far the change came.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"
    And subscription "workers" has been registered for orders

  @PIP460-51 @MUST @sealing @recovery
  Rule: The next controller completes or undoes a change that its predecessor has not finished, and no message is lost or duplicated.
    A sealed segment without children would refuse messages until an administrator repairs the layout.

    @needs:crash-points
    Scenario: [1] A split ends after-subscriptions
      Given "p1" has been written to left
      And the system will crash after-subscriptions
      And a split of left has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [2] A split ends after-children
      Given "p1" has been written to left
      And the system will crash after-children
      And a split of left has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [3] A split ends after-terminate
      Given "p1" has been written to left
      And the system will crash after-terminate
      And a split of left has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [4] A split ends after-layout
      Given "p1" has been written to left
      And the system will crash after-layout
      And a split of left has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [5] A split ends after-told
      Given "p1" has been written to left
      And the system will crash after-told
      And a split of left has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [6] Earlier messages are readable when a merge ends after-subscriptions
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-subscriptions
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [7] Earlier messages are readable when a merge ends after-children
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-children
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [8] Earlier messages are readable when a merge ends after-terminate
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-terminate
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [9] Earlier messages are readable when a merge ends after-layout
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-layout
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [10] Earlier messages are readable when a merge ends after-told
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-told
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [11] Messages can be written when a merge ends after-subscriptions
      Given left has been split into low and high
      And the system will crash after-subscriptions
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [12] Messages can be written when a merge ends after-children
      Given left has been split into low and high
      And the system will crash after-children
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [13] Messages can be written when a merge ends after-terminate
      Given left has been split into low and high
      And the system will crash after-terminate
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [14] Messages can be written when a merge ends after-layout
      Given left has been split into low and high
      And the system will crash after-layout
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [15] Messages can be written when a merge ends after-told
      Given left has been split into low and high
      And the system will crash after-told
      And a merge of low and high has been tried
      When the system restarts
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [16] Another split is made when the first one ended after-subscriptions
      Given the system will crash after-subscriptions
      And a split of left has been tried
      And the system has restarted
      When right is split into third and fourth
      Then it is done
      And the hashes of right are those of third and fourth
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [17] Another split is made when the first one ended after-children
      Given the system will crash after-children
      And a split of left has been tried
      And the system has restarted
      When right is split into third and fourth
      Then it is done
      And the hashes of right are those of third and fourth
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [18] Another split is made when the first one ended after-terminate
      Given the system will crash after-terminate
      And a split of left has been tried
      And the system has restarted
      When right is split into third and fourth
      Then it is done
      And at every epoch orders has each hash in one active segment
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [19] Another split is made when the first one ended after-layout
      Given the system will crash after-layout
      And a split of left has been tried
      And the system has restarted
      When right is split into third and fourth
      Then it is done
      And at every epoch orders has each hash in one active segment
      And the layout of orders is what the answers say

    @needs:more-brokers @needs:crash-points
    Scenario: [20] A producer at a surviving broker writes to a parent whose split ended after-layout
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-layout
      And a split of high has been tried
      When the producer that high had sends "late"
      Then the layout of orders is what the answers say
      And readers of high see "p1"

    @needs:store-faults
    Scenario: [21] The store fails once during a split, and the controller survives
      Given the store does not answer the next change of a layout, and does not write it
      And a split of left has been tried
      When an administrator looks at the layout of orders
      Then soon each active segment of orders takes a message

    @needs:more-brokers @needs:store-faults
    Scenario: [22] The store does not answer the only controller during a split
      Given the controller of orders has crashed
      And the layout of orders is not written at its next change
      And a split of left has been tried
      When client A begins to watch orders
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [23] A split of another segment is made when the first one has been undone
      Given the system will crash after-children
      And a split of left has been tried
      When the system restarts
      Then soon a split of right is made
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [24] A split of another segment is made when the layout has the first one
      Given the system will crash after-layout
      And a split of left has been tried
      When the system restarts
      Then soon a split of right is made
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [25] A subscription is on all segments when the split ended before any child was created
      Given the system will crash after-subscriptions
      And a split of left has been tried
      When the system restarts
      Then soon a split of right is made
      And subscription "workers" is on each active segment of orders

    @needs:crash-points
    Scenario: [26] A split ends after-terminate, and another topic comes first by its name
      Given the scalable topic "invoices" of segment "single"
      And "p1" has been written to left
      And the system will crash after-terminate
      And a split of left has been tried
      When the system restarts
      Then soon each active segment of orders takes a message

    @needs:crash-points
    Scenario: [27] A split ends after-terminate, and another topic comes last by its name
      Given the scalable topic "payments" of segment "single"
      And "p1" has been written to left
      And the system will crash after-terminate
      And a split of left has been tried
      When the system restarts
      Then soon each active segment of orders takes a message

    @needs:crash-points
    Scenario: [28] The children of a split that the next controller completes begin empty
      Given "p1" has been written to left
      And a split of left has been cut short after-terminate
      And low and high came of left
      When "p2" is written to low
      Then readers of low see "p2"
      And subscription "workers" has nothing waiting in high

  @PIP460-41 @MUST @recovery
  Rule: One controller acts for a topic, and what a former controller still does has no effect.
    Two controllers overwrite each other's layouts, and a topic without a controller is never changed again.

    @needs:more-brokers
    Scenario: [1] Another controller takes over and splits a segment
      Given left has been split into low and high
      And the controller of orders has crashed
      When right is split into third and fourth
      Then it is done
      And the hashes of right are those of third and fourth
      And orders is at epoch 2, which created third and fourth and sealed right

    @needs:more-brokers
    Scenario: [2] A former controller returns, and two segments are merged
      Given the controller of orders has crashed
      And left has been split into low and high
      And the system has restarted
      When low and high are merged into whole
      Then it is done
      And orders is at epoch 2, which created whole and sealed low and high

    @needs:more-brokers
    Scenario: [3] A controller returns after both it and its successor changed the layout
      Given left has been split into low and high
      And the controller of orders has crashed
      And low and high have been merged into whole
      And the system has restarted
      When whole is split into first and second
      Then the layout of orders is what the answers say
      And soon each active segment of orders takes a message

    @needs:more-brokers @needs:store-faults
    Scenario: [4] The former controller is alive, and its consumers have joined the new one
      Given ann has joined "workers" of orders
      And the controller of orders has been replaced while it lives
      And ann has joined "workers" of orders
      And the grace period has passed
      When left is split into low and high
      Then it is done
      And ann is assigned low and high and right

    @needs:more-brokers
    Scenario: [5] A client at another broker had been referred to a controller that has crashed
      Given client A has begun to watch orders at a broker that has no controller of it
      And the controller of orders has crashed
      When ann joins "workers" of orders
      Then a lookup of orders soon answers who its controller is
      And it is done
      And each active segment of orders is assigned once to ann

    @needs:more-brokers @needs:store-faults
    Scenario: [6] A controller loses its role and gains it again
      Given the controller of orders has been replaced while it lives
      And the controller of orders has been replaced while it lives
      When client A begins to watch orders
      Then a lookup of orders soon answers who its controller is

    @needs:more-brokers @needs:store-faults
    Scenario: [7] A controller that gained its role again crashes
      Given the controller of orders has been replaced while it lives
      And the controller of orders has been replaced while it lives
      And the controller of orders has crashed
      When ann joins "workers" of orders
      Then it is done
      And ann is assigned left and right

    @needs:more-brokers @needs:store-faults
    Scenario: [8] The consumers of a former controller that is alive learn of the new layout
      Given ann has joined "workers" of orders
      And the controller of orders has been replaced while it lives
      When left is split into low and high
      Then soon ann is sent away, or notified of orders as it is now

    @needs:more-brokers @needs:store-faults
    Scenario: [9] A controller that removes sealed segments has read the layout before its last change
      Given left has been split into low and high
      And the retention of sealed segments has passed but for its end
      And right has been split into third and fourth
      And the layout of orders is read as it was before its last change for some seconds
      When the retention of sealed segments passes
      Then soon each active segment of orders takes a message
      And at every epoch orders has each hash in one active segment

    @needs:store-faults
    Scenario: [10] The layout that a controller writes appears to have been written by another controller
      Given "p1" has been written to left
      And the layout of orders meets another version at its next change
      When a split of left is asked for
      Then the layout of orders is what the answers say
      And soon each active segment of orders takes a message
      And readers of left get as far as "p1"

    @needs:store-faults
    Scenario: [11] A controller that splits has read the layout before its last change
      Given left has been split into low and high
      And the layout of orders is read as it was before its last change for some seconds
      When a split of right is asked for
      Then the layout of orders is what the answers say
      And soon each active segment of orders takes a message
