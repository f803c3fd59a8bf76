Feature: Watching a layout
  A client asks for the layout of a topic once, and is told of each change until it wants no more.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-27 @MUST
  Rule: Who asks for the layout of a topic is first told all active segments, with their hashes and their brokers.
    A client that does not know who has a hash can write nothing that has it.

    Scenario: [1] A new topic
      When client A begins to watch orders
      Then it is done
      And client A is told how orders is now, first of all

    Scenario: [2] Behind a split
      Given left has been split into low and high
      When client A begins to watch orders
      Then client A is told how orders is now, first of all

    Scenario: [3] Behind a merge
      Given left has been split into low and high
      And low and high have been merged into whole
      When client A begins to watch orders
      Then client A is told how orders is now, first of all

    Scenario: [4] By the name of a segment
      Given left has been split into low and high
      When client A begins to watch low
      Then client A is told how orders is now, first of all

    Scenario: [5] By the name of a persistent topic
      Given left has been split into low and high
      When client A begins to watch orders as a persistent topic
      Then client A is told how orders is now, first of all

  @PIP460-28 @MUST
  Rule: Who watches a layout is told of a change without asking again.
    Until it is told, a client writes to a segment that takes nothing, and reads none of the new ones.

    Scenario: [1] A split
      Given client A has begun to watch orders
      When left is split into low and high
      Then client A is told how orders is now

    Scenario: [2] A merge
      Given left has been split into low and high
      And client A has begun to watch orders
      When low and high are merged into whole
      Then client A is told how orders is now

    Scenario: [3] Two clients, and a second change
      Given client A has begun to watch orders
      And client B has begun to watch orders
      And left has been split into low and high
      When right is split into third and fourth
      Then client A is told how orders is now
      And client B is told how orders is now

    Scenario: [4] A client that reads nothing for many changes
      Given client A has begun to watch orders
      And left has been split into low and high, 12 times
      And right has been split into third and fourth, 8 times
      When high is split into first and second
      Then client A is told how orders is now

    @needs:store-faults
    Scenario: [5] The broker itself was not told
      Given client A has begun to watch orders
      And the store does not tell of the next change of a layout
      When left is split into low and high
      Then client A is told how orders is now

    @needs:virtual-time
    Scenario: [6] A sealed segment that is gone
      Given client A has begun to watch orders
      And left has been split into low and high
      When the retention of sealed segments passes
      Then client A is told how orders is now

    Scenario: [7] A topic that is deleted, and made again under its name
      Given client A has begun to watch orders
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then client A is told that orders was deleted, or how it is now

    Scenario: [8] A client that closes one of its two watches
      Given client A has begun to watch orders
      And client A has begun to watch orders
      And client A has closed its watch
      When left is split into low and high
      Then client A is told how orders is now

    @needs:store-faults
    Scenario: [9] A topic that is made again, and of whose deletion the broker itself was not told
      Given client A has begun to watch orders
      And the store does not tell of the next change of a layout
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then client A is told that orders was deleted, or how it is now

    @needs:plain-store
    Scenario: [10] A topic that is deleted, and made again, on a store without sequence keys and indexes
      Given client A has begun to watch orders
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then client A is told that orders was deleted, or how it is now

  @PIP460-29 @MUST
  Rule: The epochs that one watch is told grow.
    A client that takes an old layout for a new one goes back to segments that are sealed.

    Scenario: [1] A watch that sees nothing change
      When client A begins to watch orders
      Then client A is told how orders is now
      And the epochs that client A was told grow

    Scenario: [2] A watch through several changes
      Given client A has begun to watch orders
      And left has been split into low and high
      And low and high have been merged into whole
      When right is split into third and fourth
      Then client A is told how orders is now
      And the epochs that client A was told grow

    Scenario: [3] A change that was refused
      Given left has been split into low and high
      And client A has begun to watch orders
      And a split of left has been tried
      When low is split into first and second
      Then client A is told how orders is now
      And the epochs that client A was told grow

  @PIP460-30 @MUST
  Rule: Every broker serves watches, whichever has the controller.
    Clients connect to any broker, and those that are refused or told nothing have no topic.

    @needs:more-brokers
    Scenario: [1] The first layout
      Given left has been split into low and high
      When client A begins to watch orders at a broker that has no controller of it
      Then client A is told how orders is now, first of all

    @needs:more-brokers
    Scenario: [2] A change
      Given client A has begun to watch orders at a broker that has no controller of it
      When left is split into low and high
      Then client A is told how orders is now

    @needs:more-brokers
    Scenario: [3] Beside a client of the controller's broker
      Given client A has begun to watch orders
      And client B has begun to watch orders at a broker that has no controller of it
      And left has been split into low and high
      When low and high are merged into whole
      Then client B is told how orders is now
      And client A is told how orders is now

    @needs:more-brokers
    Scenario: [4] The broker that had the controller has ended
      Given client A has begun to watch orders at a broker that has no controller of it
      And the controller of orders has crashed
      When client B begins to watch orders
      Then soon who asks for orders is told where its segments are

  @PIP460-31 @MUST
  Rule: Who asks for a topic that there is not is told so.
    A client that is told nothing waits for a topic that nobody makes.

    Scenario: [1] It is refused
      Given payments is a scalable topic that nobody has made
      When client A begins to watch payments
      Then it is refused with TopicNotFound

    Scenario: [2] Nothing is made
      Given payments is a scalable topic that nobody has made
      When client A begins to watch payments
      Then payments is not among the scalable topics of its namespace

    Scenario: [3] A topic that was deleted
      Given orders has been deleted as a whole
      When client A begins to watch orders
      Then it is refused with TopicNotFound

    Scenario: [4] A name that no topic can have
      Given payments is the topic by a name that has no namespace of orders
      When client A begins to watch payments
      Then it is refused

  @PIP460-32 @MUST
  Rule: A watch that was closed is told nothing more.
    A broker that never forgets who asked tells more and more clients that do not listen.

    Scenario: [1] A split behind the close
      Given client A has begun to watch orders
      And client A has closed its watch
      And client A has begun to watch orders
      When left is split into low and high
      Then client A is told how orders is now
      And client A is told nothing in the watch that it closed

  @PIP460-33 @MUST
  Rule: Who asks again is told the layout as it is by then.
    What changed while a client was away is told by nobody else.

    Scenario: [1] Behind a lost connection
      Given client A has begun to watch orders
      And client A has lost its connection
      And left has been split into low and high
      When client A begins to watch orders
      Then client A is told how orders is now, first of all

    Scenario: [2] Behind a close, and a later change
      Given client A has begun to watch orders
      And client A has closed its watch
      And left has been split into low and high
      And client A has begun to watch orders
      When right is split into third and fourth
      Then client A is told how orders is now
