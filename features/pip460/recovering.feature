Feature: Changes that a controller does not finish
  A change has several steps, and its controller may end behind any of them. The next one finds out how far it came.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"
    And subscription "workers" has been registered for orders

  @PIP460-51 @MUST @sealing @recovery
  Rule: A change that its controller has not finished is completed or undone, and no message is lost or there twice.
    A segment that is sealed and has no children takes no message, and nobody ever mends it.

    @needs:crash-points
    Scenario: [1] A split, after-subscriptions
      Given "p1" has been written to left
      And the system will crash after-subscriptions
      And a split of left has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [2] A split, after-children
      Given "p1" has been written to left
      And the system will crash after-children
      And a split of left has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [3] A split, after-terminate
      Given "p1" has been written to left
      And the system will crash after-terminate
      And a split of left has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [4] A split, after-layout
      Given "p1" has been written to left
      And the system will crash after-layout
      And a split of left has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [5] A split, after-told
      Given "p1" has been written to left
      And the system will crash after-told
      And a split of left has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And readers of left get as far as "p1"

    @needs:crash-points
    Scenario: [6] What was there before a merge, after-subscriptions
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-subscriptions
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [7] What was there before a merge, after-children
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-children
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [8] What was there before a merge, after-terminate
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-terminate
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [9] What was there before a merge, after-layout
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-layout
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [10] What was there before a merge, after-told
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-told
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And readers of high get as far as "p1"

    @needs:crash-points
    Scenario: [11] What is written behind a merge, after-subscriptions
      Given left has been split into low and high
      And the system will crash after-subscriptions
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [12] What is written behind a merge, after-children
      Given left has been split into low and high
      And the system will crash after-children
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [13] What is written behind a merge, after-terminate
      Given left has been split into low and high
      And the system will crash after-terminate
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [14] What is written behind a merge, after-layout
      Given left has been split into low and high
      And the system will crash after-layout
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [15] What is written behind a merge, after-told
      Given left has been split into low and high
      And the system will crash after-told
      And a merge of low and high has been tried
      When the system comes back
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    @needs:crash-points
    Scenario: [16] The next change, after-subscriptions
      Given the system will crash after-subscriptions
      And a split of left has been tried
      And the system has come back
      When right is split into third and fourth
      Then it is done
      And the hashes of right are those of third and fourth
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [17] The next change, after-children
      Given the system will crash after-children
      And a split of left has been tried
      And the system has come back
      When right is split into third and fourth
      Then it is done
      And the hashes of right are those of third and fourth
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [18] The next change, after-terminate
      Given the system will crash after-terminate
      And a split of left has been tried
      And the system has come back
      When right is split into third and fourth
      Then it is done
      And at every epoch orders has each hash in one active segment
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [19] The next change, after-layout
      Given the system will crash after-layout
      And a split of left has been tried
      And the system has come back
      When right is split into third and fourth
      Then it is done
      And at every epoch orders has each hash in one active segment
      And the layout of orders is what the answers say

    @needs:more-brokers @needs:crash-points
    Scenario: [20] A producer that was there, at a broker that lives
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash after-layout
      And a split of high has been tried
      When the producer that high had sends "late"
      Then the layout of orders is what the answers say
      And readers of high see "p1"

    @needs:store-faults
    Scenario: [21] The store fails once, and the controller lives
      Given the store does not write the next change of a layout
      And a split of left has been tried
      When an administrator looks at the layout of orders
      Then soon each active segment of orders takes a message

    @needs:more-brokers @needs:store-faults
    Scenario: [22] A controller that is alone, whose store did not answer
      Given the controller of orders has crashed
      And the next change of the layout of orders is not written
      And a split of left has been tried
      When client A begins to watch orders
      Then soon each active segment of orders takes a message
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [23] Another split, when the first one is undone
      Given the system will crash after-children
      And a split of left has been tried
      When the system comes back
      Then soon a split of right is made
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [24] Another split, when the layout has the first one
      Given the system will crash after-layout
      And a split of left has been tried
      When the system comes back
      Then soon a split of right is made
      And the layout of orders is what the answers say

    @needs:crash-points
    Scenario: [25] The subscriptions, when no child had been made
      Given the system will crash after-subscriptions
      And a split of left has been tried
      When the system comes back
      Then soon a split of right is made
      And subscription "workers" is on each active segment of orders

  @PIP460-41 @MUST @recovery
  Rule: One controller acts for a topic, and what a former one still does has no effect.
    Two controllers write over each other's layouts, and a topic whose controller is gone is never changed again.

    @needs:more-brokers
    Scenario: [1] Another one takes over
      Given left has been split into low and high
      And the controller of orders has crashed
      When right is split into third and fourth
      Then it is done
      And the hashes of right are those of third and fourth
      And orders is at epoch 2, which created third and fourth and sealed right

    @needs:more-brokers
    Scenario: [2] The former one comes back
      Given the controller of orders has crashed
      And left has been split into low and high
      And the system has come back
      When low and high are merged into whole
      Then it is done
      And orders is at epoch 2, which created whole and sealed low and high

    @needs:more-brokers
    Scenario: [3] Both acted before
      Given left has been split into low and high
      And the controller of orders has crashed
      And low and high have been merged into whole
      And the system has come back
      When whole is split into first and second
      Then the layout of orders is what the answers say
      And soon each active segment of orders takes a message

    @needs:more-brokers @needs:store-faults
    Scenario: [4] The former one lives, and its consumers have come to the other one
      Given ann has joined "workers" of orders
      And another broker has become the controller of orders, while the former one lives
      And ann has joined "workers" of orders
      And the grace period has passed
      When left is split into low and high
      Then it is done
      And ann is assigned low and high and right

    @needs:more-brokers
    Scenario: [5] Who was told of the former one at another broker
      Given client A has begun to watch orders at a broker that has no controller of it
      And the controller of orders has crashed
      When ann joins "workers" of orders
      Then soon who asks for orders is told who its controller is
      And it is done
      And each active segment of orders is assigned once to ann

    @needs:more-brokers @needs:store-faults
    Scenario: [6] The former one is the next one, too
      Given another broker has become the controller of orders, while the former one lives
      And another broker has become the controller of orders, while the former one lives
      When client A begins to watch orders
      Then soon who asks for orders is told who its controller is

    @needs:more-brokers @needs:store-faults
    Scenario: [7] The former one is the next one, too, and then it crashes
      Given another broker has become the controller of orders, while the former one lives
      And another broker has become the controller of orders, while the former one lives
      And the controller of orders has crashed
      When ann joins "workers" of orders
      Then it is done
      And ann is assigned left and right

    @needs:more-brokers @needs:store-faults
    Scenario: [8] The former one lives, and its consumers learn that it is none any more
      Given ann has joined "workers" of orders
      And another broker has become the controller of orders, while the former one lives
      When left is split into low and high
      Then soon ann is sent away, or told of orders as it is now

    @needs:more-brokers @needs:store-faults
    Scenario: [9] A controller that prunes, and has looked at the layout before it was changed
      Given left has been split into low and high
      And the retention of sealed segments has passed but for its end
      And right has been split into third and fourth
      And for some seconds, who looks at the layout of orders sees it as it was before its last change
      When the retention of sealed segments passes
      Then soon each active segment of orders takes a message
      And at every epoch orders has each hash in one active segment

    @needs:store-faults
    Scenario: [10] A change whose layout somebody else seems to have written meanwhile
      Given "p1" has been written to left
      And the next change of the layout of orders meets another version
      When a split of left is asked for
      Then the layout of orders is what the answers say
      And soon each active segment of orders takes a message
      And readers of left get as far as "p1"

    @needs:store-faults
    Scenario: [11] A controller that splits, and has looked at the layout before it was changed
      Given left has been split into low and high
      And for some seconds, who looks at the layout of orders sees it as it was before its last change
      When a split of right is asked for
      Then the layout of orders is what the answers say
      And soon each active segment of orders takes a message
