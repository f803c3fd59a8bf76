"""The reference behind a loopback socket: its own protocol, in real time, for any client of it.

Imported only by whoever serves, and by the list of engines; the reference itself knows of no bytes and no sockets.

* `server`: who may connect, and the wall clock that the reference's timers follow.
* `line`: what every connection does with its socket. `kafka`: frames in, answers out, in their order. `kafka_caller`: who has logged in
  there. `pulsar`: frames in, and out
  whatever the broker says, asked or unasked. `pulsar_admin`: Pulsar's admin calls, over HTTP.
* `offer`: what an engine has to say of itself to be served. `served_kafka`, `served_pulsar`: what ours say.
* `memory`: how much all connections together may leave lying around.
"""
