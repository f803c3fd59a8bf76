"""Small histories in a separate notation, for tests of the checker.

A line is an operation: who, how it ended, what it was, then its transaction and what it moved.

    p0 ok send tid=a e=0 x<v@3     process 0 sent v to log x, acknowledged at offset 3, as transactional id a with epoch 0
    p1 ok poll x>v@3               process 1 read it
    p0 ok ack tx=T1 grp=g x:=4     offsets of a group   (x?4 a position seen, x!4 an acknowledgement, x!!4 a cumulative one)
    p1 ok assign x y               logs of a consumer
    ctl ok split segs=g0 ...       control; what is not known goes to `ctl`

A completion stands for its invocation too; an invocation is written (`p0 invoke send x<v`) where something happens in between.
A record may tell its key and sequence (`x<v@3/k.1`) or its hash (`x<v@3/h9abc`).
"""

import json
import re
from pathlib import Path
from typing import Any

_RECORD = re.compile(r"(?P<log>\w+)(?P<way>[<>])(?P<v>[\w-]+)(?:@(?P<o>\d+))?(?:/(?:h(?P<hash>[0-9a-f]+)|(?P<mkey>\w+)\.(?P<seq>\d+)))?$")
_OFFSET = re.compile(r"(?P<log>\w+)(?P<way>:=|\?|!!|!)(?P<o>\d+)$")
_WAYS = {"<": "send", ">": "recv", ":=": "offset", "?": "position", "!": "ack_ind", "!!": "ack_cum"}
_WORD = re.compile(r"(\w+)=(\S+)$")


def events(text: str, run: str) -> list[dict[str, Any]]:
    """The events of a history, numbered as they come."""
    made: list[dict[str, Any]] = []
    open_: dict[str, int] = {}
    for line in text.strip().splitlines():
        who, kind, f, *rest = line.split()
        event = _event(run, who, f, rest)
        for each in ("invoke", kind) if kind != "invoke" and who not in open_ else (kind,):
            number = len(made)
            op = number if each == "invoke" else open_.pop(who)
            if each == "invoke":
                open_[who] = number
            made.append(event | {"idx": number, "t_ns": number * 1_000_000, "type": each, "op_id": op})
    return made


def write(text: str, run: str, folder: Path) -> Path:
    """The history as a file of JSON lines."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{run.replace('/', '-')}.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events(text, run)), encoding="utf-8")
    return path


def _event(run: str, who: str, f: str, rest: list[str]) -> dict[str, Any]:
    said: dict[str, str] = {}
    mops = []
    for token in rest:
        word = _WORD.match(token)
        if word and not _OFFSET.match(token):
            said[word[1]] = word[2]
        else:
            mops.append(_mop(token, f))
    tid, pid, epoch = said.pop("tid", None), int(said.pop("pid", "1")), said.pop("e", None)
    name = said.pop("tx", None) or (f"{tid}/{pid}/{epoch}" if tid and f != "init_txn" else None)
    group = said.pop("grp", None)
    following = said.pop("next", None)
    return {
        "run_id": run,
        "client": who,
        "process": None if who == "ctl" else int(who[1:]),
        "f": f,
        "txn_id": name,
        "tx": {"tid": tid, "pid": pid, "epoch": None if "key_epoch" in said else int(epoch or 0)} if tid else None,
        "grp": {"id": group, "gen": int(said.pop("gen", "-1"))} if group else None,
        "iso": said.pop("iso", None),
        "mops": mops,
        "ctl": said | ({"producer_id": pid, "producer_epoch": int(following)} if following else {}),
    }


def _mop(token: str, f: str) -> dict[str, Any]:
    match = _RECORD.match(token) or _OFFSET.match(token)
    if match is None:
        assert f in ("assign", "subscribe"), f"cannot read {token!r}"
        return {"m": f, "log": token}
    found = match.groupdict()
    reported = {"m": _WAYS[found.pop("way")], "log": found["log"], "v": found.get("v"), "mkey": found.get("mkey")}
    numbers = {"o": found["o"], "seq": found.get("seq")}
    hashed = found.get("hash")
    return (
        reported
        | {name: None if number is None else int(number) for name, number in numbers.items()}
        | {"hash": int(hashed, 16) if hashed else None}
    )
