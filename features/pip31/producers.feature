Feature: Which producers may write
  A producer has a name, under which a topic knows what it has sent; a producer opens and closes, and a topic may be closed to all of
  them.

  @PIP31-143 @SHOULD @fencing
  Rule: A broker refuses a second producer with the name of a connected one on the same topic.
    Two services that use one name by mistake would use the same sequence ids, and lose each other's messages.

    Background:
      Given the topic "orders"
      And transaction A
      And producer P has written "a1" to orders in A

    Scenario: [1] A second producer opens while the first one is connected
      When producer P opens again while it is open
      Then it is refused with ProducerBusy

    Scenario: [2] A producer opens again after it was closed
      Given producer P has closed
      When producer P opens again
      Then it is done

    Scenario: [3] A producer opens again on a new connection after it lost its connection
      When producer P opens again on a new connection
      Then it is done

    Scenario: [4] A producer writes after the topic was unloaded
      Given orders has been unloaded
      When "plain" is written to orders
      Then it is done

  @PIP31-147 @SHOULD @sealing
  Rule: A broker refuses messages to a terminated topic, and keeps those that the topic has.
    A producer that receives a success would have written beyond the end, where no consumer reads.

    Background:
      Given the topic "orders" with "before"

    Scenario: [1] A plain message is sent to a terminated topic
      Given orders has been terminated
      When "late" is written to orders
      Then it is refused with TopicTerminatedError

    Scenario: [2] A plain message is sent to a terminated topic after it was unloaded
      Given orders has been terminated
      And orders has been unloaded
      When "late" is written to orders
      Then it is refused with TopicTerminatedError

    Scenario: [3] A topic with a committed transaction is terminated
      Given transaction A
      And A has committed "a1" to orders
      When orders is terminated
      Then it is done
      And the producer of orders is notified that it is closed
      And readers of orders get as far as "a1"

    Scenario: [4] A producer opens a terminated topic
      Given transaction A
      And producer P has written "a1" to orders in A
      And A has committed
      And orders has been terminated
      When producer P opens again
      Then it is refused with TopicTerminatedError

    Scenario: [5] A transaction writes to a terminated topic that it has not added
      Given transaction A
      And orders has been terminated
      And A has tried to write "late" to orders, which it has not added
      When A commits
      Then it is done
