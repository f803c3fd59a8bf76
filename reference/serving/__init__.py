"""The reference on a loopback socket: its own protocol, in real time, for any client of it.

Imported only by what serves, and by the list of engines; the reference itself knows of no bytes and no sockets.

* `server`: which clients may connect, and the wall clock that the reference's timers follow.
* `line`: what every connection does with its socket. `kafka`: frames in, answers out, in their order. `kafka_caller`: the user that has
  logged in there. `pulsar`: frames in, and out what the broker sends, answers and notifications. `pulsar_admin`: Pulsar's admin calls, over
  HTTP.
* `offer`: what an engine declares about itself to be served. `served_kafka`, `served_pulsar`: what ours declare.
* `unread_bytes`: how much all connections together may leave unread.
"""
