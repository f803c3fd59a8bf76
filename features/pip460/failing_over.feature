Feature: Consumers and controllers that are gone for a while
  A stream consumer that is cut off is waited for, and so is each of them when there is another controller.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"
    And ann has joined "workers" of orders
    And bob has joined "workers" of orders
    And the segments of ann and bob are called left and right

  @PIP460-37 @MUST
  Rule: A stream consumer that comes back within the grace period has its segments again, and nobody else is disturbed.
    A network that stutters moves every segment back and forth, and what was read is delivered to somebody else.

    Scenario: [1] Nobody is told that it is gone
      When bob is cut off
      Then ann is assigned left, and was told of no others

    Scenario: [2] It has what it had
      Given bob has been cut off
      When bob joins "workers" of orders
      Then it is done
      And bob is assigned right
      And ann is assigned left, and was told of no others

    Scenario: [3] The first by name
      Given ann has been cut off
      When ann joins "workers" of orders
      Then it is done
      And ann is assigned left
      And bob is assigned right, and was told of no others

    Scenario: [4] It reads on behind what it has acknowledged
      Given "p1" has been written to right
      And "p2" has been written to right
      And the reading of bob has come to "p1"
      And bob has been cut off
      And bob has joined "workers" of orders
      When the reading of bob comes to "p2"
      Then the reading of bob was "p1", "p2"

    Scenario: [5] Its old connection ends when it is back
      Given bob has joined "workers" of orders
      And the connection that bob had before has ended
      When right is split into low and high
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [6] A split while it is away
      Given bob has been cut off
      And right has been split into low and high
      When bob joins "workers" of orders
      Then each active segment of orders is assigned once to ann and bob
      And ann was told of no other segments

    Scenario: [7] One that is cut off a second time
      Given bob has been cut off
      And the grace period has passed but for its end
      And bob has joined "workers" of orders
      And bob has been cut off
      When the grace period passes but for its end
      Then ann is assigned left, and was told of no others

    Scenario: [8] What it had acknowledged is acknowledged still, and its segment drained
      Given "p1" has been written to right
      And the reading of bob has come to "p1"
      And bob has been cut off
      And bob has joined "workers" of orders
      When right is split into low and high
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [9] One that was cut off before it is given up
      Given carol has joined "workers" of orders
      And ann has been cut off
      And the grace period has passed but for its end
      And bob has been cut off
      When the grace period passes but for its end
      Then carol is assigned right

    Scenario: [10] One that is back when its grace period ends
      Given bob has been cut off
      And bob has joined "workers" of orders
      When the grace period passes
      Then bob is assigned right
      And ann is assigned left, and was told of no others

  @PIP460-38 @MUST
  Rule: The segments of a stream consumer that does not come back within the grace period go to the others.
    What nobody reads is never read, and waits for an administrator.

    Scenario: [1] The other one has them all, and reads what was left
      Given "p1" has been written to right
      And "p2" has been written to right
      And the reading of bob has come to "p1"
      And bob has been cut off
      When the grace period passes
      Then ann is assigned left and right

    @needs:crash
    Scenario: [2] A crash when the other one has them already
      Given "p1" has been written to right
      And bob has been cut off
      And the grace period has passed
      And the reading of ann has come to "p1"
      And the system has crashed and come back
      When ann joins "workers" of orders
      Then ann is assigned left and right

    @needs:virtual-time
    Scenario: [3] While two sealed segments go, of which one came of the other
      Given left has been split into low and high
      And low has been split into first and second
      And bob has been cut off
      When the retention of sealed segments passes
      Then ann is assigned first and second and high and right

  @PIP460-39 @MUST @recovery
  Rule: Assignments outlive the controller, and its successor gives all sessions a grace period of their own.
    Otherwise each fail-over moves all segments of everybody who is a moment later than the others.

    @needs:crash
    Scenario: [1] The first that comes back has its own, and no more
      Given the system has crashed and come back
      When bob joins "workers" of orders
      Then it is done
      And bob is assigned right

    @needs:crash
    Scenario: [2] All come back
      Given the system has crashed and come back
      And bob has joined "workers" of orders
      When ann joins "workers" of orders
      Then it is done
      And ann is assigned left
      And bob is assigned right, and was told of no others

    @needs:crash
    Scenario: [3] They read on
      Given "p1" has been written to right
      And the system has crashed and come back
      And bob has joined "workers" of orders
      When the reading of bob comes to "p1"
      Then the reading of bob was "p1"

  @PIP460-40 @MUST @recovery
  Rule: Stream consumers go on with their segments while there is no controller.
    A controller that is needed for each message stops all consumers of the topic when it ends.

    @needs:more-brokers
    Scenario: [1] Messages from before
      Given "p1" has been written to left
      And "p2" has been written to right
      And the controller of orders has crashed
      When the reading of ann and bob comes to "p1", "p2"
      Then the reading of ann was "p1"
      And the reading of bob was "p2"

    @needs:more-brokers
    Scenario: [2] Messages from behind
      Given the controller of orders has crashed
      And "p1" has been written to left
      And "p2" has been written to right
      When the reading of ann and bob comes to "p1", "p2"
      Then the reading of ann was "p1"
      And the reading of bob was "p2"

  @PIP460-52 @MUST @recovery
  Rule: A controller waits for the whole grace period for each consumer that it has taken over.
    What a former controller has waited cannot be known, and who was connected to it a moment ago is cut off as well.

    @needs:crash @needs:virtual-time
    Scenario: [1] One that was gone for long
      Given bob has been cut off
      And the grace period has passed but for its end
      And the system has crashed and come back
      And ann has joined "workers" of orders
      When the grace period passes but for its end
      Then ann is assigned left, and was told of no others

    @needs:crash @needs:virtual-time
    Scenario: [2] It comes back after all
      Given bob has been cut off
      And the grace period has passed but for its end
      And the system has crashed and come back
      And the grace period has passed but for its end
      When bob joins "workers" of orders
      Then bob is assigned right

    @needs:crash @needs:virtual-time
    Scenario: [3] It is given up in the end
      Given the system has crashed and come back
      And ann has joined "workers" of orders
      When the grace period passes
      Then ann is assigned left and right

    @needs:more-brokers @needs:store-faults @needs:virtual-time
    Scenario: [4] One that was back at another controller in between
      Given bob has been cut off
      And the grace period has passed but for its end
      And another broker has become the controller of orders, while the former one lives
      And bob has joined "workers" of orders
      And another broker has become the controller of orders, while the former one lives
      When the grace period passes but for its end
      Then ann is assigned left, and was told of no others
