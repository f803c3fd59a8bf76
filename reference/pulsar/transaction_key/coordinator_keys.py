"""A coordinator's transaction keys: one connection and one open transaction for each. Transaction-key proposal, "High-Level Design".

A connection of a key gets the next epoch, in this order: the epoch is durable, with the transactions that it fences; the previous
connection is closed; what is fenced is aborted; every participant has applied that, and whatever was decided before; the client is
answered. After a crash in between, the next load of the coordinator does the abort.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.coordinator import Reply, TransactionCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId, TxnStatus
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .claims import Claim, KeyConnection, KeyedRequest, Measured, WaitingConnect, expired
from .key import TransactionKey
from .key_records import KeyRecord, Numbers, numbers_of
from .key_topic import KeyTopic

NEW = -1
"""The epoch of a client that has not been given one."""
LAST_EPOCH = 2**63 - 1
MOST_REMEMBERED = 1_000
"""How many fenced transactions of one key are known; no client of older ones is left."""


class TransactionKeys:
    """The keys of one coordinator, in one life of its node."""

    def __init__(self, coordinator: TransactionCoordinator, machine: Machine, topic: KeyTopic, reconnect: str) -> None:
        self._coordinator = coordinator
        self._machine = machine
        self._topic = topic
        self._reconnect = reconnect
        self._records = dict(topic.load())
        self._clients: dict[TransactionKey, KeyConnection] = {}
        self._waiting: list[WaitingConnect] = []
        self._to_abort: dict[TxnId, None] = {}
        """What is to be aborted, and could not be, since the store of its coordinator did not answer.

        In the order in which it was tried.
        """
        begun = [record.open_txn for record in self._records.values() if record.open_txn is not None]
        self._ended: dict[TxnId, EndAction | None] = dict.fromkeys(begun)
        """The latest transaction of each key, and how its client has ended it in this life."""
        self._committed: set[TxnId] = set()
        """Committed ones that were fenced later, because the coordinator had forgotten the commit."""
        self.recover()

    def recover(self) -> None:
        """Decision: what was fenced before a crash, and is still open, is aborted before any client is served."""
        rule("TXKEY-21")
        rule("TXKEY-23")
        for record in self._records.values():
            self._abort_all([TxnId(*numbers) for numbers in record.fenced])

    # -- TC_CLIENT_CONNECT_REQUEST with a key

    def connect(
        self, key: TransactionKey, epoch: int, client: KeyConnection, reply: Callable[[int], None], refuse: Callable[[CommandRefused], None]
    ) -> Claim:
        """Decision: a connection of a key. `reply` gets its epoch when nothing of the previous one is left.

        Raises CommandRefused: NOT_ALLOWED for an epoch that is not the key's, or when there are no more; SERVICE_NOT_READY when nothing
        can be stored, or the state of the predecessor's transaction cannot be read.
        """
        record = self._records.get(key)
        self.check_epoch(key, epoch, record)
        given = self.next_epoch(record)
        is_kept = record is not None and self.keeps(record, epoch)
        fenced = () if record is None or is_kept else self.predecessors(record)
        self.persist(key, given, fenced, record.open if record is not None and is_kept else None)
        self._machine.crash_points.reach("after-epoch-persisted")
        self.take_over(key, client)
        self._machine.crash_points.reach("before-abort")
        self._abort_all(fenced)
        self._machine.crash_points.reach("after-abort")
        claim = Claim(key, given)

        def answer() -> None:
            reply(given)
            self._machine.crash_points.reach("after-answer")

        self.when_over(WaitingConnect(claim, self.to_wait_for(self._records[key]), answer, refuse))
        return claim

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        """Decision: a client is new, or has the epoch that was given last; no client has the epoch of a deletion.

        Raises CommandRefused: NOT_ALLOWED.
        """
        given = NEW if record is None or record.deleted else record.epoch
        if epoch not in (NEW, given):
            rule("TXKEY-03")
            rule("TXKEY-29")
            raise CommandRefused(
                ServerError.NOT_ALLOWED, f"epoch {epoch} of the transaction key {key}; expected {given}, or {NEW} for a new client"
            )
        if record is not None and record.epoch >= LAST_EPOCH:  # a deletion may have taken one after it
            raise CommandRefused(
                ServerError.NOT_ALLOWED, f"the transaction key {key} has had its last epoch, {LAST_EPOCH}; use another key"
            )

    def next_epoch(self, record: KeyRecord | None) -> int:
        """Decision: the epoch of a connection: one more than any before."""
        rule("TXKEY-01")
        rule("TXKEY-02")
        return (NEW if record is None else record.epoch) + 1

    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        """Decision: whether a client that reconnects with the current epoch continues the open transaction."""
        rule("TXKEY-26")
        return self._reconnect == "keeps" and epoch == record.epoch

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        """Decision: the key is this connection's, and the previous one is closed, answered or not."""
        rule("TXKEY-04")
        rule("TXKEY-24")
        given_up = self._stop_waiting(key)
        previous = self._clients.get(key)
        self._clients[key] = client
        if previous is client:
            for waiting in given_up:
                waiting.refuse(expired(f"epoch {waiting.claim.epoch} of the transaction key {key} is not its latest"))
        elif previous is not None:
            previous.send_away()

    def forget(self, client: KeyConnection) -> None:
        """Decision: a connection is gone. Its transaction stays: its client may reconnect, or another one, which fences it."""
        self._clients = {key: one for key, one in self._clients.items() if one is not client}

    # -- NEW_TXN on a connection with a key

    def begin(self, claim: Claim, timeout_ms: int, reply: Callable[[TxnId], None], refuse: Callable[[CommandRefused], None]) -> None:
        """Decision: a transaction of a key. An open one is fenced first, and the new one begins when that is over.

        Raises CommandRefused: INVALID_TXN_STATUS when a later connection has the key.
        """
        record = self.current(claim)
        if fenced := self.given_up(record):
            rule("TXKEY-13")
            rule("TXKEY-14")
            self.persist(claim.key, claim.epoch, fenced, None)
            self._abort_all(fenced)

        def go_on() -> None:
            try:
                if self.given_up(self.current(claim)):  # another request that has waited was first
                    self.begin(claim, timeout_ms, reply, refuse)
                else:
                    reply(self.begun(claim, timeout_ms))
            except CommandRefused as refused:
                refuse(refused)

        last = () if record.open_txn is None else (record.open_txn,)
        self.when_over(WaitingConnect(claim, (*last, *self.to_wait_for(record)), go_on, refuse))

    def current(self, claim: Claim) -> KeyRecord:
        """Decision: the state of a connection's key. Raises CommandRefused: INVALID_TXN_STATUS if another connection has it by now."""
        record = self._records.get(claim.key)
        if record is None or record.epoch != claim.epoch or record.deleted:
            rule("TXKEY-12")
            raise expired(f"epoch {claim.epoch} of the transaction key {claim.key} is not its latest")
        return record

    def begun(self, claim: Claim, timeout_ms: int) -> TxnId:
        """Decision: the key's record has the transaction before the client gets its id.

        If the topic cannot store that, the transaction is aborted, for it could not be fenced.
        """
        rule("TXKEY-35")
        txn = self._coordinator.new(timeout_ms)
        try:
            self.persist(claim.key, claim.epoch, (), numbers_of(txn))
        except CommandRefused:
            self.abort(txn)
            raise
        return txn

    # -- What is fenced

    def to_fence(self, record: KeyRecord) -> tuple[TxnId, ...]:
        """Decision: what the key has open."""
        return (record.open_txn,) if record.open_txn is not None and self._status(record.open_txn) is TxnStatus.OPEN else ()

    def given_up(self, record: KeyRecord) -> tuple[TxnId, ...]:
        """Decision: what a new transaction of the same connection fences: the one before, unless its client has ended it.

        This includes one that has timed out, of which its client may know nothing. Those that clients end are not recorded, for a key
        remembers only so many.
        """
        is_ended = record.open_txn is None or self._ended.get(record.open_txn) is not None
        return () if is_ended else self.predecessors(record)

    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        """Decision: what a new connection fences: the transaction of the one before, unless its commit is decided, which stays so.

        One that was aborted is fenced too: late requests in it have no effect.
        """
        if self._status(record.open_txn) in (TxnStatus.COMMITTING, TxnStatus.COMMITTED):
            rule("TXKEY-25")
            return ()
        rule("TXKEY-05")
        return () if record.open_txn is None else (record.open_txn,)

    def to_wait_for(self, record: KeyRecord) -> tuple[TxnId, ...]:
        """Decision: what has to be over everywhere before the key is used again: all that was not, whichever connection began it."""
        rule("TXKEY-06")
        return record.ending_txns

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest) -> None:
        """Decision: nothing is done in a transaction that was fenced. Raises CommandRefused: INVALID_TXN_STATUS."""
        if self._topic.is_fenced(txn):
            rule("TXKEY-10")
            rule("TXKEY-11")
            rule("TXKEY-12")
            raise expired(f"{doing.value} in transaction {txn}, which a later connection of its key has fenced")

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        """Decision: a client ends a transaction that was not fenced. A repeated commit that the coordinator has forgotten is not refused
        as expired, for the client would repeat its work.

        Raises CommandRefused: as `refuse_fenced`, or as the coordinator does.
        """
        is_forgotten = action is EndAction.COMMIT and txn in self._committed and self._status(txn) is None
        if not is_forgotten:
            self.refuse_fenced(txn, KeyedRequest.COMMIT if action is EndAction.COMMIT else KeyedRequest.ABORT)
        self._coordinator.end(txn, action, reply)
        if txn in self._ended:
            self._ended[txn] = action

    def abort(self, txn: TxnId) -> None:
        """Decision: a fenced transaction is aborted, at every participant; one that has ended meanwhile is over already.

        While the store of its coordinator does not answer, the timer retries.
        """
        try:
            self._coordinator.end(txn, EndAction.ABORT, lambda: None)
        except CommandRefused as refused:
            if refused.error is ServerError.SERVICE_NOT_READY:
                rule("TXKEY-05")
                self._to_abort[txn] = None

    # -- Administration

    def listed(self) -> tuple[TransactionKey, ...]:
        """Decision: every key that is not deleted, in the order in which they were created."""
        rule("TXKEY-27")
        return tuple(key for key, record in self._records.items() if not record.deleted)

    def describe(self, key: TransactionKey) -> tuple[KeyRecord, tuple[TxnId, ...]]:
        """Decision: the state of a key, and what it has open. Raises CommandRefused: TRANSACTION_NOT_FOUND when there is none."""
        record = self.known(key)
        return record, self.to_fence(record)

    def known(self, key: TransactionKey) -> KeyRecord:
        """Decision: the state of a key. Raises CommandRefused: TRANSACTION_NOT_FOUND when there is none."""
        record = self._records.get(key)
        if record is None or record.deleted:
            rule("TXKEY-28")
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"there is no transaction key {key}")
        return record

    def age_ms(self, key: TransactionKey) -> int:
        """Decision: how long ago a client connected with the key. Raises CommandRefused: TRANSACTION_NOT_FOUND when there is none."""
        return self._machine.clock.now - self.known(key).connectedAt

    def measured(self) -> tuple[Measured, ...]:
        """Decision: what the metrics report of each key."""
        return tuple(Measured(key, self.known(key).epoch, self.age_ms(key)) for key in self.listed())

    def delete(self, key: TransactionKey) -> None:
        """Decision: delete a key: its connection is closed and its transaction aborted. The epoch is raised, and stays known.

        Raises CommandRefused: TRANSACTION_NOT_FOUND when there is none.
        """
        record, fenced = self.describe(key)
        remembered = self.remembered(record.fenced, self.predecessors(record))
        removed = {"epoch": self.next_epoch(record), "open": None, "fenced": remembered, "deleted": True}
        self._store(record.model_copy(update=removed | {"ending": self.still_ending(record, None)}))
        self._stop_waiting(key)
        if (client := self._clients.pop(key, None)) is not None:
            client.send_away()
        self._abort_all(fenced)

    def sweep(self) -> None:
        """Decision: the timer's work: retry aborts, and answer requests whose transactions are over now."""
        rule("TXKEY-36")
        self._abort_all(tuple(self._to_abort))
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            self.when_over(one)

    # -- Inside

    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        """Decision: the state of a key is durable before any client learns of it. Raises CommandRefused: SERVICE_NOT_READY."""
        before = self._records.get(key)
        connected_at = self._machine.clock.now if before is None or before.epoch != epoch else before.connectedAt
        remembered = self.remembered(() if before is None else before.fenced, fenced)
        ending = () if before is None else self.still_ending(before, txn)
        self._store(
            KeyRecord(owner=key.owner, name=key.name, epoch=epoch, connectedAt=connected_at, open=txn, fenced=remembered, ending=ending)
        )

    def remembered(self, known: Sequence[Numbers], fenced: Sequence[TxnId]) -> tuple[Numbers, ...]:
        """Decision: which fenced transactions of a key are known from now on: the newest."""
        return (*known, *map(numbers_of, fenced))[-MOST_REMEMBERED:]

    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        """Decision: what may not be over at every participant when a key has another transaction, or none.

        It stays known until it is over: not only the next connection waits for it, but later ones too, and one after a crash or a deletion.
        """
        rule("TXKEY-25")
        earlier = before.ending if before.open in (None, txn) else (*before.ending, before.open)
        return tuple(numbers for numbers in earlier if not self._is_applied(TxnId(*numbers)))

    def _store(self, record: KeyRecord) -> None:
        self._topic.append(record)
        before = self._records.get(record.key)
        if before is not None and (last := before.open_txn) is not None and last != record.open_txn:
            is_committed = self._ended.pop(last, None) is EndAction.COMMIT
            if is_committed and numbers_of(last) in record.fenced:
                self._committed.add(last)
        if record.open_txn is not None:
            self._ended.setdefault(record.open_txn, None)
        self._records[record.key] = record

    def _abort_all(self, fenced: Sequence[TxnId]) -> None:
        for txn in fenced:
            self._to_abort.pop(txn, None)
            try:
                is_open = self._status(txn) is TxnStatus.OPEN
            except CommandRefused:
                self._to_abort[txn] = None  # its state cannot be read, so it is asked again
            else:
                if is_open:
                    self.abort(txn)

    def _stop_waiting(self, key: TransactionKey) -> list[WaitingConnect]:
        """Remove and return the requests that wait with this key."""
        given_up = [waiting for waiting in self._waiting if waiting.claim.key == key]
        self._waiting = [waiting for waiting in self._waiting if waiting.claim.key != key]
        return given_up

    def when_over(self, waiting: WaitingConnect) -> None:
        """Decision: a waiting request is answered when all that was ending is applied, however long that takes, and in its turn: a later
        request with the key does not overtake it.
        """
        rule("TXKEY-06")
        left = tuple(txn for txn in waiting.ending if not self._is_applied(txn))
        if left or any(earlier.claim.key == waiting.claim.key for earlier in self._waiting):
            self._waiting.append(replace(waiting, ending=left))
        else:
            waiting.go_on()

    def _is_applied(self, txn: TxnId) -> bool:
        try:
            return self._coordinator.is_applied(txn)
        except CommandRefused:
            return False  # the store of its coordinator does not answer now

    def _status(self, txn: TxnId | None) -> TxnStatus | None:
        """None for one that is over, and forgotten. Raises CommandRefused: SERVICE_NOT_READY when that cannot be read."""
        try:
            return None if txn is None else self._coordinator.describe(txn).status
        except CommandRefused as refused:
            if refused.error is ServerError.SERVICE_NOT_READY:
                rule("TXKEY-37")
                raise
            return None
