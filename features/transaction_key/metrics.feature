@needs:transaction-keys
Feature: Metrics of keys
  An operator sees conflicts and idle keys without inspecting each key.

  @TXKEY-31 @SHOULD
  Rule: The metrics of a broker report the number of keys, the epoch of each key and the time since its last connect.
    An operator has no other way to notice a key that is fenced again and again, or that is no longer used.

    Scenario: [1] The metrics report two keys
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      When task three connects with key "payments"
      Then the metrics agree with what administrators are shown of key "payments" and key "refunds"

    Scenario: [2] The metrics do not report a deleted key
      Given task one has connected with key "payments"
      And task two has connected with key "refunds"
      When key "payments" is deleted
      Then the metrics agree with what administrators are shown of key "refunds"

    Scenario: [3] The metrics report a key with a character that must be escaped
      Given task one has connected with key "payments"
      When task two connects with key "back\slash"
      Then the metrics agree with what administrators are shown of key "payments" and key "back\slash"

    @needs:principals
    Scenario: [4] The metrics report the keys of two owners
      Given task one has connected with key "payments" of "alice"
      When task two connects with key "payments" of "bob"
      Then the metrics agree with what administrators are shown of key "payments" of "alice" and key "payments" of "bob"

    @needs:crash
    Scenario: [5] The metrics report a key after a crash
      Given task one has connected with key "payments"
      And task two has connected with key "payments"
      When the system crashes and restarts
      Then the metrics agree with what administrators are shown of key "payments"

    Scenario: [6] The metrics report the age of an idle key
      Given task one has connected with key "payments"
      And transaction A with a short timeout
      And A has been left open past its timeout
      When task two connects with key "refunds"
      Then the metrics report how long ago task one connected
      And the metrics report how long ago task two connected

    Scenario: [7] The metrics report the age of a key whose client has reconnected
      Given task one has connected with key "payments"
      And transaction A with a short timeout
      And A has been left open past its timeout
      When task one connects again
      Then the metrics report how long ago task one connected

    @needs:crash
    Scenario: [8] The metrics report the age of a key after a crash
      Given task one has connected with key "payments"
      And transaction A with a short timeout
      And A has been left open past its timeout
      When the system crashes and restarts
      Then the metrics report how long ago task one connected

    Scenario: [9] The metrics report the age of a key whose client begins a transaction
      Given task one has connected with key "payments"
      And transaction A with a short timeout
      And A has been left open past its timeout
      When task one begins transaction B
      Then the metrics report how long ago task one connected
