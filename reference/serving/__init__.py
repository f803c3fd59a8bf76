"""The reference behind a loopback socket: its own protocol, in real time, for any client of it.

Imported only by whoever serves; the reference itself knows of no bytes and no sockets.

* `server`: who may connect, and the wall clock that the reference's timers follow.
* `connection`: frames in, answers out, in their order.
* `memory`: how much all connections together may leave lying around.
"""
