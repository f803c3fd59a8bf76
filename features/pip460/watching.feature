Feature: Watching a layout
  A client requests the layout of a topic once, and is notified of each change until it closes the watch.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-27 @MUST
  Rule: The first answer to a watch has all active segments with their hash ranges and their brokers.
    A client that does not know which broker serves a hash cannot write the messages of that hash.

    Scenario: [1] A client watches a new topic
      When client A begins to watch orders
      Then it is done
      And client A is notified how orders is now, first of all

    Scenario: [2] A client watches a topic after a split
      Given left has been split into low and high
      When client A begins to watch orders
      Then client A is notified how orders is now, first of all

    Scenario: [3] A client watches a topic after a merge
      Given left has been split into low and high
      And low and high have been merged into whole
      When client A begins to watch orders
      Then client A is notified how orders is now, first of all

    Scenario: [4] A client watches a topic by the name of a segment
      Given left has been split into low and high
      When client A begins to watch low
      Then client A is notified how orders is now, first of all

    Scenario: [5] A client watches a topic by its persistent name
      Given left has been split into low and high
      When client A begins to watch orders as a persistent topic
      Then client A is notified how orders is now, first of all

  @PIP460-28 @MUST
  Rule: A broker notifies a client that watches a layout of each change.
    Until it is notified, a client writes to a segment that refuses its messages and reads none of the new segments.

    Scenario: [1] A client is notified of a split
      Given client A has begun to watch orders
      When left is split into low and high
      Then client A is notified how orders is now

    Scenario: [2] A client is notified of a merge
      Given left has been split into low and high
      And client A has begun to watch orders
      When low and high are merged into whole
      Then client A is notified how orders is now

    Scenario: [3] Two clients are notified of a second change
      Given client A has begun to watch orders
      And client B has begun to watch orders
      And left has been split into low and high
      When right is split into third and fourth
      Then client A is notified how orders is now
      And client B is notified how orders is now

    Scenario: [4] A client that reads nothing during many changes is notified of the last one
      Given client A has begun to watch orders
      And left has been split into low and high, 12 times
      And right has been split into third and fourth, 8 times
      When high is split into first and second
      Then client A is notified how orders is now

    @needs:store-faults
    Scenario: [5] A client is notified of a change that was not notified to its broker
      Given client A has begun to watch orders
      And the next event of a change of a layout is lost
      When left is split into low and high
      Then client A is notified how orders is now

    @needs:virtual-time
    Scenario: [6] A client is notified of the removal of a sealed segment
      Given client A has begun to watch orders
      And left has been split into low and high
      When the retention of sealed segments passes
      Then client A is notified how orders is now

    Scenario: [7] A client is notified when its topic is deleted and recreated
      Given client A has begun to watch orders
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then client A is notified that orders was deleted, or how it is now

    Scenario: [8] A client that closes one of its two watches is notified through the other
      Given client A has begun to watch orders
      And client A has begun to watch orders
      And client A has closed its watch
      When left is split into low and high
      Then client A is notified how orders is now

    @needs:store-faults
    Scenario: [9] A client is notified of a recreated topic whose deletion was not notified to its broker
      Given client A has begun to watch orders
      And the next event of a change of a layout is lost
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then client A is notified that orders was deleted, or how it is now

    @needs:plain-store
    Scenario: [10] A client is notified when its topic is deleted and recreated on a store without sequence keys and indexes
      Given client A has begun to watch orders
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then client A is notified that orders was deleted, or how it is now

    @needs:store-faults
    Scenario: [11] All events of a recreated topic are late, and the client is still notified of it
      Given the next event of a change of a layout is late
      And left has been split into low and high
      And client A has begun to watch orders
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then client A is notified that orders was deleted, or how it is now

    @needs:store-faults
    Scenario: [12] All events of a recreated topic with the same epoch are late, and the client is still notified of it
      Given the next event of a change of a layout is late
      And left has been split into low and high
      And client A has begun to watch orders
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When right is split into lower and upper
      Then client A is notified that orders was deleted, or how it is now

    Scenario: [13] A client is notified of the merge of all segments
      Given the scalable topic "events" of segment "root"
      And root has been split into low and high
      And client A has begun to watch events
      When low and high are merged into whole
      Then client A is notified how events is now

    @needs:store-faults
    Scenario: [14] A client is notified of two changes of which the first was not notified to its broker
      Given client A has begun to watch orders
      And the next event of a change of a layout is lost
      And left has been split into low and high
      When right is split into third and fourth
      Then client A is notified how orders is now

    Scenario: [15] A client is notified of a change after another client's topic was deleted
      Given the scalable topic "events" of segment "root"
      And client A has begun to watch events
      And client B has begun to watch orders
      And orders has been deleted as a whole
      When root is split into low and high
      Then client A is notified how events is now

  @PIP460-29 @MUST
  Rule: The layouts that a broker sends to one watch have increasing epochs.
    A client that applies an old layout after a new one goes back to sealed segments.

    Scenario: [1] A watch receives a layout that does not change
      When client A begins to watch orders
      Then client A is notified how orders is now
      And client A is sent growing epochs

    Scenario: [2] A watch receives several changes
      Given client A has begun to watch orders
      And left has been split into low and high
      And low and high have been merged into whole
      When right is split into third and fourth
      Then client A is notified how orders is now
      And client A is sent growing epochs

    Scenario: [3] A watch receives a change that follows a refused one
      Given left has been split into low and high
      And client A has begun to watch orders
      And a split of left has been tried
      When low is split into first and second
      Then client A is notified how orders is now
      And client A is sent growing epochs

  @PIP460-30 @MUST
  Rule: Every broker serves watches of a topic, whether or not it is the topic's controller.
    A client may connect to any broker; one that is refused or never notified cannot use the topic.

    @needs:more-brokers
    Scenario: [1] A client at another broker receives the first layout
      Given left has been split into low and high
      When client A begins to watch orders at a broker that has no controller of it
      Then client A is notified how orders is now, first of all

    @needs:more-brokers
    Scenario: [2] A client at another broker is notified of a change
      Given client A has begun to watch orders at a broker that has no controller of it
      When left is split into low and high
      Then client A is notified how orders is now

    @needs:more-brokers
    Scenario: [3] Clients at the controller and at another broker are notified of a change
      Given client A has begun to watch orders
      And client B has begun to watch orders at a broker that has no controller of it
      And left has been split into low and high
      When low and high are merged into whole
      Then client B is notified how orders is now
      And client A is notified how orders is now

    @needs:more-brokers
    Scenario: [4] A client at another broker watches a topic whose controller has crashed
      Given client A has begun to watch orders at a broker that has no controller of it
      And the controller of orders has crashed
      When client B begins to watch orders
      Then a lookup of orders soon answers where its segments are

  @PIP460-31 @MUST
  Rule: A broker refuses a watch of a topic that does not exist.
    A client without an answer waits for a topic that is never created.

    Scenario: [1] A client that watches a missing topic is refused with TopicNotFound
      Given payments is a scalable topic that does not exist
      When client A begins to watch payments
      Then it is refused with TopicNotFound

    Scenario: [2] Watching a missing topic does not create it
      Given payments is a scalable topic that does not exist
      When client A begins to watch payments
      Then payments is not among the scalable topics of its namespace

    Scenario: [3] A client watches a topic that was deleted
      Given orders has been deleted as a whole
      When client A begins to watch orders
      Then it is refused with TopicNotFound

    Scenario: [4] A client watches a name that is not a valid topic name
      Given payments is the topic by a name that has no namespace of orders
      When client A begins to watch payments
      Then it is refused

  @PIP460-32 @MUST
  Rule: A broker sends no more notifications to a watch that its client has closed.
    A broker that keeps closed watches notifies more and more clients that do not listen.

    Scenario: [1] A segment is split after the client has closed a watch
      Given client A has begun to watch orders
      And client A has closed its watch
      And client A has begun to watch orders
      When left is split into low and high
      Then client A is notified how orders is now
      And client A is sent nothing in the watch that it closed

  @PIP460-33 @MUST
  Rule: A client that opens a watch again receives the current layout.
    A client has no other source for the changes that happened while it was disconnected.

    Scenario: [1] A client watches again after its connection was lost
      Given client A has begun to watch orders
      And client A has lost its connection
      And left has been split into low and high
      When client A begins to watch orders
      Then client A is notified how orders is now, first of all

    Scenario: [2] A client watches again after it closed its watch and the layout changed
      Given client A has begun to watch orders
      And client A has closed its watch
      And left has been split into low and high
      And client A has begun to watch orders
      When right is split into third and fourth
      Then client A is notified how orders is now
