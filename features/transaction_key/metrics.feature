Feature: What is measured of keys
  Whoever runs the system sees conflicts and idle keys without asking for each.

  @TXKEY-31 @SHOULD
  Rule: The metrics tell how many keys there are, the epoch of each, and when each was connected last.
    A key that is fenced again and again, or that nobody uses, is seen nowhere else.

    @needs:transaction-keys
    Scenario: [1] Several keys
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      When task three connects with key "payments"
      Then the metrics agree with what administrators are told of key "payments" and key "refunds"

    @needs:transaction-keys
    Scenario: [2] A key that was deleted
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      When key "payments" is deleted
      Then the metrics agree with what administrators are told of key "refunds"

    @needs:transaction-keys
    Scenario: [3] A key that needs to be escaped
      Given task one has connected with key "payments"
      When task two connects with key "back\slash"
      Then the metrics agree with what administrators are told of key "payments" and key "back\slash"

    @needs:transaction-keys @needs:principals
    Scenario: [4] Owners
      Given task one has connected with key "payments" of "alice"
      When task two connects with key "payments" of "bob"
      Then the metrics agree with what administrators are told of key "payments" of "alice" and key "payments" of "bob"

    @needs:transaction-keys @needs:crash
    Scenario: [5] After a crash
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      When the system crashes and comes back
      Then the metrics agree with what administrators are told of key "payments"

    @needs:transaction-keys
    Scenario: [6] The age of a key that is idle
      Given task one has connected with key "payments"
      And transaction A with a short time-out
      And A has been left open past its time-out
      When task two connects with key "refunds"
      Then the metrics tell how long ago task one connected
      And the metrics tell how long ago task two connected

    @needs:transaction-keys
    Scenario: [7] The age of a key whose client comes again
      Given task one has connected with key "payments"
      And transaction A with a short time-out
      And A has been left open past its time-out
      When task one connects again
      Then the metrics tell how long ago task one connected

    @needs:transaction-keys @needs:crash
    Scenario: [8] The age of a key after a crash
      Given task one has connected with key "payments"
      And transaction A with a short time-out
      And A has been left open past its time-out
      When the system crashes and comes back
      Then the metrics tell how long ago task one connected

    @needs:transaction-keys
    Scenario: [9] The age of a key whose client begins a transaction
      Given task one has connected with key "payments"
      And transaction A with a short time-out
      And A has been left open past its time-out
      When task one begins transaction B
      Then the metrics tell how long ago task one connected
